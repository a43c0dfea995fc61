import type { Run, StopReason, Task, TerminalCall } from '../board/index.ts'
import { type BatchId, createRedactor, type Redactor, type RunId, type TaskId } from '../kernel/index.ts'
import { formatMarker } from '../kernel/process/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import type { RecordedEnd } from './plan-next.ts'
import { parseRunPlan, type RunPlan } from './run-plan.ts'

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
  readonly marker: string
  readonly probe: boolean
  phase: 'claimed' | 'started' | 'exited'
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
  /** Fires when it has exited: ends what waits for it. */
  readonly over: AbortController
}

export function buildOpenRun({ home }: { readonly home: string }, run: Run, task: Pick<Task, 'batch'>): OpenRun {
  return {
    id: run.id,
    task: run.task,
    batch: task.batch,
    fence: run.fence,
    plan: parseRunPlan(run.settings),
    runDir: composeRunDirectory(home, run.id),
    marker: formatMarker(run.id, run.nonce),
    probe: run.probe,
    phase: run.phase === 'settled' ? 'exited' : run.phase,
    startedAtMs: run.startedAtMs ?? run.claimedAtMs,
    stop: run.stop,
    call: run.call,
    end: null,
    held: false,
    elsewhere: false,
    redact: createRedactor([]),
    over: new AbortController(),
  }
}
