import type { Redactor } from '../../kernel/index.ts'
import { type LogBytes, withLog } from './log-bytes.ts'
import { safeCut } from './safe-cut.ts'

/** Smaller ranges are widened to this, so that there is room to cut beside a secret. */
const leastBytes = 32 * 1024
/** What a writer leaves without an end of line is given out after this silence: a prompt or a row of dots. */
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
  const piece = withLog(file, (log) => {
    const deps = { log, mask }
    const end = asked.open ? endOfText(log, asked.nowMs) : log.size
    const wanted = asked.from < 0 ? Math.max(0, log.size + asked.from) : Math.min(asked.from, log.size)
    const from = asked.start === 'as_given' ? wanted : (safeCut(deps, { wanted, least: 0 }) ?? wanted)
    const upTo = Math.min(end, from + Math.max(asked.limit, leastBytes))
    const next = upTo <= from ? from : (safeCut(deps, { wanted: upTo, least: from }) ?? upTo)
    return { text: mask(log.read(from, next - from).toString('utf8')), from, next, size: log.size }
  })
  return piece ?? { text: '', from: 0, next: 0, size: 0 }
}

/** Where the finished lines of a growing log end; its whole size once it rests, or when the line is very long. */
function endOfText(log: LogBytes, nowMs: number): number {
  if (nowMs - log.changedAtMs >= restingMs) return log.size
  const start = Math.max(0, log.size - leastBytes)
  const tail = log.read(start, log.size - start)
  const at = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('\r'))
  return at === -1 ? start : start + at + 1
}
