import type { Exited } from '../board/index.ts'
import type { JudgedWork } from './decided-end.ts'
import type { OpenRun } from './open-runs.ts'
import type { RecordedEnd } from './plan-next.ts'

export interface EndBeforeWork {
  readonly outcome: Exited['outcome']
  readonly reason: string
  /** Whose a failed launch is; absent: the lane's or the machine's, where it is one. */
  readonly launchFault?: RecordedEnd['launchFault']
  /** Of a setup that ran. */
  readonly exitCode?: number | null
  readonly signal?: string | null
  readonly tail?: string | null
  readonly stopDelivered?: boolean
}

/** How an attempt ended of whose task nothing has run: it was given back, could not be launched, or its setup did not end well. */
export function endBeforeWork({ id, fence, stop }: OpenRun, ended: EndBeforeWork): JudgedWork {
  const { outcome, reason, exitCode = null, signal = null, tail = null, stopDelivered = false } = ended
  const { launchFault = outcome === 'launch_failed' ? 'other' : null } = ended
  const nothing = { result: null, data: null, usage: null }
  const codes = { outcome, exitCode, signal, reason }
  return {
    exited: { run: id, fence, ...codes, outputTail: tail, stopDelivered, ...nothing },
    end: { run: id, ...codes, tail, started: false, launchFault, stop, call: null, report: null },
    report: null,
  }
}
