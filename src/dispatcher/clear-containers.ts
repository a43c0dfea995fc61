import { type Run, stageKinds } from '../board/index.ts'
import { parseId, type RunId, runId } from '../kernel/index.ts'
import { byDispatcher } from './deps.ts'
import type { Loop } from './loop-state.ts'
import { parseRunPlan } from './run-plan.ts'
import { markStage } from './stages/stage-place.ts'
import { findEngines, type LabelledContainer, listLabelled, removeContainer } from './supervisor/index.ts'

export interface ClearOptions {
  readonly signal: AbortSignal
  /** Tasks of attempts that were found gone may move now. */
  readonly done: () => void
  readonly fault: (fault: unknown) => void
}

/**
 * Removes containers that carry the label of a run of this yard that is over: they are no processes of ours, so no sweep
 * ends them, and one that was left by a worker that was killed would work on beside the next attempt. Looked for once, at
 * the start. Without the label, of another yard, of a run that lives or may live, or of one that keeps what it leaves: let
 * alone.
 */
export function clearContainers(loop: Loop, { signal, done, fault }: ClearOptions): void {
  const over = () => {
    loop.state.clearing.clear()
    done()
  }
  if (mayHaveContainers(loop)) void clear(loop, signal).catch(fault).finally(over)
  else over()
}

/** Side by side: an engine that is slow to remove one must not keep tasks waiting for each of them in turn. */
async function clear(loop: Loop, signal: AbortSignal): Promise<void> {
  await Promise.all(
    findEngines({ env: loop.env }).map(async (engine) => {
      const found = await listLabelled(engine)
      if (found === undefined) loop.log.info('containers.not_asked', { engine: engine.name })
      await Promise.all((found ?? []).map((container) => clearOne(loop, container, { engine: engine.name, signal })))
    }),
  )
}

async function clearOne(
  loop: Loop,
  container: LabelledContainer,
  { engine, signal }: { readonly engine: string; readonly signal: AbortSignal },
): Promise<void> {
  const { board, log } = loop
  const run = findOwner(loop, container)
  if (run === undefined || signal.aborted) return
  if (!(await removeContainer(container))) {
    log.warn('container.not_removed', { engine, container: container.id, run: run.id })
    return
  }
  const text = `a container that attempt ${run.attempt} had left was removed (${engine} ${container.id.slice(0, 12)})`
  board.record({ kind: 'run.cleared', run: run.id, text, data: { container: container.id } }, byDispatcher)
}

/** Whether there may be any: not at the first start of a home, and not without an engine. */
function mayHaveContainers({ board, env }: Pick<Loop, 'board' | 'env'>): boolean {
  return board.hubStarts({ sinceMs: 0 }).length > 1 && findEngines({ env }).length > 0
}

/** The run of ours that is over and has left it. */
function findOwner(loop: Loop, { markers }: LabelledContainer): Run | undefined {
  for (const marker of markers) {
    const id = runOf(marker)
    const run = id === undefined ? undefined : loop.board.readRun(id)
    const isOfRun = run !== undefined && stageKinds.some((stage) => markStage(run, stage) === marker)
    if (isOfRun && isOver(loop, run)) return run
  }
  return undefined
}

function runOf(marker: string): RunId | undefined {
  const number = parseId('R', /^yard:(R\d+):/.exec(marker)?.[1] ?? '')
  return number === undefined ? undefined : runId(number)
}

function isOver({ board, supervisor }: Loop, run: Run): boolean {
  // Let go by a person although it may live, or started where this machine cannot look.
  if (run.releasedBy !== null || board.hostElsewhere(run) !== null) return false
  if (parseRunPlan(run.settings).keeps) return false
  return run.phase === 'settled' || run.phase === 'exited' || supervisor.standing(run.id) === 'ended'
}
