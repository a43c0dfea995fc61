import type { Exited, Settled } from '../board/index.ts'
import { isShortage } from '../kernel/index.ts'
import type { YardDeps } from './deps.ts'
import { type EndBeforeWork, endBeforeWork } from './end-before-work.ts'
import type { OpenRun } from './open-runs.ts'
import { planNext } from './plan-next.ts'
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
  return planWithoutProcess(deps, open, { outcome: 'interrupted', reason })
}

function planWithoutProcess(
  { board, random, retryWaits, clock }: Deps,
  open: OpenRun,
  ended: EndBeforeWork,
): { readonly exited: Exited; readonly settled: Settled } {
  const { id: run, task, fence, plan } = open
  const { exited, end } = endBeforeWork(open, ended)
  const tally = tallyOf(board.tally(task), plan)
  const next = planNext(
    { random },
    { end, tally, settings: plan, account: null, waits: retryWaits, nowMs: clock.nowMs() },
  )
  return { exited, settled: { run, fence, ...next } }
}
