import type { JudgedWork } from './decided-end.ts'
import type { YardDeps } from './deps.ts'
import { type DecidedEnd, decideEnd } from './end-runs.ts'
import type { DueStep, OpenRun } from './open-runs.ts'
import { decideStage } from './stages/decide-stage.ts'
import type { OverStage } from './stages/stage-over.ts'
import type { ExitFacts } from './supervisor/index.ts'
import { toReview } from './to-review.ts'

/** end: so the attempt ended, and `due` is done before its task moves. over: only a stage of it has. */
export type Decision = { readonly kind: 'end'; readonly decided: DecidedEnd; readonly due: DueStep } | OverStage

/** Decides what the end of a process means for its attempt, by the stage that it was. Reads files, writes nothing. */
export function decideExit(deps: Pick<YardDeps, 'log'>, open: OpenRun, facts: ExitFacts): Decision {
  return open.stage === 'work' ? decideWork(deps, open, facts) : decideBeside(deps, open, open.stage, facts)
}

function decideWork(deps: Pick<YardDeps, 'log'>, open: OpenRun, facts: ExitFacts): Decision {
  const decided = decideEnd(deps, open, facts)
  const { exited, report } = decided
  const due = dueAfterWork(open, decided, facts)
  const isDone = exited.outcome === 'done' || exited.outcome === 'review'
  const mayBeLowered = isDone && open.plan.reviewOf === null && (due === 'record' || open.plan.check !== null)
  if (!mayBeLowered) return { kind: 'end', decided: { ...toReview(open, decided), open }, due }
  const { exitCode, signal, reason, outputTail: tail } = exited
  const judged: JudgedWork = { exited, end: decided.end, report }
  const next = due === 'record' ? 'record' : 'check'
  return { kind: 'over', open, stage: 'work', exitCode, signal, reason, tail, judged, due: next }
}

/** Whatever the outcome: what it left in its worktree is kept, and what it named as its artifacts. */
function dueAfterWork({ plan }: OpenRun, { report }: JudgedWork, { record }: ExitFacts): DueStep {
  if (record === 'never') return 'nothing'
  if (plan.reviewOf !== null) return plan.worktree === null ? 'nothing' : 'put_back'
  const hasArtifacts = (report?.artifacts ?? []).length > 0
  return plan.worktree === null && !hasArtifacts ? 'nothing' : 'record'
}

function decideBeside(
  deps: Pick<YardDeps, 'log'>,
  open: OpenRun,
  stage: 'prepare' | 'check',
  facts: ExitFacts,
): Decision {
  const { kind, exitCode, signal, reason, tail, end } = decideStage(deps, open, { stage, facts })
  const due = stage === 'check' && open.plan.worktree !== null ? 'put_back' : 'nothing'
  if (end !== null) {
    const { peakRssBytes, cpuSeconds } = facts
    const ofStage = { exitCode, signal, reason, outputTail: tail }
    const used = addUse({ ...end, exited: { ...end.exited, stage: ofStage } }, { peakRssBytes, cpuSeconds })
    return { kind: 'end', decided: { ...toReview(open, used), open }, due }
  }
  const again = stage === 'check' ? 'check' : kind === 'never' ? 'prepare' : 'start_work'
  return { kind: 'over', open, stage, exitCode, signal, reason, tail, judged: open.judged, due: again }
}

/** Of all its stages: the largest at any time, and all CPU seconds. */
function addUse(
  judged: JudgedWork,
  { peakRssBytes, cpuSeconds }: Pick<ExitFacts, 'peakRssBytes' | 'cpuSeconds'>,
): JudgedWork {
  const { exited } = judged
  return {
    ...judged,
    exited: {
      ...exited,
      peakRssBytes: known(exited.peakRssBytes, peakRssBytes, Math.max),
      cpuSeconds: known(exited.cpuSeconds, cpuSeconds, (a, b) => a + b),
    },
  }
}

function known(a: number | null | undefined, b: number | null, both: (a: number, b: number) => number): number | null {
  if (a == null || b === null) return a ?? b
  return both(a, b)
}
