import type { KeptFile, KeptPlace, KeptRun, PrunedEvents } from '../retention.ts'
import type { Store } from '../sqlite/store.ts'
import type { Work } from '../work.ts'

/** Attempts that were over before a time and whose files are kept, oldest first. */
export function keptRuns(
  { store }: { readonly store: Store },
  { beforeMs, after, limit }: { readonly beforeMs: number; readonly after: KeptPlace | null; readonly limit: number },
): readonly KeptRun[] {
  const place = after ?? { settledAtMs: 0, run: 0 }
  return store.runsToPrune({ ...place, before: beforeMs, limit }).map((row) => ({
    run: row.run,
    settledAtMs: row.settled_at_ms,
    task: row.task,
    taskStatus: row.status,
    taskSettledAtMs: row.task_settled_at_ms,
    isNewest: row.is_newest === 1,
  }))
}

/** Files of cards in the order of their ids, after one. */
export function keptFiles(
  { store }: { readonly store: Store },
  asked: { readonly after: number; readonly limit: number },
): readonly KeptFile[] {
  return store
    .keptFiles(asked)
    .map(({ id, status, archived_at_ms }) => ({ id, taskStatus: status, archivedAtMs: archived_at_ms }))
}

/**
 * One step through the events, oldest first: at most `limit` of them are looked at, and those go that are older than
 * `beforeMs` and about nothing that is open (C112).
 */
export function pruneEvents(
  { store }: Pick<Work, 'store'>,
  { beforeMs, after, limit }: { readonly beforeMs: number; readonly after: number; readonly limit: number },
): PrunedEvents {
  const looked = store.eventTimes({ seq: after, limit })
  const young = looked.findIndex((event) => event.at_ms >= beforeMs)
  const old = young === -1 ? looked : looked.slice(0, young)
  const upto = old.at(-1)?.seq
  if (upto === undefined) return { removed: 0, after: null }
  const removed = store.pruneEvents({ after, upto, before: beforeMs })
  return { removed, after: young === -1 && looked.length === limit ? upto : null }
}
