/**
 * Commits all in one go; where that fails, one by one, so that one that cannot be put on record keeps nobody else from
 * it. What was not committed is the caller's to keep for the next time. Answers the first fault, undefined when all went.
 */
export function commitTogether<Item>(all: readonly Item[], commit: (some: readonly Item[]) => void): unknown {
  try {
    commit(all)
    return undefined
  } catch (fault) {
    if (all.length < 2) return fault
    const faults = all.flatMap((item) => commitTogether([item], commit) ?? [])
    return faults[0]
  }
}
