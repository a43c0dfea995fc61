import type { Exited, Settled } from '../board/index.ts'
import { isShortage } from '../kernel/index.ts'
import type { YardDeps } from './deps.ts'
import type { OpenRun } from './open-runs.ts'
import { planNext, type RecordedEnd } from './plan-next.ts'
import { tallyOf } from './review/plan-review-next.ts'

type Deps = Pick<YardDeps, 'board' | 'random' | 'retryWaits' | 'clock'>

/** Why a claimed attempt could not be started. */
export interface LaunchFault {
  readonly says: string
  /**
   * lane: its secret or command is missing. task: only a person can mend it. machine: something of the system is not as
   * it should be. short: the machine is out of something that others give back.
   */
  readonly fault: 'task' | 'lane' | 'machine' | 'short'
}

/** Whose a start is that the system refused with this errno name. */
export function faultOfRefusal(code: string | undefined): LaunchFault['fault'] {
  if (code === 'E2BIG') return 'task'
  return isShortage(code) ? 'short' : 'machine'
}

/** The two records of an attempt that never started: its outcome, and where its task goes. */
export function planUnstarted(
  deps: Deps,
  open: OpenRun,
  { says, fault }: LaunchFault,
): { readonly exited: Exited; readonly settled: Settled } {
  return planWithoutProcess(deps, open, {
    outcome: 'launch_failed',
    reason: says,
    launchFault: fault === 'task' || fault === 'short' ? fault : 'other',
  })
}

/** A claim that is given back: its command was never started. */
export function planGivenBack(deps: Deps, open: OpenRun): { readonly exited: Exited; readonly settled: Settled } {
  const reason = 'it was taken, but its command was never started'
  return planWithoutProcess(deps, open, { outcome: 'interrupted', reason, launchFault: null })
}

function planWithoutProcess(
  { board, random, retryWaits, clock }: Deps,
  { id, task, fence, plan, stop }: OpenRun,
  ended: { outcome: 'launch_failed' | 'interrupted'; reason: string; launchFault: RecordedEnd['launchFault'] },
): { readonly exited: Exited; readonly settled: Settled } {
  const { outcome, reason, launchFault } = ended
  const nothing = { exitCode: null, signal: null, outputTail: null, result: null, data: null, usage: null }
  const end = {
    run: id,
    outcome,
    exitCode: null,
    signal: null,
    reason,
    tail: null,
    started: false,
    launchFault,
    stop,
    call: null,
  }
  const next = planNext(
    { random },
    {
      end: { ...end, report: null },
      tally: tallyOf(board.tally(task), plan),
      settings: plan,
      account: null,
      waits: retryWaits,
      nowMs: clock.nowMs(),
    },
  )
  return {
    exited: { run: id, fence, outcome, reason, stopDelivered: false, ...nothing },
    settled: { run: id, fence, ...next },
  }
}
