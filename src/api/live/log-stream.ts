import type { Board, StageKind } from '../../board/index.ts'
import type { Clock, LogMask, RunId } from '../../kernel/index.ts'
import { isLogOpen } from '../logs/is-log-open.ts'
import { readLogPiece } from '../logs/read-piece.ts'
import type { SendLine } from './serve-sse.ts'

/** How often a growing log is looked at. Watching the file instead would cost a descriptor for each reader. */
const lookEveryMs = 200
const pieceBytes = 128 * 1024

/** Which log: of the work itself, or of a stage beside it. */
export interface StreamedLog {
  readonly run: RunId
  readonly stage: StageKind
  readonly file: string
  readonly from: number
}

interface Deps {
  readonly board: Pick<Board, 'readRun' | 'stagesOf'>
  readonly clock: Clock
  readonly mask: LogMask
}

/** Sends a log of a run from byte `from` on as it grows, and `end` when nobody writes it any more and all of it was sent. */
export async function streamLog(
  { board, clock, mask }: Deps,
  { run, stage, file, from }: StreamedLog,
  send: SendLine,
  signal: AbortSignal,
): Promise<void> {
  let next = from
  while (!signal.aborted) {
    const open = isLogOpen(board, { run, stage })
    const piece = readLogPiece({ mask }, file, { from: next, limit: pieceBytes, open, nowMs: clock.nowMs() })
    const { text, gone } = piece
    if (piece.next > piece.from) await send({ event: 'data', data: { text, next: piece.next, gone } })
    next = piece.next
    if (piece.next < piece.size && piece.next > piece.from) continue
    if (!open) return send({ event: 'end', data: {} })
    await clock.sleep(lookEveryMs, signal).catch(() => {
      // The reader left or the hub stops; the loop sees it.
    })
  }
}
