import { boardError } from '../errors.ts'
import type { Hold } from '../hold.ts'
import { dispatcher, type Work } from '../work.ts'
import { checkLane, checkName } from './check-new-task.ts'
import { openGate } from './gates.ts'

/** Nothing new of that scope starts until it is lifted. Setting it again keeps who set it first, the hub itself excepted. */
export function setHold(work: Work, hold: Omit<Hold, 'sinceMs' | 'by'>): void {
  const name = checkScope(work, hold)
  const { scope, kind, text } = hold
  const { by, nowMs } = work
  if (work.store.setHold({ scope, name, kind, text, by, hub: dispatcher.by, nowMs }) === 0) return
  const says = `${work.by} ${kind === 'pause' ? 'paused' : 'drains'} ${sayScope(scope, name)}`
  work.tell({ kind: 'hold.set', text: says, data: { scope, name: hold.name, hold: kind } })
}

/**
 * Lifts pause and drain of a scope; an account is also tried at once. Answers how many it lifted. The hub lifts only
 * what it has set itself: a person's pause is a person's to end.
 */
export function liftHold(work: Work, scope: Hold['scope'], name: string | null): number {
  if (scope !== 'all' && name === null) throw boardError('BOARD_HOLD_UNNAMED', { scope })
  const key = scope === 'all' ? '' : (name ?? '')
  const setBy = work.by === dispatcher.by ? work.by : null
  const lifted = work.store.liftHolds({ scope, name: key, setBy })
  if (lifted > 0) {
    work.tell({ kind: 'hold.lifted', text: `${work.by} resumed ${sayScope(scope, key)}`, data: { scope, name } })
  }
  const opened = scope === 'account' && openGate(work, key, `resumed by ${work.by}`)
  return lifted + (opened ? 1 : 0)
}

const sayScope = (scope: Hold['scope'], name: string): string => (scope === 'all' ? 'everything' : `${scope} ${name}`)

/** A hold on something that does not exist would hold nothing without a word. */
function checkScope(work: Work, { scope, name }: Pick<Hold, 'scope' | 'name'>): string {
  if (scope === 'all') return ''
  if (name === null) throw boardError('BOARD_HOLD_UNNAMED', { scope })
  checkName(scope, name)
  if (scope === 'lane') checkLane(work, name)
  if (scope === 'account' && work.store.readYard({})?.revision !== 0) {
    const accounts = work.store.readAccounts({}).map((known) => known.name)
    if (!accounts.includes(name)) throw boardError('BOARD_UNKNOWN_ACCOUNT', { account: name, known: accounts })
  }
  return name
}
