import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * Prepares the exit record of a run anew, as another file: its work was taken once before and never got its go, and the shim of that
 * time has written so, or is about to. Throws `RUNS_DIRECTORY_NOT_MADE`, also when the directory is gone.
 */
export function renewExitRecord(runDir: string): void {
  const { exit } = composeRunFiles(runDir)
  try {
    expectFolder(runDir)
    rmSync(exit, { force: true })
    writeFileSync(exit, blankExitRecord, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    throw runsError('RUNS_DIRECTORY_NOT_MADE', { path: exit, why: (cause as Error).message }, cause)
  }
}

/**
 * Where log and exit record of a stage lie: of the work itself in the directory of its run, of the stages beside it in a
 * folder of their own there.
 */
export function composeStageDirectory(runDir: string, stage: 'prepare' | 'work' | 'check'): string {
  return stage === 'work' ? runDir : join(runDir, stage)
}

/**
 * Makes that folder for a stage beside the work, with its prepared exit record, and answers its path. What an earlier start of the
 * same stage left there, one that never got its go, is taken away first. Throws `RUNS_DIRECTORY_NOT_MADE`.
 */
export function createStageDirectory(runDir: string, stage: 'prepare' | 'check'): string {
  const stageDir = composeStageDirectory(runDir, stage)
  try {
    expectFolder(runDir)
    rmSync(stageDir, { recursive: true, force: true })
    mkdirSync(stageDir, { mode: 0o700 })
    writeFileSync(composeRunFiles(stageDir).exit, blankExitRecord, { flag: 'wx', mode: 0o600 })
    return stageDir
  } catch (cause) {
    throw runsError('RUNS_DIRECTORY_NOT_MADE', { path: stageDir, why: (cause as Error).message }, cause)
  }
}

/** What a worker has put in the place of its directory is not followed: something is removed below it. */
function expectFolder(runDir: string): void {
  if (!lstatSync(runDir).isDirectory()) throw new Error(`${runDir} is no folder any more`)
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
