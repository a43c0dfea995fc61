import type { LogGap } from './log-parts.ts'
import { viewLog } from './log-view.ts'

/** The last bytes of a log that are there. */
export interface LogEnd {
  readonly bytes: Buffer
  /** They begin in the middle of what was written. */
  readonly isCut: boolean
  /** What is missing right before them, where it is gone and not only further back. */
  readonly gone: { readonly why: LogGap; readonly bytes: number } | null
}

/**
 * At most the last `mostBytes` of a log, and not beyond a gap; undefined when there is no such file. Costs the same
 * however long the log is, and however much of it is gone.
 */
export function readEnd(path: string, mostBytes: number): LogEnd | undefined {
  return viewLog(path, ({ stretches, sizeBytes, read }) => {
    const last = stretches.at(-1)
    if (last === undefined) return { bytes: Buffer.alloc(0), isCut: false, gone: null }
    if (last.gone !== undefined) return { bytes: Buffer.alloc(0), isCut: false, gone: goneOf(last) }
    const from = Math.max(last.from, sizeBytes - mostBytes)
    const before = stretches.at(-2)
    const gone = from === last.from && before?.gone !== undefined ? goneOf(before) : null
    // A file that its worker has shortened begins with a whole line again.
    const isCut = from > last.from || (gone !== null && gone.why !== 'shortened')
    return { bytes: read(from, sizeBytes - from), isCut, gone }
  })
}

function goneOf({
  gone = 'shortened',
  from,
  to,
}: {
  readonly gone?: LogGap
  readonly from: number
  readonly to: number
}) {
  return { why: gone, bytes: to - from }
}
