import { isHalted } from '../batch-cut.ts'
import type { DiskLow } from '../disk-low.ts'
import type { Gate } from '../gate.ts'
import type { Hold } from '../hold.ts'
import type { BatchState, Candidate, Occupied, YardState } from './yard-state.ts'

/** Why a card that is ready cannot start at this moment. The first that holds, in an order that tells people most. */
export type Obstacle =
  | { readonly code: 'paused' | 'draining'; readonly hold: Hold }
  | { readonly code: 'disk_low'; readonly disk: DiskLow }
  | { readonly code: 'lane_unknown' }
  | { readonly code: 'batch_cut' | 'batch_canary'; readonly batch: BatchState; readonly text: string }
  | { readonly code: 'batch_counting'; readonly batch: BatchState; readonly by: Occupied }
  | { readonly code: 'account_parked' | 'account_held' | 'account_probing'; readonly gate: Gate }
  | { readonly code: 'folder_busy'; readonly by: Occupied }
  | {
      readonly code: 'account_full'
      readonly slots: number
      readonly by: readonly Occupied[]
      readonly account: string
    }
  | {
      readonly code: 'lane_full' | 'slots_full'
      readonly slots: number
      readonly by: readonly Occupied[]
    }
  | {
      readonly code: 'batch_slots_full'
      readonly slots: number
      readonly by: readonly Occupied[]
      readonly batch: BatchState
    }

type Placed = Omit<Candidate, 'task' | 'rank'>

/**
 * The one judge of admission, used by the claim and by `explainTask` alike, so that no path passes a limit and every
 * answer is the true one.
 */
export function findObstacle(yard: YardState, candidate: Placed): Obstacle | undefined {
  return (
    heldByPerson(yard, candidate) ??
    lowDisk(yard) ??
    unknownLane(yard, candidate) ??
    heldByBatch(yard, candidate) ??
    heldByAccount(yard, candidate) ??
    busyFolder(yard, candidate) ??
    full(yard, candidate)
  )
}

function heldByPerson({ holds }: YardState, { board, lane, account }: Placed): Obstacle | undefined {
  const names = { all: null, board, lane, account }
  const hold = holds.find(({ scope, name }) => scope === 'all' || (name !== null && name === names[scope]))
  return hold === undefined ? undefined : { code: hold.kind === 'pause' ? 'paused' : 'draining', hold }
}

function lowDisk({ disk }: YardState): Obstacle | undefined {
  return disk === null ? undefined : { code: 'disk_low', disk }
}

function unknownLane({ isConfigured, lanes }: YardState, { lane }: Placed): Obstacle | undefined {
  return isConfigured && !lanes.has(lane) ? { code: 'lane_unknown' } : undefined
}

function heldByBatch(yard: YardState, { batch: id, canary }: Placed): Obstacle | undefined {
  const batch = id === null ? undefined : yard.batches.get(id)
  if (batch === undefined) return undefined
  const { cut, cutText, limits } = batch
  if (cut !== null) return { code: 'batch_cut', batch, text: cutText ?? cut }
  if (limits.stopAtMs !== undefined && limits.stopAtMs <= yard.nowMs) {
    return { code: 'batch_cut', batch, text: 'its time is over' }
  }
  if (isHalted(limits, batch)) return { code: 'batch_cut', batch, text: `${batch.failed} of ${batch.ended} failed` }
  // Its slot is free, but whether it makes the batch halt is known only when its task has moved.
  const counting =
    limits.halt === undefined ? undefined : yard.occupied.find((run) => run.batch === id && run.endedBadly)
  if (counting !== undefined) return { code: 'batch_counting', batch, by: counting }
  if (batch.canary === 'open' && !canary && batch.canariesSent >= (limits.first ?? 0)) {
    return { code: 'batch_canary', batch, text: `its first ${limits.first} must end done before the others start` }
  }
  return undefined
}

/** A closed gate lets nobody through but the one chosen probe, once its time has come. */
function heldByAccount(yard: YardState, { account, probe }: Placed): Obstacle | undefined {
  const gate = account === null ? undefined : yard.gates.get(account)
  if (gate === undefined || gate.sinceMs === null) return undefined
  if (gate.parkedBy !== null) return { code: 'account_parked', gate }
  if (gate.untilMs !== null && gate.untilMs > yard.nowMs) return { code: 'account_held', gate }
  return probe && gate.probeRun === null ? undefined : { code: 'account_probing', gate }
}

function busyFolder({ occupied }: YardState, { folder }: Placed): Obstacle | undefined {
  const by = folder === '' ? undefined : occupied.find((run) => run.folder === folder)
  return by === undefined ? undefined : { code: 'folder_busy', by }
}

function full(yard: YardState, { account, lane, batch: batchId }: Placed): Obstacle | undefined {
  const running = yard.occupied.filter((run) => !run.ended)
  const taken = (slots: number | null | undefined, is: (run: Occupied) => boolean) => {
    if (slots == null) return undefined
    const by = running.filter(is)
    return by.length >= slots ? { slots, by } : undefined
  }
  const ofAccount =
    account === null ? undefined : taken(yard.accounts.get(account)?.slots, (run) => run.account === account)
  if (ofAccount !== undefined && account !== null) return { code: 'account_full', ...ofAccount, account }
  const ofLane = taken(yard.lanes.get(lane)?.slots, (run) => run.lane === lane)
  if (ofLane !== undefined) return { code: 'lane_full', ...ofLane }
  const batch = batchId === null ? undefined : yard.batches.get(batchId)
  const ofBatch = batch === undefined ? undefined : taken(batch.limits.slots, (run) => run.batch === batch.id)
  if (ofBatch !== undefined && batch !== undefined) return { code: 'batch_slots_full', ...ofBatch, batch }
  const ofYard = taken(yard.slots, () => true)
  return ofYard === undefined ? undefined : { code: 'slots_full', ...ofYard }
}

/** Whether an account may send one task through its closed gate now. */
export function isDueForProbe(yard: YardState, account: string | null): boolean {
  const gate = account === null ? undefined : yard.gates.get(account)
  if (gate === undefined || gate.untilMs === null || gate.parkedBy !== null || gate.probeRun !== null) return false
  return gate.untilMs <= yard.nowMs
}
