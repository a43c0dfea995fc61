import { lstatSync } from 'node:fs'
import type { Redactor } from '../../kernel/index.ts'
import { readLog } from '../../runs/index.ts'
import { lastLineEnd } from './line-end.ts'
import { safeCut } from './safe-cut.ts'

/** Smaller ranges are widened to this, so that there is room to cut beside a secret. */
const leastBytes = 32 * 1024
/** What a writer leaves without an end of line is given out after this silence: a question, or a row of dots. */
const restingMs = 1_000

export interface PieceAsked {
  /** Byte to start from; negative: from the end. */
  readonly from: number
  readonly limit: number
  /** safe: moved back where `from` lies inside a secret. as_given: it is the `next` of the piece before. */
  readonly start: 'safe' | 'as_given'
  /** The run may still write. */
  readonly open: boolean
  readonly nowMs: number
}

/** A masked piece of a log. `next` is where the following piece starts; `from` may lie before the one asked for. */
export interface Piece {
  readonly text: string
  readonly from: number
  readonly next: number
  readonly size: number
}

/**
 * The piece of a log that starts at `from`. The ends are moved to places where no secret is cut, and of a log that is
 * being written the last, unfinished line is held back until it rests. A missing log reads as an empty one.
 */
export function readLogPiece({ mask }: { readonly mask: Redactor }, file: string, asked: PieceAsked): Piece {
  const log = lookAt(file)
  if (log === undefined) return { text: '', from: 0, next: 0, size: 0 }
  const wanted = asked.from < 0 ? Math.max(0, log.size + asked.from) : Math.min(asked.from, log.size)
  const start = asked.start === 'as_given' ? wanted : (safeCut({ mask }, { file, wanted, least: 0 }) ?? wanted)
  const isResting = !asked.open || asked.nowMs - log.changedAtMs >= restingMs
  const end = isResting ? log.size : lastLineEnd(file, log.size)
  const upTo = Math.min(end, start + Math.max(asked.limit, leastBytes))
  if (upTo <= start) return { text: '', from: start, next: start, size: log.size }
  const cut = safeCut({ mask }, { file, wanted: upTo, least: start }) ?? upTo
  const writer = asked.open || cut < log.size ? 'alive' : 'gone'
  const range = readLog(file, { fromByte: start, mostBytes: cut - start, writer })
  if (range === undefined) return { text: '', from: start, next: start, size: log.size }
  return { text: mask(range.text), from: range.fromByte, next: range.nextByte, size: log.size }
}

function lookAt(file: string): { readonly size: number; readonly changedAtMs: number } | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat?.isFile() ? { size: stat.size, changedAtMs: stat.mtimeMs } : undefined
}
