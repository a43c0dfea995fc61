import { createHash } from 'node:crypto'
import { builtInStageMs, type StageKind, type StageSpec } from '../../board/index.ts'
import type { RunId } from '../../kernel/index.ts'
import { formatMarker } from '../../kernel/process/index.ts'
import { composeStageDirectory } from '../../runs/index.ts'
import { limitsOf, type RunPlan } from '../run-plan.ts'
import type { RunLimits } from '../supervisor/index.ts'

/** What tells the processes of one stage from those of another. */
export interface StagePlace {
  /** Where its log and exit record lie. */
  readonly dir: string
  readonly marker: string
  readonly limits: RunLimits
}

/** Where a stage of an attempt runs, by what its processes are known, and how long it may take. */
export function placeStage(
  run: { readonly id: RunId; readonly nonce: string; readonly runDir: string; readonly plan: RunPlan },
  stage: StageKind,
): StagePlace {
  return {
    dir: composeStageDirectory(run.runDir, stage),
    marker: markStage(run, stage),
    limits: limitsOfStage(run.plan, stage),
  }
}

/**
 * Each stage has a marker of its own: what the work keeps (`keeps: true`) must not be taken for something that its check left,
 * and the other way round. Made of the nonce of the run, so that a hub that was started anew makes the same one.
 */
export function markStage({ id, nonce }: { readonly id: RunId; readonly nonce: string }, stage: StageKind): string {
  if (stage === 'work') return formatMarker(id, nonce)
  const ofStage = createHash('sha256').update(`${nonce} ${stage}`).digest('hex')
  return formatMarker(id, ofStage.slice(0, nonce.length))
}

/** Nothing that a setup or a check leaves may live on, and neither is judged by its silence. */
function limitsOfStage(plan: RunPlan, stage: StageKind): RunLimits {
  const limits = limitsOf(plan)
  if (stage === 'work') return limits
  const timeoutMs = stageSpec(plan, stage)?.timeoutMs ?? builtInStageMs
  return { ...limits, timeoutMs, stallMs: 'off', keeps: false, logBy: 'worker' }
}

/** What a stage beside the work is to run; undefined where the attempt has none. */
export function stageSpec({ check, worktree }: RunPlan, stage: 'prepare' | 'check'): StageSpec | undefined {
  return (stage === 'check' ? check : worktree?.setup) ?? undefined
}

/** In one line for people: `npm test`. */
export function sayCommand({ run }: StageSpec): string {
  return (typeof run === 'string' ? run : run.join(' ')).replaceAll(/\s+/g, ' ').trim()
}
