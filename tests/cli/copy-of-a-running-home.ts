import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { type AHome, aHome } from './a-home.ts'
import { aHub } from './a-hub.ts'

/** A home whose hub works attempt R1 of T1, and a copy of it that was made meanwhile. */
export interface CopiedHome extends AsyncDisposable {
  readonly yard: AHome
  readonly copy: AHome
}

export async function aCopyOfARunningHome(): Promise<CopiedHome> {
  const yard = aHome()
  const copy = aHome()
  const hub = await aHub(yard.home, {
    config: emptyConfig(1),
    env: { PATH: process.env.PATH, HOME: yard.cwd },
    purpose: 'run',
  })
  const end = async () => {
    const stopped = hub.stop({ workers: 'end' })
    hub.hurry()
    await stopped
    await copy[Symbol.asyncDispose]()
    await yard[Symbol.asyncDispose]()
  }
  try {
    await hub.client.createTask({ dir: yard.cwd, run: 'sleep 300' })
    await expect.poll(async () => (await hub.client.task(1)).last_run?.phase).toBe('started')
    rmSync(copy.home, { recursive: true, force: true })
    execFileSync('cp', ['-a', yard.home, copy.home])
  } catch (fault) {
    await end()
    throw fault
  }
  return { yard, copy, [Symbol.asyncDispose]: end }
}
