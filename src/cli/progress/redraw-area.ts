import { widthOf } from '../render/visible.ts'

/** What stands on the screen now: the lines as they were drawn. */
export type DrawnLines = readonly string[]

export interface Redraw {
  readonly before: DrawnLines
  /** Lines that stay and scroll away above the area. */
  readonly above: readonly string[]
  readonly area: DrawnLines
  /** Columns of the terminal now; it may have been made narrower since `before` was drawn. */
  readonly width: number
}

/**
 * The bytes that turn what is on the screen into what should be: back to the first line of the area, every line written
 * over the old one and cleared only behind its end, so that nothing flickers. Terminals that know synchronised updates
 * (mode 2026) show all of it at once; others ignore that.
 */
export function planRedraw({ before, above, area, width }: Redraw): string {
  const rows = before.reduce((sum, line) => sum + rowsOf(line, width), 0)
  const up = rows === 0 ? '' : `\r\u001b[${rows}A`
  const lines = [...above, ...area].map((line) => `${line}\u001b[K\n`).join('')
  return `\u001b[?2026h${up}${lines}\u001b[J\u001b[?2026l`
}

/** A terminal that was made narrower has wrapped what was one line into several. */
const rowsOf = (line: string, width: number): number => Math.max(1, Math.ceil(widthOf(line) / Math.max(1, width)))
