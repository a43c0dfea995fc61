import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { type ChildUse, readShellCode, type WaitStatus } from '../../kernel/process/index.ts'
import { composeRunFiles, type ExitRecord, readExitRecord } from '../../runs/index.ts'
import { deliveredOf } from './adopt-run.ts'
import type { ExitFacts, RunRecord } from './contract.ts'
import { shellFailedCode } from './shim.ts'
import { readTreeUse } from './tree-use.ts'
import type { WatchedRun } from './watched-run.ts'

/** What was seen of an end besides what is written of it. */
export interface SeenEnd {
  readonly wait: WaitStatus | null
  readonly used: ChildUse | undefined
  /** Of the run, before its end was seen. */
  readonly phase: WatchedRun['phase']
  readonly otherBoot: boolean
  /** Somebody of its tree was found alive: then its command was started, whatever its record says. */
  readonly hasRun: boolean
  /** Whether the kernel has killed anybody for memory since the look before. */
  readonly sawOomKills: () => boolean | null
}

/**
 * What is known of an end, after the death of the shim was seen. Where our go was never given nothing was run, whatever is
 * written anywhere.
 */
export function readExitFacts(run: WatchedRun, end: SeenEnd): ExitFacts {
  const { fence, adopted } = run
  const record = end.phase === 'gated' ? 'never' : believe(readExitRecord(run.runDir), end)
  if (end.wait?.kind === 'code' && end.wait.code === shellFailedCode && record === null) noteShellFailure(run)
  // The shim passes its worker's end on as a shell does.
  const wait = end.wait?.kind === 'code' ? readShellCode(end.wait.code) : end.wait
  return {
    run: run.run,
    fence,
    wait: record === 'never' ? null : wait,
    record,
    delivered: wasReached(run.delivered, wait ?? record),
    otherBoot: end.otherBoot,
    adopted,
    ...readTreeUse(run, end.used),
    oomOnMachine: isKilled(wait ?? record) && run.delivered === 'no' ? end.sawOomKills() : null,
  }
}

/** Of a run that was held and turns out to have never run. */
export function neverRan({ run, fence }: RunRecord): ExitFacts {
  return { run, fence, record: 'never', delivered: false, ...nothingSeen }
}

/** Of a run that is held because nobody sees it from here, by what its shim wrote when its worker had ended. */
export function endedApart({ run, fence, stopping }: RunRecord, end: WaitStatus): ExitFacts {
  return { run, fence, record: end, delivered: wasReached(deliveredOf(stopping), end), ...nothingSeen }
}

/** Of an end that nobody saw from here: what is said of it beside run, fence, record and whether a stop was delivered. */
export const nothingSeen = {
  wait: null,
  otherBoot: false,
  adopted: true,
  oom: false,
  oomOnMachine: null,
  peakRssBytes: null,
  cpuSeconds: null,
} as const satisfies Partial<ExitFacts>

/**
 * Where it is not known whether a rung reached the worker, the end tells: who ended well had finished, since nothing that is
 * done may be repeated; any other end is that of somebody who was asked.
 */
function wasReached(delivered: WatchedRun['delivered'], end: ExitRecord | null): boolean {
  if (delivered !== 'perhaps') return delivered === 'yes'
  return end !== 'never' && !(end?.kind === 'code' && end.code === 0)
}

function isKilled(end: ExitRecord | null): boolean {
  return end !== null && end !== 'never' && end.kind === 'signal' && end.signal === 'SIGKILL'
}

/** A shim that leaves its gate exits with 0 and leaves nobody: elsewhere the word `never` was written by somebody else. */
function believe(record: ExitRecord | null, { wait, hasRun }: SeenEnd): ExitRecord | null {
  const leftTheGate = !hasRun && (wait === null || (wait.kind === 'code' && wait.code === 0))
  return record === 'never' && !leftTheGate ? null : record
}

/** The shell ends so when it cannot fork. Nothing else would ever say why, so the log does. */
function noteShellFailure({ runDir }: WatchedRun): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(composeRunFiles(runDir).log, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
    writeSync(descriptor, 'yardmaster: the system refused to start the command\n')
  } catch {
    // The directory is gone, and is not made again; the code still says that it failed.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
