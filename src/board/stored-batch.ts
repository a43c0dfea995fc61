import type { Batch } from './batch.ts'

/** A batch with what only the board itself needs of it. */
export interface StoredBatch {
  readonly batch: Batch
  /** none: no canary asked for. open: only canaries may start. passed: the others may start too. */
  readonly canary: 'none' | 'open' | 'passed'
  /** Ends that had happened when it was last resumed: `halt` counts from there. */
  readonly haltBase: { readonly failed: number; readonly ended: number }
}
