import type { Run, StageKind, StopReason, Task, TerminalCall } from '../board/index.ts'
import { type BatchId, createRedactor, type Redactor, type RunId, type TaskId } from '../kernel/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import type { JudgedWork } from './decided-end.ts'
import type { RecordedEnd } from './plan-next.ts'
import { parseRunPlan, type RunPlan } from './run-plan.ts'
import { markStage } from './stages/stage-place.ts'

/**
 * An attempt that is not settled, as the loop carries it. The board holds the truth; this is what is asked for at each
 * event of its process, and is made anew from the board after a restart.
 */
export interface OpenRun {
  readonly id: RunId
  readonly task: TaskId
  readonly batch: BatchId | null
  readonly fence: number
  readonly plan: RunPlan
  readonly runDir: string
  readonly nonce: string
  /** Of its work; see `placeStage` for the other stages. */
  readonly marker: string
  readonly probe: boolean
  phase: 'claimed' | 'started' | 'exited'
  /** Whose process runs, or ran last. */
  stage: StageKind
  /** The process of that stage has ended and the attempt goes on when its tree is gone (see `stages/carry-on.ts`). */
  isBetween: boolean
  /** What its work came to, while that is not yet its end. */
  judged: JudgedWork | null
  /** What is still to be done when its tree is gone, before the next stage or before its task moves. */
  due: DueStep
  /** Its directory is made. */
  hasDirectory: boolean
  /** How often what it left could not be put on record for want of room. */
  shortTries: number
  /** That is being done. */
  isBusy: boolean
  /** It could not be done for now, for want of room say, and is tried again and again: a hub that leaves does not wait for it. */
  isPutOff: boolean
  /** Wall-clock time of its start; of its claim until then. */
  startedAtMs: number
  stop: Pick<StopReason, 'kind' | 'by' | 'text'> | null
  /** What it said of its own end, from the moment at which that is committed. */
  call: TerminalCall | null
  /** Set when its outcome is decided: what the next step is planned from. */
  end: RecordedEnd | null
  /** Its tree could not be ended yet, or it cannot be told whether it lives: nobody waits for it. */
  held: boolean
  /** Another machine has started it: held whatever is asked for, and none of its processes is looked for here. */
  elsewhere: boolean
  /** Takes the secrets that it was given out of everything it says. */
  redact: Redactor
  /** Fires when somebody stops it before anything of it runs: ends the making of its workspace. */
  readonly halt: AbortController
  /** Fires when it has exited: ends what waits for it. */
  readonly over: AbortController
}

/**
 * prepare: its setup has to be started again. start_work: the workspace is ready. record: what it left in its worktree and its artifacts. check: the work is recorded, its check
 * decides. put_back: a check or a reviewer may have left something in the worktree.
 */
export type DueStep = 'nothing' | 'prepare' | 'start_work' | 'record' | 'check' | 'put_back'

export function buildOpenRun({ home }: { readonly home: string }, run: Run, task: Pick<Task, 'batch'>): OpenRun {
  return {
    id: run.id,
    task: run.task,
    batch: task.batch,
    fence: run.fence,
    plan: parseRunPlan(run.settings),
    runDir: composeRunDirectory(home, run.id),
    nonce: run.nonce,
    marker: markStage(run, 'work'),
    probe: run.probe,
    phase: run.phase === 'settled' ? 'exited' : run.phase,
    stage: run.stage,
    isBetween: run.stageOver && run.phase === 'started',
    judged: null,
    due: 'nothing',
    hasDirectory: run.phase !== 'claimed',
    shortTries: 0,
    isBusy: false,
    isPutOff: false,
    startedAtMs: run.startedAtMs ?? run.claimedAtMs,
    stop: run.stop,
    call: run.call,
    end: null,
    held: false,
    elsewhere: false,
    redact: createRedactor([]),
    halt: new AbortController(),
    over: new AbortController(),
  }
}
