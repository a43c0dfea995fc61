import { createHash } from 'node:crypto'
import type { AxisValue } from './read-rows.ts'

/** One axis with its values, in the order of the file. */
export interface ResolvedAxis {
  readonly name: string
  readonly values: readonly AxisValue[]
  /** files: its values are paths of a glob. */
  readonly holds: 'files' | 'values'
}

/** One combination of axis values. */
export interface MatrixRow {
  /** What stands in brackets behind the task's key: `src/a.ts`, `linux,20`. */
  readonly label: string
  /** All that `${{ matrix.… }}` knows in this row: axes, and `axis.column`. */
  readonly names: ReadonlyMap<string, string>
  /** What is set as variables of a text-form `run`: axes, and `axis_column` where that is a name. */
  readonly variables: Readonly<Record<string, string>>
  /** The source file that the row is about: its axis `file`, else the first that holds files. For JUnit. */
  readonly file: string | undefined
}

export type Exclude = readonly Readonly<Record<string, string>>[]

/** The product of the axes in their order, last axis fastest, without the rows that an `exclude` names entirely. */
export function expandMatrix(axes: readonly ResolvedAxis[], exclude: Exclude): readonly MatrixRow[] {
  return product(axes)
    .map((values) => rowOf(axes, values))
    .filter(
      ({ names }) => !exclude.some((one) => Object.entries(one).every(([name, value]) => names.get(name) === value)),
    )
}

/** How many rows the product has before `exclude`. */
export const productSize = (axes: readonly ResolvedAxis[]): number =>
  axes.reduce((size, { values }) => size * values.length, 1)

function product(axes: readonly ResolvedAxis[]): readonly (readonly AxisValue[])[] {
  return axes.reduce<readonly (readonly AxisValue[])[]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  )
}

function rowOf(axes: readonly ResolvedAxis[], values: readonly AxisValue[]): MatrixRow {
  const names = new Map<string, string>()
  const variables: Record<string, string> = {}
  for (const [index, { name }] of axes.entries()) {
    const value = values[index]
    if (value === undefined) continue
    names.set(name, value.label)
    variables[name] = value.label
    for (const [column, text] of Object.entries(value.columns ?? {})) {
      names.set(`${name}.${column}`, text)
      if (/^[a-z0-9_]+$/.test(column)) variables[`${name}_${column}`] = text
    }
  }
  const files = axes.find(({ holds }) => holds === 'files')?.name
  return { label: labelOf(values), names, variables, file: names.get('file') ?? names.get(files ?? '') }
}

function labelOf(values: readonly AxisValue[]): string {
  const isAlone = values.length === 1
  const label = values.map((value) => wordOf(value.label, isAlone)).join(',')
  return [...label].length <= longestLabel ? label : shortened(label)
}

/** Keys are typed and shown: longer values (a prompt a line) are cut, and told apart by a digest of the whole. */
const longestLabel = 200

function shortened(label: string): string {
  const digest = createHash('sha256').update(label).digest('hex').slice(0, 12)
  return `${[...label].slice(0, longestLabel - 13).join('')}…${digest}`
}

/** A value as it is, or as JSON text where it could be mistaken: so two different rows never get the same label. */
function wordOf(value: string, isAlone: boolean): string {
  const isPlain = value !== '' && value === value.trim() && !unclear.test(value) && (isAlone || !value.includes(','))
  return isPlain ? value : JSON.stringify(value).replace(invisible, spell)
}

// Quotes begin a JSON text; control characters and line ends may not stand in keys.
const unclear = /["\p{Cc}\p{Surrogate}\u{2028}\u{2029}]/u
const invisible = /[\p{Cc}\u{2028}\u{2029}]/gu
const spell = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
