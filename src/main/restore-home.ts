import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Restored, refuseBadBackup, refuseNetwork, restoreStore } from '../board/index.ts'
import { systemClock as clock, parseId, systemRandom as random } from '../kernel/index.ts'
import { userName } from './find-hub.ts'
import { makeHome } from './home.ts'
import { takeHome } from './take-home.ts'

export interface RestoredHome extends Restored {
  /** Attempts that the home has folders of and the copy knows nothing of, lowest first. */
  readonly unknownRuns: readonly number[]
}

/**
 * Puts a copy in the place of a home's store, under the home's lock: nobody works it meanwhile. A home without a store, or
 * without anything, is as good. Throws `MAIN_HOME_TAKEN`, and what `restoreStore` throws.
 */
export async function restoreHome({ home: path, file }: { home: string; file: string }): Promise<RestoredHome> {
  if (!existsSync(path)) refuseBadBackup({ random }, file) // so that no empty home is left of it
  const home = makeHome(path)
  refuseNetwork(home.path)
  const { lock } = await takeHome({ clock, random }, { home, purpose: 'store' })
  try {
    const runs = folders(join(home.path, 'runs')).flatMap((shard) => numbersIn(join(home.path, 'runs', shard), 'R'))
    const tasks = numbersIn(join(home.path, 'workspaces'), 'T')
    const newest = { run: largest(runs), task: largest(tasks) }
    const restored = restoreStore({ clock, random }, { file, path: home.store, newest }, { by: userName() })
    const unknownRuns = runs.filter((run) => run > restored.lastRun).sort((a, b) => a - b)
    return { ...restored, unknownRuns }
  } finally {
    lock.release()
  }
}

/** Not by `Math.max(...numbers)`: a home of years has more attempts than a call may have arguments. */
const largest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0)

const numbersIn = (folder: string, letter: 'R' | 'T'): readonly number[] =>
  folders(folder).flatMap((name) => parseId(letter, name) ?? [])

function folders(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return [] // not made yet
  }
}
