import type { YardLimits } from '../board.ts'
import type { Work } from '../work.ts'

/** Takes over the limits of yardmaster.yaml. What waits is held or let go by them from the next claim on. */
export function applyLimits({ store }: Pick<Work, 'store'>, { slots, lanes, accounts }: YardLimits): void {
  store.writeYard({ slots })
  store.clearAccounts({})
  for (const [name, account] of Object.entries(accounts)) store.insertAccount({ name, slots: account.slots })
  store.clearLanes({})
  for (const [name, lane] of Object.entries(lanes)) store.insertLane({ name, account: lane.account, slots: lane.slots })
}

/** Whether these limits are in force already: then a short command that only reads need not write. */
export function areInForce({ store }: Pick<Work, 'store'>, { slots, lanes, accounts }: YardLimits): boolean {
  const yard = store.readYard({})
  if (yard === undefined || yard.revision === 0 || yard.slots !== slots) return false
  const known = [...store.readLanes({}), ...store.readAccounts({})]
  const wanted = [
    ...Object.entries(lanes).map(([name, lane]) => ({ name, account: lane.account, slots: lane.slots })),
    ...Object.entries(accounts).map(([name, account]) => ({ name, slots: account.slots })),
  ]
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
  return JSON.stringify(sorted(known)) === JSON.stringify(sorted(wanted))
}
