import { boardError } from './errors.ts'
import type { NewBatch } from './new-tasks.ts'
import type { StoredBatch } from './stored-batch.ts'

/** Batches that a submitted file may mean, newest of each kind. */
export interface KnownBatches {
  /** With the same name and key. */
  readonly sameKey: StoredBatch | undefined
  /** The last one of the same name and file, both without a key. */
  readonly lastOfFile: StoredBatch | undefined
  /** The last one of this name, whatever its key. */
  readonly lastOfName: StoredBatch | undefined
}

/** new: nothing is known of it. go_on: with what is left of it. finished: it has a verdict, and the same key asks for that. */
export type WhichBatch =
  | { readonly kind: 'new' }
  | { readonly kind: 'go_on'; readonly batch: StoredBatch }
  | { readonly kind: 'finished'; readonly batch: StoredBatch }

/**
 * Which batch a submitted file is (files-and-cli section 5). Without a key only a batch of the same file is taken for
 * the same one: two files of one name in two folders are two pieces of work.
 */
export function whichBatch({ name, key, mode, redo }: NewBatch, known: KnownBatches): WhichBatch {
  if (mode === 'new') {
    if (key === undefined || known.sameKey === undefined) return { kind: 'new' }
    throw boardError('BOARD_BATCH_KEY_USED', { name, key, batch: known.sameKey.batch.id })
  }
  const last = key === undefined ? (known.lastOfFile ?? known.lastOfName) : known.sameKey
  if (mode === 'resume' || mode === 'failed' || redo.length > 0) {
    if (last === undefined) throw boardError('BOARD_NOTHING_TO_RESUME', { name, key: key ?? null })
    return { kind: 'go_on', batch: last }
  }
  const same = key === undefined ? known.lastOfFile : known.sameKey
  if (same === undefined) return { kind: 'new' }
  if (same.batch.verdict === null) return { kind: 'go_on', batch: same }
  return key === undefined ? { kind: 'new' } : { kind: 'finished', batch: same }
}
