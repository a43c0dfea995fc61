import { type CrashPoint, crashPoints } from '../../../src/kernel/index.ts'
import type { Rare } from './batch-under-fire.ts'

/** How one crash point is reached by the batch under fire. */
export interface CrashPlan {
  /** Crash points of the starts before the one that is to die here. */
  readonly before?: readonly BatchPoint[]
  /** The batch reaches the point at least so often in one life; each round takes another hit. */
  readonly hits: number
  /** Tasks without which the batch would not get there. */
  readonly rare?: readonly Rare[]
}

/** Points that no batch comes by, each with the test that kills a program there. */
export const focusedTests = {
  'workspace.made': 'tests/dispatcher/stages/killed-stages.test.ts',
  'stage.over': 'tests/dispatcher/stages/killed-stages.test.ts',
  'changes.taken': 'tests/dispatcher/stages/killed-stages.test.ts',
  'change.recorded': 'tests/dispatcher/stages/killed-stages.test.ts',
  'workspace.put_back': 'tests/dispatcher/stages/killed-stages.test.ts',
  'release.committed': 'tests/dispatcher/release.test.ts',
  'retention.moved': 'tests/dispatcher/retention.test.ts',
  'retention.recorded': 'tests/dispatcher/retention.test.ts',
  'retention.forgotten': 'tests/dispatcher/retention-of-files.test.ts',
  'backup.written': 'tests/board/killed-copies.test.ts',
  'backup.placed': 'tests/board/killed-copies.test.ts',
  'restore.prepared': 'tests/board/killed-copies.test.ts',
  'restore.decided': 'tests/board/killed-copies.test.ts',
  'restore.log_kept': 'tests/board/killed-copies.test.ts',
  'restore.store_kept': 'tests/board/killed-copies.test.ts',
  'restore.done': 'tests/board/killed-copies.test.ts',
  'aside.decided': 'tests/board/killed-set-aside.test.ts',
  'aside.log_kept': 'tests/board/killed-set-aside.test.ts',
  'aside.store_kept': 'tests/board/killed-set-aside.test.ts',
} as const satisfies Partial<Record<CrashPoint, string>>

export type BatchPoint = Exclude<CrashPoint, keyof typeof focusedTests>

/** A row for each other crash point. A new point without a row here or there does not compile. */
export const crashPlans: Readonly<Record<BatchPoint, CrashPlan>> = {
  'hub.locked': { hits: 1 },
  'hub.recorded': { hits: 1 },
  'queue.written': { hits: 1 },
  'queue.committed': { hits: 1 },
  'batch.committed': { hits: 1 },
  'claim.committed': { hits: 3 },
  'run.directory': { hits: 3 },
  'shim.spawned': { hits: 3 },
  'identity.committed': { hits: 3 },
  'gate.opened': { hits: 3 },
  'log.cut': { hits: 1, rare: ['chatty'] },
  'exit.seen': { hits: 3 },
  'exit.committed': { hits: 3 },
  'tree.swept': { hits: 3 },
  'settle.committed': { hits: 3 },
  'stop.committed': { hits: 1, rare: ['stubborn'] },
  'rung.committed': { hits: 1, rare: ['stubborn'] },
  'ladder.term': { hits: 1, rare: ['stubborn'] },
  'ladder.kill': { hits: 1, rare: ['stubborn'] },
  'account.closed': { hits: 1, rare: ['walled'] },
  'batch.ended': { hits: 1 },
  'adopt.done': { before: ['gate.opened'], hits: 1 },
}

export const batchPoints = crashPoints.filter((point): point is BatchPoint => point in crashPlans)
