import { unbounded } from '../output.ts'
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

/** A column of a pipe is lined up to this; what is longer pushes the rest of its own line only. */
const widestColumnOfPipe = 40

/**
 * Lines with aligned columns, none wider than the terminal. Rows may have fewer cells than others. Where there is no
 * terminal nothing is cut, and one long title does not blow up every other line.
 */
export function renderTable(rows: readonly (readonly Cell[])[], { width, shrink }: TableLayout): string[] {
  const natural = naturalWidths(rows)
  if (width < unbounded) {
    const widths = fitWidths(natural, width, shrink)
    return rows.map((row) => renderRow(row, widths, { width, cut: 'columns' }))
  }
  const widths = natural.map((one) => Math.min(one, widestColumnOfPipe))
  return rows.map((row) => renderRow(row, widths, { width: Number.MAX_SAFE_INTEGER, cut: 'nothing' }))
}

/** A long cell at the end of a short row runs on over the columns that it has not, and widens none. */
function naturalWidths(rows: readonly (readonly Cell[])[]): number[] {
  const most = Math.max(0, ...rows.map((row) => row.length))
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      if (index < row.length - 1 || row.length === most)
        widths[index] = Math.max(widths[index] ?? 0, widthOf(cell.text))
    }
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

function renderRow(
  row: readonly Cell[],
  widths: readonly number[],
  { width, cut }: { readonly width: number; readonly cut: 'columns' | 'nothing' },
): string {
  let line = ''
  let used = 0
  for (const [index, cell] of row.entries()) {
    const last = index === row.length - 1
    const room = last || cut === 'nothing' ? width - used : Math.min(widths[index] ?? 0, width - used)
    const text = cutTo(cell.text, room)
    line += (cell.paint ?? plain)(text)
    used += widthOf(text)
    if (last) break
    const padding = Math.min(Math.max(0, (widths[index] ?? 0) - widthOf(text)) + gap, width - used)
    line += padTo('', Math.max(0, padding))
    used += Math.max(0, padding)
  }
  return line.trimEnd()
}

const plain = (text: string): string => text
