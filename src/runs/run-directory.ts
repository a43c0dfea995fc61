import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatRunId, makeFolder, type RunId } from '../kernel/index.ts'
import { runsError } from './errors.ts'
import { blankExitRecord } from './exit-record.ts'
import { composeRunFiles } from './run-files.ts'

/** `runs/<floor(id / 1000)>/R981` below the home. The one place where a path is made of a run's id. */
export function composeRunDirectory(home: string, run: RunId): string {
  return join(home, 'runs', String(Math.floor(run / 1_000)), formatRunId(run))
}

/**
 * Makes the directory of a run, readable by us alone, with its prepared exit record, and answers its path. Throws
 * `RUNS_DIRECTORY_NOT_MADE`, also when it is there already: a run never takes over what another one has left.
 */
export function createRunDirectory(home: string, run: RunId): string {
  const runDir = composeRunDirectory(home, run)
  try {
    makeDirectory(runDir)
    writeFileSync(composeRunFiles(runDir).exit, blankExitRecord, { flag: 'wx', mode: 0o600 })
    return runDir
  } catch (cause) {
    throw runsError('RUNS_DIRECTORY_NOT_MADE', { path: runDir, why: (cause as Error).message }, cause)
  }
}

/** One call in the ordinary case: only the first run of a thousand finds its shard missing. */
function makeDirectory(runDir: string): void {
  try {
    mkdirSync(runDir, { mode: 0o700 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
    makeFolder(join(runDir, '..'), 0o700)
    mkdirSync(runDir, { mode: 0o700 })
  }
}
