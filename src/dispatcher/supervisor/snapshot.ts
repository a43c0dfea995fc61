import {
  isOfThisUser,
  readCgroupMembers,
  readMarkers,
  readProcessTable,
  watchBirths,
} from '../../kernel/process/index.ts'
import { type FoundTree, findTree } from './find-tree.ts'
import type { WatchedRun } from './watched-run.ts'

/** All processes at one moment, and whose tree they belong to. Environments are read once each, and only when asked for. */
export interface Snapshot {
  findTree(run: WatchedRun, markers: 'read' | 'skip'): FoundTree
}

/** Undefined when not all processes could be looked at: nothing may be concluded then. */
export type TakeSnapshot = () => Snapshot | undefined

/**
 * One look serves all who ask in one go: 200 runs stopped in one turn of the loop are one walk over /proc. It never
 * outlives that turn, so nobody is judged by what was true before it was asked. And it is only ever a reason to look at
 * a process again: each is verified when it is signalled.
 */
export function createSnapshots({ running }: { readonly running: () => readonly WatchedRun[] }): TakeSnapshot {
  let taken: { readonly snapshot: Snapshot | undefined } | undefined
  return () => {
    if (taken === undefined) {
      taken = { snapshot: takeSnapshot(running()) }
      queueMicrotask(() => {
        taken = undefined
      })
    }
    return taken.snapshot
  }
}

function takeSnapshot(running: readonly WatchedRun[]): Snapshot | undefined {
  const births = watchBirths()
  const all = readProcessTable()
  if (all === undefined) return undefined
  const table = new Map(all)
  const markers = new Map<number, readonly string[]>()
  // A worker may start the hub anew. It cannot end itself, nor wait until it is gone; and what it starts is not of that run.
  table.delete(process.pid)
  const markersOf = (pid: number) => {
    const known = markers.get(pid) ?? readMarkers(pid)
    markers.set(pid, known)
    return known
  }
  const markOf = (pid: number, marker: string) => {
    if (!markersOf(pid).includes(marker)) return 'none'
    return isOfThisUser(pid) ? 'marked' : 'by_another'
  }
  // Whoever is in the session of a shim that lives is of its run: with 200 at work, an end does not read 200 environments.
  const runByLeader = new Map(
    running.flatMap((run) => {
      const { pid, startTicks } = run.target.fingerprint
      return table.get(pid)?.startTicks === startTicks ? [[pid, run]] : []
    }),
  )
  const isOfAnother = (sid: number, run: WatchedRun) => (runByLeader.get(sid) ?? run) !== run
  const find = (run: WatchedRun, read: 'read' | 'skip') =>
    findTree(table, {
      shim: run.target.fingerprint,
      sidOursUntilTicks: run.sidOursUntilTicks,
      seenOutside: run.seenOutside,
      inCgroup: new Set(run.cgroup === undefined ? [] : readCgroupMembers(run.cgroup)),
      markOf: ({ pid, sid }) => (read === 'skip' || isOfAnother(sid, run) ? 'none' : markOf(pid, run.marker)),
    })
  const noteBirths = (run: WatchedRun) => {
    const born = births.catchUp(({ pid, sid }) => pid !== process.pid && !isOfAnother(sid, run))
    for (const birth of born) {
      table.set(birth.stat.pid, birth.stat)
      markers.set(birth.stat.pid, birth.markers)
    }
    return born.length > 0
  }
  return {
    findTree(run, read) {
      const tree = find(run, read)
      // A worker that forks and ends faster than all this is read would be in no look, and its task would start beside it.
      return read === 'read' && noteBirths(run) ? find(run, read) : tree
    },
  }
}
