import { relative, resolve } from 'node:path'
import { readText } from '../../kernel/config/index.ts'
import type { WrittenAxis } from './batch-schema.ts'
import { listFiles } from './list-files.ts'
import { type AxisValue, readRows, toAxisValue } from './read-rows.ts'

/** Where axes take their values from. */
export interface AxisSources {
  /** Absolute folder of the batch file. */
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** All of standard input, read once; undefined where it holds the batch file itself. */
  readonly stdin: (() => Promise<string>) | undefined
}

export type ResolvedValues =
  | { readonly ok: true; readonly values: readonly AxisValue[] }
  | {
      readonly ok: false
      readonly says: string
      readonly fix: string
      /** The data file at fault, where it is not the batch file, with its line. */
      readonly file?: string
      readonly line?: number
    }

/** The values of one axis: its list, the files of its glob, or the rows of its file. None at all is a fault. */
export async function resolveAxis(axis: WrittenAxis, sources: AxisSources): Promise<ResolvedValues> {
  const resolved = await valuesOf(axis, sources)
  if (!resolved.ok) return resolved
  const bad = resolved.values.find(({ label, columns }) => [label, ...Object.values(columns ?? {})].some(holdsNul))
  if (bad === undefined) return resolved
  return { ok: false, says: 'holds a NUL byte, which no variable or argument can', fix: 'take that value out' }
}

const holdsNul = (text: string): boolean => text.includes('\0')

async function valuesOf(axis: WrittenAxis, sources: AxisSources): Promise<ResolvedValues> {
  if (Array.isArray(axis)) return valuesOfList(axis)
  if ('glob' in axis) return await valuesOfGlob(axis, sources)
  if ('from' in axis) return await valuesOfFile(axis.from, sources)
  return { ok: false, says: 'is neither a list, a glob nor a from', fix: 'write one of them' }
}

function valuesOfList(list: readonly unknown[]): ResolvedValues {
  const values = list.map(toAxisValue)
  if (values.every((value) => value !== undefined)) return { ok: true, values }
  return {
    ok: false,
    says: 'holds something that is neither a text nor a flat map',
    fix: 'write texts, or maps of texts',
  }
}

async function valuesOfGlob(
  { glob, not }: { readonly glob: string | readonly string[]; readonly not?: string | readonly string[] },
  { dir, env }: AxisSources,
): Promise<ResolvedValues> {
  const globs = typeof glob === 'string' ? [glob] : glob
  const listed = await listFiles({ dir, globs, not: typeof not === 'string' ? [not] : (not ?? []), env })
  if (!listed.ok) return listed
  if (listed.files.length > 0) return { ok: true, values: listed.files.map((label) => ({ label })) }
  const says = `matches nothing: ${globs.join(', ')} (from ${dir})`
  if (listed.untracked === 0)
    return { ok: false, says, fix: 'mend the pattern; only tracked files count in a repository' }
  return { ok: false, says, fix: `${listed.untracked} files match that git does not track: git add them` }
}

async function valuesOfFile(from: string, { dir, stdin }: AxisSources): Promise<ResolvedValues> {
  if (from === '-') {
    if (stdin === undefined) {
      return {
        ok: false,
        says: 'reads standard input, which holds the batch itself',
        fix: 'put one of them into a file',
      }
    }
    return await rowsOf(await stdin(), { path: null, file: 'standard input' })
  }
  const path = resolve(dir, from)
  const read = readText(path)
  if (!read.ok) return { ok: false, says: `names ${from}, which cannot be read: ${read.why}`, fix: 'write that file' }
  return await rowsOf(read.text, { path, file: relative(dir, path) })
}

async function rowsOf(text: string, { path, file }: { path: string | null; file: string }): Promise<ResolvedValues> {
  const rows = await readRows(text, path)
  if (!rows.ok) return { ...rows, file }
  if (rows.values.length > 0) return rows
  return { ok: false, says: `has no rows: ${file} is empty`, fix: 'give it at least one' }
}
