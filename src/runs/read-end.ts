import type { LogGap } from './log-parts.ts'
import { viewLog } from './log-view.ts'

/** A piece of the end of a log. */
export interface EndPiece {
  readonly bytes: Buffer
  /** It begins in the middle of what was written. */
  readonly isCut: boolean
  /** What is missing right in front of it. */
  readonly gone: { readonly why: LogGap; readonly bytes: number } | null
}

/**
 * The last `mostBytes` of a log that are there, in order, one piece where nothing is missing between them; undefined when
 * there is no such file. Costs the same however long the log is, and however much of it is gone.
 */
export function readEnd(path: string, mostBytes: number): readonly EndPiece[] | undefined {
  return viewLog(path, ({ stretches, read }) => {
    const pieces: EndPiece[] = []
    let leftBytes = mostBytes
    for (let at = stretches.length - 1; at >= 0 && leftBytes > 0; at -= 1) {
      const stretch = stretches[at]
      if (stretch === undefined) break
      const before = stretches[at - 1]
      if (stretch.gone !== undefined) {
        // At the very end: nothing was written since. Others are told with the piece behind them.
        const isLast = at === stretches.length - 1
        if (isLast) pieces.unshift({ bytes: Buffer.alloc(0), isCut: false, gone: sayGone(stretch, stretch.gone) })
        continue
      }
      const from = Math.max(stretch.from, stretch.to - leftBytes)
      const gone = from === stretch.from && before?.gone !== undefined ? sayGone(before, before.gone) : null
      // A file that its worker has shortened begins with a whole line again.
      const isCut = from > stretch.from || (gone !== null && gone.why !== 'shortened')
      pieces.unshift({ bytes: read(from, stretch.to - from), isCut, gone })
      leftBytes -= stretch.to - from
    }
    return pieces
  })
}

function sayGone({ from, to }: { readonly from: number; readonly to: number }, why: LogGap) {
  return { why, bytes: to - from }
}
