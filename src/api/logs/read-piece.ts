import type { LogMask } from '../../kernel/index.ts'
import { decodeBytes, describeGap, type LogView, restOfCharacter, unfinishedBytes, viewLog } from '../../runs/index.ts'
import { lastLineEnd } from './line-end.ts'
import { shownStretches } from './shown-stretches.ts'

/** No piece is smaller: the longest character. A piece that holds nothing would keep its reader where it is. */
const leastBytes = 4
/** What a writer leaves without an end of line is given out after this silence: a question, or a row of dots. */
const restingMs = 1_000

export interface PieceAsked {
  /** Byte to start from; negative: from the end. */
  readonly from: number
  readonly limit: number
  /** The run may still write. */
  readonly open: boolean
  readonly nowMs: number
}

/**
 * A masked piece of a log, of the bytes from `from` to `next` as the worker counted them, whatever became of those before.
 * Inside it a masked secret is as long as it was; a byte that is no text is shown as `\xff`.
 */
export interface Piece {
  readonly text: string
  readonly from: number
  /** Where the following piece starts. */
  readonly next: number
  readonly size: number
  /** Bytes of it that are gone: then it is one line that says so, and nothing else. */
  readonly gone: number
}

/**
 * The piece of a log that starts at `from`. Masked together with what stands around it, so that a secret across its edge
 * is masked on both sides of it. Of a log that is being written the last, unfinished line is held back until it rests. A
 * piece never goes beyond a place where output is gone; a missing log reads as an empty one.
 */
export function readLogPiece({ mask }: { readonly mask: LogMask }, file: string, asked: PieceAsked): Piece {
  return viewLog(file, (log) => readPiece(mask, log, asked)) ?? { text: '', from: 0, next: 0, size: 0, gone: 0 }
}

function readPiece(mask: LogMask, log: LogView, asked: PieceAsked): Piece {
  const size = log.sizeBytes
  const from = asked.from < 0 ? Math.max(0, size + asked.from) : Math.min(asked.from, size)
  const nothing = { text: '', from, next: from, size, gone: 0 }
  const stretch = shownStretches(log).find(({ to }) => from < to)
  if (stretch === undefined) return nothing
  if (stretch.gone !== undefined) {
    const bytes = stretch.to - from
    return { text: sayGone(log, { from, why: stretch.gone, bytes }), from, next: stretch.to, size, gone: bytes }
  }
  const isLast = stretch.to === size
  const isResting = !asked.open || asked.nowMs - log.changedAtMs >= restingMs
  const end = isLast && !isResting ? lastLineEnd(log, { least: from, before: size }) : stretch.to
  const wanted = Math.min(end, from + Math.max(asked.limit, leastBytes))
  const contextFrom = Math.max(stretch.from, from - mask.contextBytes)
  const raw = wanted <= from ? nothingRead : log.read(contextFrom, wanted - contextFrom + mask.contextBytes)
  const upTo = Math.min(wanted, contextFrom + raw.length) // less when it is shortened in this moment
  if (upTo <= from) return nothing
  const part = (bytes: Buffer, start: number, to: number) => bytes.subarray(start - contextFrom, to - contextFrom)
  const start = from + restOfCharacter(part(raw, Math.max(contextFrom, from - 3), from), part(raw, from, upTo + 3))
  // More of its last character may come, unless there is nobody left to write it.
  const isAll = upTo === stretch.to && !(isLast && asked.open)
  const next = Math.max(start, upTo - (isAll ? 0 : unfinishedBytes(part(raw, start, upTo))))
  return { text: decodeBytes(part(mask(raw), start, next)), from: start, next, size, gone: 0 }
}

const nothingRead = Buffer.alloc(0)

/** On a line of its own. */
function sayGone(
  log: LogView,
  { from, ...gap }: { readonly from: number } & Parameters<typeof describeGap>[0],
): string {
  const before = from === 0 ? undefined : log.read(from - 1, 1)[0]
  return `${before === undefined || before === 0x0a ? '' : '\n'}${describeGap(gap)}\n`
}
