import type { CrashPoint } from '../../../src/kernel/index.ts'
import type { Rare } from './batch-under-fire.ts'

/** How one crash point is reached by the batch under fire. */
export interface CrashPlan {
  /** Crash points of the starts before the one that is to die here. */
  readonly before?: readonly CrashPoint[]
  /** The batch reaches the point at least so often in one life; each round takes another hit. */
  readonly hits: number
  /** Tasks without which the batch would not get there. */
  readonly rare?: readonly Rare[]
}

/** A row for each named crash point. A new point without a row here fails the suite. */
export const crashPlans: Readonly<Record<CrashPoint, CrashPlan>> = {
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
