import { formatRunId, type RunId } from '../kernel/index.ts'
import { hearFound } from './adopt-runs.ts'
import { byDispatcher } from './deps.ts'
import type { Loop } from './loop-state.ts'
import type { SupervisorEvents } from './supervisor/index.ts'

export interface Hearing {
  /** Tells a fault of the store instead of throwing it into a ladder or a sweep, which go on. */
  step(name: string, act: () => void): void
  wake(): void
}

/** Takes down what the supervisor sees; what it means is decided in the next wake. */
export function hearSupervisor(loop: () => Loop, { step, wake }: Hearing): SupervisorEvents {
  return {
    exited: (facts) => {
      loop().state.exits.push(facts)
      wake()
    },
    found: (run, as) => {
      step('found', () => hearFound(loop(), run, as))
      wake()
    },
    swept: (run) => {
      loop().state.swept.add(run)
      wake()
    },
    survivors: (run, pids) => {
      wake()
      step('survivors', () => hold(loop(), run, pids))
    },
    overdue: (run, kind, text) => {
      loop().state.overdue.set(run, { kind, text })
      wake()
    },
    climbing: (run, rung) => {
      const open = loop().state.open.get(run)
      if (open !== undefined) step('rung', () => loop().board.recordRung({ run, fence: open.fence, rung }))
    },
    logShortened: (run, text) => {
      step('log', () => loop().board.record({ kind: 'run.log_shortened', run, text }, byDispatcher))
    },
    logFault: (run, fault) => loop().log.warn('run.log_not_kept', { run, fault: String(fault) }),
    rung: (run, rung, { answer, reached }) => {
      loop().log.info('run.signalled', { run, rung, answer })
      const open = loop().state.open.get(run)
      if (open === undefined) return
      step('rung', () => loop().board.recordSignalled({ run, fence: open.fence, reached, text: answer }))
    },
    // One that arrived is in the answer of its rung: a sweep of thousands is not worth as many lines.
    signalled: (run, record) => {
      if (record.answer !== 'delivered' && record.answer !== 'gone') {
        loop().log.warn('run.signal_failed', { run, ...record })
      }
    },
  }
}

/** Nobody waits for an attempt whose processes cannot be ended. */
function hold({ board, state }: Loop, run: RunId, pids: readonly number[]): void {
  const open = state.open.get(run)
  if (open === undefined) return
  open.held = true
  const text = `processes of ${formatRunId(run)} are still there: ${pids.join(', ')}`
  board.record({ kind: 'run.survivors', run, text, data: { pids: [...pids] } }, byDispatcher)
}
