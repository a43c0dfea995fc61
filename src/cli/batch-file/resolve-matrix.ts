import { suggestName } from '../../kernel/index.ts'
import type { AddFault } from './add-fault.ts'
import type { WrittenAxis, WrittenMatrix } from './batch-schema.ts'
import { checkPlaceholders } from './check-placeholders.ts'
import { expandMatrix, type MatrixRow, productSize, type ResolvedAxis } from './expand-matrix.ts'
import { fillKnown } from './fill-texts.ts'
import { type AxisSources, resolveAxis } from './resolve-axis.ts'

/** More rows than this are a product that nobody meant. */
const mostRows = 100_000

/** The rows of a matrix; `faulty` when something is wrong with it, which was said to `add`. Undefined without one. */
export async function resolveMatrix(
  matrix: WrittenMatrix | undefined,
  { sources, add }: { readonly sources: AxisSources; readonly add: AddFault },
): Promise<readonly MatrixRow[] | undefined | 'faulty'> {
  if (matrix === undefined) return undefined
  let isSound = true
  const fault: AddFault = (path, words) => {
    isSound = false
    add(['matrix', ...path], words)
  }
  const { exclude: written = [], ...axes } = matrix
  const exclude = written.map((one, index) => fillEntry(one, sources.env, (words) => fault(['exclude', index], words)))
  const resolved = await resolveAxes(axes, { sources, fault })
  if (isSound) checkSize(resolved, fault)
  const rows = isSound ? expandMatrix(resolved, exclude) : []
  if (isSound) checkRows(rows, { exclude, fault })
  return isSound ? rows : 'faulty'
}

async function resolveAxes(
  axes: Readonly<Record<string, WrittenAxis>>,
  { sources, fault }: { readonly sources: AxisSources; readonly fault: AddFault },
): Promise<readonly ResolvedAxis[]> {
  const resolved: ResolvedAxis[] = []
  for (const [name, axis] of Object.entries(axes)) {
    const filled = fillAxis(axis, sources.env, (words) => fault([name], words))
    const values = await resolveAxis(filled, sources)
    if (values.ok) resolved.push({ name, values: values.values, holds: 'glob' in filled ? 'files' : 'values' })
    else fault([name], values)
  }
  return resolved
}

function checkSize(axes: readonly ResolvedAxis[], fault: AddFault): void {
  if (axes.length === 0) {
    fault([], { says: 'has no axis', fix: 'name one: matrix: { file: { glob: "src/**/*.ts" } }' })
  }
  const size = productSize(axes)
  if (size > mostRows) fault([], { says: `makes ${size} rows`, fix: `keep it under ${mostRows}, or split the batch` })
}

function checkRows(
  rows: readonly MatrixRow[],
  { exclude, fault }: { readonly exclude: readonly Readonly<Record<string, string>>[]; readonly fault: AddFault },
): void {
  if (rows.length === 0) fault(['exclude'], { says: 'leaves no row', fix: 'exclude less' })
  const known = [...(rows[0]?.names.keys() ?? [])]
  for (const [index, one] of exclude.entries()) {
    for (const name of rows.length === 0 ? [] : Object.keys(one).filter((each) => !known.includes(each))) {
      fault(['exclude', index, name], { says: 'is no axis of this matrix', fix: suggestName(name, known) })
    }
  }
  const labels = new Set<string>()
  for (const { label } of rows) {
    if (labels.has(label))
      fault([], { says: `has ${label} twice`, fix: 'take one out; each row needs a key of its own' })
    labels.add(label)
  }
}

/** `${{ env.… }}` in a matrix: the only scope that is known before there are rows. */
function fillAxis(axis: WrittenAxis, env: AxisSources['env'], fault: AddWords): WrittenAxis {
  const fill = (text: string) => fillText(text, env, fault)
  const fillAll = (texts: string | string[]) => (typeof texts === 'string' ? fill(texts) : texts.map(fill))
  if (Array.isArray(axis))
    return axis.map((entry) => (typeof entry === 'string' ? fill(entry) : fillEntry(entry, env, fault)))
  if ('from' in axis) return { from: fill(axis.from) }
  return { glob: fillAll(axis.glob), ...(axis.not === undefined ? {} : { not: fillAll(axis.not) }) }
}

type AddWords = (words: { readonly says: string; readonly fix: string }) => void

function fillEntry(
  entry: Readonly<Record<string, string>>,
  env: AxisSources['env'],
  fault: AddWords,
): Record<string, string> {
  return Object.fromEntries(Object.entries(entry).map(([column, text]) => [column, fillText(text, env, fault)]))
}

function fillText(text: string, env: AxisSources['env'], fault: AddWords): string {
  for (const words of checkPlaceholders(text, { scopes: ['env'], matrix: [], needs: [], env })) fault(words)
  return fillKnown(text, undefined, env)
}
