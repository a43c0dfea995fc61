import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../../src/api/client/index.ts'
import type { EventView } from '../../src/api/contract/index.ts'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { type Hub, type HubOptions, startHub } from '../../src/main.ts'

export interface YardHome extends AsyncDisposable {
  readonly home: string
  readonly folder: string
  options(overrides?: Partial<HubOptions>): HubOptions
  /** Starts a hub here; one that a test leaves up is stopped with its workers. */
  start(overrides?: Partial<HubOptions>): Promise<Hub>
}

/** A home that does not exist yet, in a folder that is removed with everything that was started in it. */
export function makeYardHome(): YardHome {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yard-main-')))
  const home = join(folder, 'home')
  const hubs: Hub[] = []
  const options = (overrides: Partial<HubOptions> = {}): HubOptions => ({
    home,
    config: emptyConfig(8),
    env: { PATH: process.env.PATH, HOME: folder },
    purpose: 'run',
    paused: false,
    self: [process.execPath, '/nowhere/bin.cjs'],
    version: '1.2.3',
    ...overrides,
  })
  return {
    home,
    folder,
    options,
    async start(overrides) {
      const hub = await startHub(options(overrides))
      hubs.push(hub)
      return hub
    },
    async [Symbol.asyncDispose]() {
      for (const hub of hubs) {
        const stopped = hub.stop({ workers: 'end' })
        hub.hurry()
        await stopped
      }
      rmSync(folder, { recursive: true })
    },
  }
}

/** Waits for the first event that `wanted` accepts, from the beginning on. */
export async function seen(client: Client, wanted: (event: EventView) => boolean): Promise<EventView> {
  const reader = new AbortController()
  for await (const event of client.events(0, {}, reader.signal)) {
    if (!wanted(event)) continue
    reader.abort()
    return event
  }
  throw new Error('the stream of events ended')
}

/** Another program that holds the lock of a home, until it is killed. */
export async function holdLock(home: string): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const program = `
    const file = new (require('better-sqlite3'))(${JSON.stringify(join(home, 'lock.db'))})
    file.pragma('journal_mode = delete')
    file.exec('begin exclusive')
    console.log('held')
    setInterval(() => file.open, 1000)`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return {
    pid: child.pid ?? 0,
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
