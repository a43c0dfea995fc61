import type { RunId } from '../../kernel/index.ts'
import type { Claim, StageOver, Started } from '../run-steps.ts'
import { formatRunToken, makeTokenSecret } from '../run-token.ts'
import type { StageKind } from '../stage.ts'
import { publicTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { type RunAndTask, runAndTask, tellOfRun } from './tell-of-run.ts'

// The processes of a run, one after the other. Everything is compare-and-set on the run's fence, phase and stage.

/** Answers the runs whose process is on record and that nobody has asked to stop: those may go. */
export function recordStarted(work: Work, started: readonly Started[]): ReadonlySet<RunId> {
  const may = new Set<RunId>()
  for (const start of started) {
    const stage = start.stage ?? 'work'
    if (!startProcess(work, start, stage)) continue
    may.add(start.run)
    tellStart(work, runAndTask(work, start.run), stage, start.command ?? '')
  }
  return may
}

function startProcess(
  work: Work,
  { run, fence, pid, fingerprint, startedMonotonic, command }: Started,
  stage: StageKind,
) {
  const { store, nowMs } = work
  const identity = { run, fence, stage, pid, fingerprint, startedMonotonic }
  const starts = store.startRun({ ...identity, nowMs }) === 1 || store.startStage(identity) === 1
  if (starts && stage !== 'work') store.insertStage({ run, kind: stage, command: command ?? '', nowMs })
  return starts
}

function tellStart(work: Work, of: RunAndTask, stage: StageKind, command: string): void {
  const attempt = `attempt ${of.run.attempt}`
  if (stage === 'work') {
    tellOfRun(work, of, 'run.started', `${attempt} runs`)
    return
  }
  const says = stage === 'prepare' ? `${attempt} is being prepared` : `${attempt}: its check runs`
  tellOfRun(work, of, 'run.stage', command === '' ? says : `${says}: ${command}`, { stage, state: 'began' })
}

/** The trees of these processes are gone and their runs go on. Answers those that were in that stage. */
export function recordStageOver(work: Work, ends: readonly StageOver[]): ReadonlySet<RunId> {
  const over = new Set<RunId>()
  for (const { run, fence, stage, judged, ...how } of ends) {
    if (work.store.endStage({ run, fence, stage, judged }) === 0) continue
    over.add(run)
    if (stage === 'work') continue
    work.store.closeStage({ run, ...how, nowMs: work.nowMs })
    const of = runAndTask(work, run)
    const { exitCode, signal } = how
    const text = `attempt ${of.run.attempt}${sayEnd(stage, how)}`
    tellOfRun(work, of, 'run.stage', text, { stage, state: 'ended', exitCode, signal })
  }
  return over
}

function sayEnd(stage: 'prepare' | 'check', { exitCode, reason }: Pick<StageOver, 'exitCode' | 'reason'>): string {
  if (exitCode === 0) return stage === 'prepare' ? ' is prepared' : ': its check passed'
  return stage === 'prepare' ? ` could not be prepared: ${reason}` : `: its check did not pass: ${reason}`
}

/**
 * What a claim gave, for a hub that goes on with a run of the one before: with a new token, the old one opens nothing.
 * Undefined when its work has begun or it is over.
 */
export function claimOf(work: Work, id: RunId): Claim | undefined {
  const secret = makeTokenSecret(work.random)
  if (work.store.renewToken({ run: id, tokenHash: secret.hash }) === 0) return undefined
  const { run, task } = runAndTask(work, id)
  const spec = work.store.readSpec(task.id)
  if (spec === undefined) throw new Error(`the card of run ${id} has no texts`)
  const defaults = task.batch === null ? null : (work.store.readBatch(task.batch)?.batch.defaults ?? null)
  return { task: publicTask(task), run, spec, defaults, token: formatRunToken(id, secret) }
}
