import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findNewestBackup, findSetAside } from '../board/index.ts'
import type { YardError } from '../kernel/index.ts'
import { mainError } from './errors.ts'
import type { Home } from './home.ts'

/**
 * A home that has attempts and no store was worked, and its store was taken away while nobody looked. An empty board in its
 * place would give the numbers of those attempts again, and know nothing of what still runs: it is made only once a person
 * has moved them away. Undefined where all is well, and where what the store held lies beside it, which the board tells.
 */
export function findMissingStore({ path, store }: Pick<Home, 'path' | 'store'>): YardError | undefined {
  const runs = join(path, 'runs')
  if (existsSync(store) || findSetAside(store) !== undefined || !holdsAttempts(runs)) return undefined
  return mainError('MAIN_STORE_MISSING', { store, runs, backup: findNewestBackup(store) })
}

/** They lie in folders of a thousand; an empty one is what retention leaves. */
const holdsAttempts = (runs: string): boolean =>
  entriesOf(runs).some((shard) => entriesOf(join(runs, shard)).length > 0)

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not made yet
  }
}
