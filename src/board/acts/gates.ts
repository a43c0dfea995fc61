import type { RunId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { Work } from '../work.ts'

/** Holds an account until a time; one that is held already gets the new time. */
export function closeGate(
  work: Work,
  closing: {
    readonly account: string
    readonly untilMs: number
    readonly reason: string
    readonly byRun: RunId
    readonly doublings: number
  },
): void {
  const { account, untilMs, reason, byRun } = closing
  if (isOldNews(work, account, byRun)) return
  work.store.closeGate({ ...closing, nowMs: work.nowMs })
  tellClosed(work, byRun, `account ${account} is held: ${reason}`, { account, untilMs })
}

/** Holds an account until a person resumes it. */
export function parkGate(
  work: Work,
  { account, reason, byRun }: { readonly account: string; readonly reason: string; readonly byRun: RunId },
): void {
  if (isOldNews(work, account, byRun)) return
  work.store.parkGate({ account, parkedBy: work.by, reason, byRun, nowMs: work.nowMs })
  tellClosed(work, byRun, `account ${account} is held until a person resumes it: ${reason}`, { account, untilMs: null })
}

/** Lets an account's tasks start again; false when it was not held. */
export function openGate(work: Work, account: string, reason: string): boolean {
  if (work.store.openGate({ account, nowMs: work.nowMs }) === 0) return false
  work.tell({ kind: 'account.opened', text: `account ${account} is open again: ${reason}`, data: { account } })
  return true
}

/** A run that started before the account was last opened says nothing about it as it is now (design section 8). */
function isOldNews({ store, nowMs }: Work, account: string, byRun: RunId): boolean {
  const openedAtMs = store.readGate(account)?.openedAtMs ?? null
  const run = store.readRun(byRun)
  if (run === undefined) throw boardError('BOARD_NO_RUN', { run: byRun })
  // An opening that lies ahead was before the clock was set back: it says nothing about what was started since.
  return openedAtMs !== null && openedAtMs <= nowMs && (run.startedAtMs ?? run.claimedAtMs) < openedAtMs
}

function tellClosed(work: Work, run: RunId, text: string, data: Readonly<Record<string, unknown>>): void {
  const task = work.store.readRun(run)?.task
  const of = task === undefined ? undefined : work.store.readTask(task)
  const where = of === undefined ? {} : { task: of.id, board: of.board, batch: of.batch }
  work.tell({ kind: 'account.closed', run, ...where, text, data })
}
