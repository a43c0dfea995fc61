import type { YardLimits } from '../board/index.ts'
import type { YardConfig } from '../kernel/config/index.ts'

/** The part of the configuration that admission checks, for the store. */
export function yardLimits({ slots, lanes, accounts }: YardConfig): YardLimits {
  const limitsOf = <In, Out>(named: Readonly<Record<string, In>>, take: (one: In) => Out) =>
    Object.fromEntries(Object.entries(named).map(([name, one]) => [name, take(one)]))
  return {
    slots,
    lanes: limitsOf(lanes, (lane) => ({ account: lane.account, slots: lane.slots })),
    accounts: limitsOf(accounts, (account) => ({ slots: account.slots })),
  }
}
