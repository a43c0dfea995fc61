import type { Fingerprint, ProcessStat } from '../../kernel/process/index.ts'

/** What makes a process a member of a run's tree. */
export interface TreeRoot {
  /** The shim: its pid is the number of session and group. */
  readonly shim: Pick<Fingerprint, 'pid' | 'startTicks'>
  readonly sidOursUntilTicks: number | null
  readonly seenOutside: ReadonlyMap<number, Pick<Fingerprint, 'startTicks'>>
  /** Pids in the run's control group; empty where it has none. */
  readonly inCgroup: ReadonlySet<number>
  /**
   * Whether a process carries the run's marker; asked only where nothing else decides. by_another: it runs as another user.
   * Root may read the environment of anybody, and whoever knows a marker may write it into his own.
   */
  readonly markOf: (stat: ProcessStat) => 'marked' | 'by_another' | 'none'
}

export interface FoundTree {
  /** In the shim's session, the shim included. */
  readonly inside: readonly ProcessStat[]
  /** Left the session, but in the control group, marked, seen before, or a descendant of a member. */
  readonly outside: readonly ProcessStat[]
  /** It may be of the run, but nothing proves it: in a session of that number, or marked by another user. Neither signalled nor let go. */
  readonly doubtful: readonly ProcessStat[]
}

/**
 * The tree of a run in a table of all processes (design section 6, "Tree"). The session stands for the group: a group of
 * the shim's number can only exist in it, and shells with job control make more groups there. Pure.
 */
export function findTree(table: ReadonlyMap<number, ProcessStat>, root: TreeRoot): FoundTree {
  const leader = table.get(root.shim.pid)
  const isTaken = leader !== undefined && leader.startTicks !== root.shim.startTicks
  const oursUntilTicks = leader === undefined ? root.sidOursUntilTicks : Number.POSITIVE_INFINITY
  const isInside = ({ sid }: ProcessStat) => sid === root.shim.pid && !isTaken
  const isProven = (stat: ProcessStat) =>
    (isInside(stat) && oursUntilTicks !== null && stat.startTicks <= oursUntilTicks) ||
    root.inCgroup.has(stat.pid) ||
    root.seenOutside.get(stat.pid)?.startTicks === stat.startTicks ||
    root.markOf(stat) === 'marked'

  const proven: ProcessStat[] = []
  const rest: ProcessStat[] = []
  for (const stat of table.values()) {
    if (stat.startTicks < root.shim.startTicks) continue // older than the shim: nobody of ours
    ;(isProven(stat) ? proven : rest).push(stat)
  }
  const members = withDescendants(proven, rest)
  return {
    inside: members.filter(isInside),
    outside: members.filter((stat) => !isInside(stat)),
    doubtful: rest.filter((stat) => !members.includes(stat) && (isInside(stat) || root.markOf(stat) === 'by_another')),
  }
}

/** A child of a member is a member. Round by round, as a child may come before its parent in the table. */
function withDescendants(proven: readonly ProcessStat[], rest: readonly ProcessStat[]): readonly ProcessStat[] {
  const members = [...proven]
  let left = rest
  for (let young = proven; young.length > 0; ) {
    const parents = new Set(young.map(({ pid }) => pid))
    young = left.filter(({ parent }) => parents.has(parent))
    left = left.filter(({ parent }) => !parents.has(parent))
    members.push(...young)
  }
  return members
}
