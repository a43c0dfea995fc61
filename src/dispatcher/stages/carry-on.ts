import { assertNever } from '../../kernel/index.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { recordUnstarted } from '../record-unstarted.ts'
import { noteUnstarted } from '../start-runs.ts'
import { lower, stoppedBetween } from './decide-stage.ts'
import { recordEnd } from './end-between.ts'
import { launchStage } from './launch-stage.ts'
import { putBackWork } from './put-back-work.ts'
import { recordWork } from './record-work.ts'
import { goOnToWork } from './start-beside.ts'

/**
 * Takes each attempt whose last tree is gone one step further, as far as something is due:
 *
 *     prepare ─▶ start_work ─▶ (work) ─▶ record ─▶ check ─▶ (check) ─▶ put_back ─▶ its task moves
 *
 * What takes time is done beside the loop and looks here again when it is over. A hub that is started anew finds the same step due
 * (`dueOf`), so each may be taken twice and changes nothing the second time.
 */
export function carryOn(loop: Loop): void {
  const { state } = loop
  for (const run of state.swept) {
    const open = state.open.get(run)
    if (open === undefined) state.swept.delete(run) // it is over, by another way
    if (open === undefined || open.due === 'nothing' || open.isBusy || state.clearing.has(run)) continue
    if (state.unmasked.has(run)) continue // what it says cannot be masked yet
    take(loop, open)
  }
}

function take(loop: Loop, open: OpenRun): void {
  const { steps } = loop
  switch (open.due) {
    case 'nothing':
      break
    case 'prepare':
      prepareAgain(loop, open)
      break
    case 'start_work':
      if (!endIfStopped(loop, open, 'its work began')) {
        steps.begin(open, 'start_work', (signal) => goOnToWork(loop, open, signal))
      }
      break
    case 'record':
      steps.begin(open, 'record', (signal) => recordWork(loop, open, signal))
      break
    case 'check':
      startCheck(loop, open)
      break
    case 'put_back':
      steps.begin(open, 'put_back', (signal) => putBackWork(loop, open, signal))
      break
    default:
      assertNever(open.due)
  }
}

function prepareAgain(loop: Loop, open: OpenRun): void {
  if (endIfStopped(loop, open, 'its setup')) return
  loop.state.swept.delete(open.id)
  const fault = launchStage(loop, open, 'prepare')
  if (fault === undefined) return
  noteUnstarted(loop, open, fault)
  recordUnstarted(loop)
}

/** Who cannot be checked is not done; what the machine is short of for a while is waited for. */
function startCheck(loop: Loop, open: OpenRun): void {
  if (endIfStopped(loop, open, 'its check')) return
  open.held = false
  loop.state.swept.delete(open.id)
  const fault = launchStage(loop, open, 'check')
  if (fault === undefined) return
  loop.state.swept.add(open.id)
  if (fault.fault === 'short') {
    loop.steps.begin(open, 'check', async () => {
      throw new Error(fault.says) // taken again a little later
    })
    return
  }
  const reason = open.redact(`its check could not be started: ${fault.says}`)
  recordEnd(loop, open, lower(open, { outcome: 'check_error', reason, exitCode: null, signal: null }))
}

function endIfStopped(loop: Loop, open: OpenRun, before: string): boolean {
  const stopped = stoppedBetween(open, before)
  if (stopped === undefined) return false
  recordEnd(loop, open, stopped)
  return true
}
