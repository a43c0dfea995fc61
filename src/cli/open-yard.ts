import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { YardError } from '../kernel/index.ts'
import type { CliDeps, OpenHow, Yard } from './command.ts'
import { cliError } from './errors.ts'

/**
 * Opens the yard of a home: through its hub where one answers, else its store in this process, under the home's lock.
 * Either way the caller only sees a `Client`.
 */
export function openYardOf(
  deps: Pick<CliDeps, 'home' | 'main' | 'env' | 'self' | 'version' | 'loadConfig'>,
): (how?: OpenHow) => Promise<Yard> {
  return async (how = { store: 'make' }) => {
    const hub = await hubOf(deps)
    if (hub !== undefined) return hub
    if (how.store === 'must_exist' && !hasStore(deps.home)) throw cliError('CLI_NO_YARD', { home: deps.home })
    const { home, env, self, version } = deps
    try {
      const store = await deps.main.openStore({ home, config: await deps.loadConfig(), env, self, version })
      return { client: store.client, hub: 'none', pid: undefined, close: () => store.close() }
    } catch (fault) {
      // A hub may have come up between the look and the lock: then it is the yard.
      const late = fault instanceof YardError && fault.code === 'MAIN_HOME_TAKEN' ? await hubOf(deps) : undefined
      if (late === undefined) throw fault
      return late
    }
  }
}

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
