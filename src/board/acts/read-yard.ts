import type { BatchId } from '../../kernel/index.ts'
import type { BatchState, YardState } from '../admission/yard-state.ts'
import type { DiskLow } from '../disk-low.ts'
import type { Work } from '../work.ts'
import { countEnds } from './batches.ts'

export type Reading = Pick<Work, 'store' | 'nowMs'> & { readonly disk: DiskLow | null }

/** What admission looks at, as it is now, with the batches that are asked for. */
export function readYard({ store, nowMs, disk }: Reading, batches: Iterable<BatchId>): YardState {
  const yard = store.readYard({})
  return {
    nowMs,
    slots: yard?.slots ?? 1,
    isConfigured: yard?.revision !== 0,
    lanes: new Map(store.readLanes({}).map(({ name, ...lane }) => [name, lane])),
    accounts: new Map(store.readAccounts({}).map(({ name, ...account }) => [name, account])),
    gates: new Map(store.listGates().map((gate) => [gate.account, gate])),
    holds: store.listHolds(),
    disk,
    occupied: store
      .usageOfSlots({})
      .flatMap(({ ended, endedBadly, elsewhere, ...run }) =>
        elsewhere === 1 ? [] : { ...run, ended: ended === 1, endedBadly: endedBadly === 1 },
      ),
    batches: new Map(
      [...new Set(batches)]
        .flatMap((id) => readBatchState({ store, nowMs }, id) ?? [])
        .map((batch) => [batch.id, batch]),
    ),
  }
}

function readBatchState(work: Pick<Reading, 'store' | 'nowMs'>, id: BatchId): BatchState | undefined {
  const stored = work.store.readBatch(id)
  if (stored === undefined) return undefined
  const { name, file, limits, cut, cutText } = stored.batch
  const canariesSent = stored.canary === 'open' ? (work.store.countCanaries({ batch: id })?.sent ?? 0) : 0
  return { id, name, file, limits, cut, cutText, canary: stored.canary, canariesSent, ...countEnds(work, stored) }
}
