import { isFields } from '../../kernel/config/index.ts'

/** One value of an axis: its label (for keys and `${{ matrix.axis }}`) and, for rows of several columns, each column. */
export interface AxisValue {
  readonly label: string
  readonly columns?: Readonly<Record<string, string>>
}

export type ReadRows =
  | { readonly ok: true; readonly values: readonly AxisValue[] }
  /** `line` from 1 in the data, where one line is at fault. */
  | { readonly ok: false; readonly line?: number; readonly says: string; readonly fix: string }

/**
 * The rows of a `{ from: … }`: CSV with a header, a JSON list, JSONL, or plain lines, by the file's ending; standard
 * input (`path` null) by its look. A row with one column is its value; of several the first names the row.
 */
export async function readRows(text: string, path: string | null): Promise<ReadRows> {
  const plain = text.replace(/^\u{feff}/u, '')
  switch (formatOf(plain, path)) {
    case 'csv':
      return await rowsOfCsv(plain)
    case 'json':
      return rowsOfJson(plain)
    case 'jsonl':
      return rowsOfJsonl(plain)
    case 'lines':
      return { ok: true, values: linesOf(plain).map((label) => ({ label })) }
  }
}

function formatOf(text: string, path: string | null): 'csv' | 'json' | 'jsonl' | 'lines' {
  const ending = path === null ? undefined : /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase()
  if (ending === 'csv') return 'csv'
  if (ending === 'json') return 'json'
  if (ending === 'jsonl' || ending === 'ndjson') return 'jsonl'
  if (path !== null) return 'lines'
  if (/^\s*\[/.test(text) && parseJson(text) !== undefined) return 'json'
  const lines = linesOf(text)
  return lines.length > 0 && lines.every((line) => isFields(parseJson(line))) ? 'jsonl' : 'lines'
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told apart from any JSON value, none of which is undefined
  }
}

async function rowsOfCsv(text: string): Promise<ReadRows> {
  const { parse } = await import('csv-parse/sync')
  try {
    const rows = parse(text, { columns: true, skip_empty_lines: true, trim: true }) as Record<string, string>[]
    return toValues(rows, () => undefined)
  } catch (cause) {
    const { message, lines } = cause as Error & { lines?: number }
    const at = lines === undefined ? {} : { line: lines }
    return { ok: false, ...at, says: `is not CSV with a header: ${message}`, fix: 'mend this line' }
  }
}

function rowsOfJson(text: string): ReadRows {
  const rows = parseJson(text)
  if (!Array.isArray(rows)) return { ok: false, says: 'is not a JSON list', fix: 'write [ … ] with one entry a row' }
  return toValues(rows, () => undefined)
}

function rowsOfJsonl(text: string): ReadRows {
  const rows: unknown[] = []
  const lineOf: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = parseJson(line)
    if (row === undefined)
      return { ok: false, line: index + 1, says: 'is not JSON', fix: 'write one JSON value a line' }
    rows.push(row)
    lineOf.push(index + 1)
  }
  return toValues(rows, (index) => lineOf[index])
}

function toValues(rows: readonly unknown[], lineOf: (index: number) => number | undefined): ReadRows {
  const values: AxisValue[] = []
  for (const [index, row] of rows.entries()) {
    const value = toAxisValue(row)
    if (value === undefined) {
      const line = lineOf(index)
      return {
        ok: false,
        ...(line === undefined ? {} : { line }),
        says: `holds a row that is neither a text nor a flat map (row ${index + 1})`,
        fix: 'give each row one value, or columns with one value each',
      }
    }
    values.push(value)
  }
  return { ok: true, values }
}

/** A row of a list as an axis value; undefined when it holds lists or maps in it. */
export function toAxisValue(row: unknown): AxisValue | undefined {
  const label = textOf(row)
  if (label !== undefined) return { label }
  if (!isFields(row)) return undefined
  const columns = Object.entries(row).map(([name, value]) => [name, textOf(value)] as const)
  const first = columns[0]?.[1]
  if (first === undefined || columns.some(([, value]) => value === undefined)) return undefined
  return columns.length === 1
    ? { label: first }
    : { label: first, columns: Object.fromEntries(columns) as Record<string, string> }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === null ? '' : undefined
}
