import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { startHub } from '../../src/main.ts'
import { aHome } from './a-home.ts'

test('in a copy of a home, list and why without a task tell what runs for the original', async () => {
  await using yard = aHome()
  await using copy = aHome()
  const hub = await startHub({
    home: yard.home,
    config: emptyConfig(8),
    env: { PATH: process.env.PATH, HOME: yard.cwd },
    purpose: 'run',
    paused: false,
    self: [process.execPath, '/nowhere/bin.cjs'],
    version: '1.2.3',
  })
  try {
    await hub.client.createTask({ dir: yard.cwd, run: 'sleep 300' })
    await expect.poll(async () => (await hub.client.task(1)).last_run?.phase, { interval: 5 }).toBe('started')
    rmSync(copy.home, { recursive: true, force: true })
    execFileSync('cp', ['-a', yard.home, copy.home])
    const says = `its attempt R1 runs for ${yard.home}, and this home is a copy of that`
    expect((await copy.type('why')).out).toContain(says)
    expect((await copy.type('list')).out).toContain(`held: it runs for ${yard.home}`)
    expect((await yard.type('why')).out).toContain('No task waits.')
  } finally {
    const stopped = hub.stop({ workers: 'end' })
    hub.hurry()
    await stopped
  }
})
