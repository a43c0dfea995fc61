import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { YardError } from '../kernel/index.ts'
import type { OpenStore } from '../main.ts'
import type { CliDeps, OpenHow, Yard } from './command.ts'
import { cliError } from './errors.ts'
import { onOneLine } from './render/visible.ts'

/**
 * Opens the yard of a home: through its hub where one answers, else its store in this process, under the home's lock.
 * Either way the caller only sees a `Client`.
 */
export function openYardOf(
  deps: Pick<CliDeps, 'home' | 'main' | 'env' | 'self' | 'version' | 'loadConfig' | 'err' | 'flags'>,
): (how?: OpenHow) => Promise<Yard> {
  return async (how = { store: 'make' }) => {
    const hub = await hubOf(deps)
    if (hub !== undefined) return hub
    if (how.store !== 'make' && !hasStore(deps.home)) throw cliError('CLI_NO_YARD', { home: deps.home })
    const { home, env, self, version } = deps
    const asked = { home, config: await deps.loadConfig(), env, self, version }
    try {
      return withoutHub(await deps.main.openStore(asked))
    } catch (fault) {
      if (!(fault instanceof YardError)) throw fault
      // A hub may have come up between the look and the lock: then it is the yard.
      const late = fault.code === 'MAIN_HOME_TAKEN' ? await hubOf(deps) : undefined
      if (late !== undefined) return late
      if (how.store !== 'read' || !ofTheDisk.includes(fault.code)) throw fault
      const copy = await deps.main.readStore(asked).catch(() => undefined)
      if (copy === undefined) throw fault // the first one is the one to mend
      if (!deps.flags.json && !deps.flags.quiet) deps.err.write(`Read from a copy: ${onOneLine(fault.message)}\n`)
      return withoutHub(copy)
    }
  }
}

/** What a disk that takes nothing answers; the store on it may be as good as ever. */
const ofTheDisk: readonly string[] = [
  'MAIN_HOME_UNUSABLE',
  'PROCESS_LOCK_FAILED',
  'BOARD_DISK_FULL',
  'BOARD_NOT_OPENED',
  'BOARD_NOT_WRITTEN',
]

const withoutHub = ({ client, close }: OpenStore): Yard => ({ client, hub: 'none', pid: undefined, close })

/** Whether something was ever kept in this home: its store, or what a store that is gone has left. Whoever opens it is told. */
export const hasStore = (home: string): boolean =>
  existsSync(join(home, 'yard.db')) ||
  entriesOf(home).some((name) => /^yard\.db\.(damaged|rescued)-/.test(name)) ||
  entriesOf(join(home, 'runs')).length > 0

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not made yet
  }
}

async function hubOf({ home, main }: Pick<CliDeps, 'home' | 'main'>): Promise<Yard | undefined> {
  const hub = await main.findHub(home)
  return hub === undefined ? undefined : { client: hub.client, hub: 'up', pid: hub.pid, close: async () => {} }
}
