import { type Exited, isHardStop } from '../../board/index.ts'
import { isShortage } from '../../kernel/index.ts'
import { composeRunFiles, readFoldedTail } from '../../runs/index.ts'
import type { JudgedWork } from '../decided-end.ts'
import type { YardDeps } from '../deps.ts'
import { endBeforeWork } from '../end-before-work.ts'
import { hardStops } from '../judge-end.ts'
import type { OpenRun } from '../open-runs.ts'
import { sayStop, toldStatus } from '../say-end.ts'
import type { ExitFacts, WaitStatus } from '../supervisor/index.ts'
import { judgeCheck, judgePrepare, type StageVerdict } from './judge-stage.ts'
import { placeStage, sayCommand, stageSpec } from './stage-place.ts'

/** How the process of a setup or a check ended, and what that makes of the attempt: `end` where it ends with it. */
export interface DecidedStage {
  readonly kind: StageVerdict['kind']
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: string
  readonly tail: string | null
  readonly end: JudgedWork | null
}

/** Reads the log of the stage, folds its last words, and decides. Writes nothing. */
export function decideStage(
  deps: Pick<YardDeps, 'log'>,
  open: OpenRun,
  { stage, facts }: { readonly stage: 'prepare' | 'check'; readonly facts: ExitFacts },
): DecidedStage {
  const spec = stageSpec(open.plan, stage)
  const command = spec === undefined ? stage : open.redact(sayCommand(spec))
  const judged = (stage === 'check' ? judgeCheck : judgePrepare)({ ...facts, stop: open.stop, command })
  const status = facts.wait ?? (facts.record === 'never' ? null : facts.record)
  const tail = readTail(deps, open, stage)
  const seen = { ...codes(toldStatus({ stop: open.stop, delivered: facts.delivered }, status)), tail }
  if (judged.kind !== 'ended') {
    const reason = judged.kind === 'never' ? 'it was never started' : `${command}: exit code 0`
    return { ...seen, kind: judged.kind, reason, end: judged.kind === 'passed' ? passed(open, stage, command) : null }
  }
  const reason = open.redact(judged.says)
  return {
    ...seen,
    kind: 'ended',
    reason,
    end: endOf(open, { stage, facts, outcome: judged.outcome, reason, ...seen }),
  }
}

/** A check that passed makes an end of what the work came to; a setup that did lets the work begin. */
function passed({ judged }: OpenRun, stage: 'prepare' | 'check', command: string): JudgedWork | null {
  if (stage === 'prepare' || judged === null) return null
  return addReason(judged, `Its check passed (${command})`)
}

/** The same end with one more sentence for people. */
export function addReason(judged: JudgedWork, sentence: string): JudgedWork {
  const reason = `${judged.exited.reason}. ${sentence}`
  return { ...judged, exited: { ...judged.exited, reason }, end: { ...judged.end, reason } }
}

function endOf(
  open: OpenRun,
  {
    stage,
    facts,
    outcome,
    reason,
    exitCode,
    signal,
    tail,
  }: Pick<DecidedStage, 'exitCode' | 'signal' | 'tail' | 'reason'> & {
    readonly stage: 'prepare' | 'check'
    readonly facts: ExitFacts
    readonly outcome: Exited['outcome']
  },
): JudgedWork {
  const ended = { outcome, reason, exitCode, signal, stopDelivered: facts.delivered }
  return stage === 'check' ? lower(open, { ...ended, tail }) : endBeforeWork(open, { ...ended, tail })
}

interface Ended {
  readonly outcome: Exited['outcome']
  readonly reason: string
  readonly exitCode?: number | null
  readonly signal?: string | null
  readonly tail?: string | null
  readonly stopDelivered?: boolean
}

/**
 * What the work came to, made less than done by us. Its answer stays on record; where a check has spoken, its last words are what
 * the next attempt reads.
 */
export function lower(open: OpenRun, ended: Ended): JudgedWork {
  if (open.judged === null) throw new Error('no work was judged that could be lowered')
  const { exited, end, report } = open.judged
  const { outcome, reason, exitCode = exited.exitCode, signal = exited.signal } = ended
  const tail = ended.tail === undefined ? exited.outputTail : ended.tail
  const stopDelivered = exited.stopDelivered || ended.stopDelivered === true
  return {
    exited: { ...exited, outcome, reason, exitCode, signal, outputTail: tail, stopDelivered },
    end: { ...end, outcome, reason, exitCode, signal, tail, stop: open.stop },
    report,
  }
}

/** Somebody ended it between two of its stages, when no process was there that a signal could reach. */
export function stoppedBetween(open: OpenRun, before: string): JudgedWork | undefined {
  const { stop } = open
  if (stop === null) return undefined
  const outcome = isHardStop(stop.kind) ? hardStops[stop.kind] : 'interrupted'
  const ended = { outcome, reason: open.redact(`before ${before}: ${sayStop(stop)}`), stopDelivered: true }
  return open.judged === null ? endBeforeWork(open, ended) : lower(open, ended)
}

function codes(status: WaitStatus | null): Pick<DecidedStage, 'exitCode' | 'signal'> {
  return {
    exitCode: status?.kind === 'code' ? status.code : null,
    signal: status?.kind === 'signal' ? status.signal : null,
  }
}

/** A log that cannot be read must not keep an end from being decided, unless the machine is short of something for now. */
function readTail({ log }: Pick<YardDeps, 'log'>, open: OpenRun, stage: 'prepare' | 'check'): string | null {
  try {
    return readFoldedTail(composeRunFiles(placeStage(open, stage).dir).log, open.redact) || null
  } catch (fault) {
    if (isShortage((fault as NodeJS.ErrnoException).code)) throw fault
    log.error('run.files_not_read', { run: open.id, fault: String(fault) })
    return null
  }
}
