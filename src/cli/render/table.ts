import { cutTo, padTo, widthOf } from './visible.ts'

/** One field of a table: plain text (made safe before), and how it is coloured once its width is settled. */
export interface Cell {
  readonly text: string
  readonly paint?: (text: string) => string
}

export interface TableLayout {
  /** Columns of the terminal. */
  readonly width: number
  /** Which columns give way, in this order, when a row is too long, and how far: `[index, least]`. The last column is cut after that. */
  readonly shrink: readonly (readonly [index: number, least: number])[]
}

const gap = 2

/** Lines with aligned columns, none wider than the terminal. Rows may have fewer cells than others. */
export function renderTable(rows: readonly (readonly Cell[])[], { width, shrink }: TableLayout): string[] {
  const widths = fitWidths(naturalWidths(rows), width, shrink)
  return rows.map((row) => renderRow(row, widths, width))
}

function naturalWidths(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell.text))
  }
  return widths
}

function fitWidths(natural: number[], width: number, shrink: TableLayout['shrink']): number[] {
  const widths = [...natural]
  for (const [index, least] of shrink) {
    const over = widths.reduce((sum, one) => sum + one + gap, -gap) - width
    const now = widths[index]
    if (over > 0 && now !== undefined) widths[index] = Math.min(now, Math.max(least, now - over))
  }
  return widths
}

function renderRow(row: readonly Cell[], widths: readonly number[], width: number): string {
  let line = ''
  let used = 0
  for (const [index, cell] of row.entries()) {
    const last = index === row.length - 1
    const room = last ? width - used : Math.min(widths[index] ?? 0, width - used)
    const text = cutTo(cell.text, room)
    line += (cell.paint ?? plain)(text)
    used += widthOf(text)
    if (last) break
    const padding = Math.min((widths[index] ?? 0) - widthOf(text) + gap, width - used)
    line += padTo('', Math.max(0, padding))
    used += Math.max(0, padding)
  }
  return line.trimEnd()
}

const plain = (text: string): string => text
