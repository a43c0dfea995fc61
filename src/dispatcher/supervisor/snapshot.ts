import type { Clock } from '../../kernel/index.ts'
import { readMarkers, readProcessTable } from '../../kernel/process/index.ts'
import { type FoundTree, findTree } from './find-tree.ts'
import type { WatchedRun } from './watched-run.ts'

/** All processes at one moment, and whose tree they belong to. Environments are read once each, and only when asked for. */
export interface Snapshot {
  findTree(run: WatchedRun, markers: 'read' | 'skip'): FoundTree
}

/** Undefined when not all processes could be looked at: nothing may be concluded then. */
export type TakeSnapshot = (freshForMs: number) => Snapshot | undefined

/**
 * One look serves whoever asks within `freshForMs`: 200 runs stopped in one turn of the loop are one walk over /proc.
 * What it says is only ever a reason to look at a process again: each is verified when it is signalled.
 */
export function createSnapshots({ clock }: { readonly clock: Clock }): TakeSnapshot {
  let last: Snapshot | undefined
  let takenMs = Number.NEGATIVE_INFINITY
  return (freshForMs) => {
    if (last === undefined || clock.monotonicMs() - takenMs > freshForMs) {
      last = takeSnapshot()
      takenMs = clock.monotonicMs()
    }
    return last
  }
}

function takeSnapshot(): Snapshot | undefined {
  const table = readProcessTable()
  if (table === undefined) return undefined
  const markers = new Map<number, readonly string[]>()
  const markersOf = (pid: number) => {
    const known = markers.get(pid) ?? readMarkers(pid)
    markers.set(pid, known)
    return known
  }
  return {
    findTree: (run, read) =>
      findTree(table, {
        shim: run.target.fingerprint,
        sidOursUntilTicks: run.sidOursUntilTicks,
        seenOutside: run.seenOutside,
        isMarked: read === 'read' ? ({ pid }) => markersOf(pid).includes(run.marker) : () => false,
      }),
  }
}
