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
