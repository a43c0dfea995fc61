import { type BatchTaskBody, longestTitle, normaliseTitle } from '../../api/contract/index.ts'
import type { WrittenTask } from './batch-schema.ts'
import type { MatrixRow } from './expand-matrix.ts'
import { fillCode } from './fill-code.ts'
import { fillForLater, fillKnown } from './fill-texts.ts'

/** One task of the file, checked, with what its rows are made from. */
export interface TaskTemplate {
  /** Key in the file. */
  readonly key: string
  readonly written: WrittenTask
  /** Undefined without a matrix. */
  readonly rows: readonly MatrixRow[] | undefined
  /** The prompt's text of a row; undefined for `run`. */
  readonly promptOf: (row: MatrixRow | undefined) => string | undefined
}

/** One row, ready but for its needs, which are linked when all rows are known. */
export interface BatchRow {
  readonly key: string
  readonly task: string
  /** The source file that it is about, where its matrix says one. */
  readonly file: string | undefined
  readonly body: Omit<BatchTaskBody, 'needs'>
  readonly needs: readonly WrittenNeed[]
}

/** A need as written in a row: the key of a task (all its rows) or of one row. */
export interface WrittenNeed {
  readonly on: string
  readonly when: 'done' | 'always'
}

export interface RowPlace {
  /** Absolute folder of the batch file. */
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The rows of a task, with everything filled in that is known now; `task` and `needs` are left to the hub. */
export function expandTask(template: TaskTemplate, place: RowPlace): readonly BatchRow[] {
  if (template.rows === undefined) return [rowOf(template, undefined, place)]
  return template.rows.map((row) => rowOf(template, row, place))
}

function rowOf({ key: task, written, promptOf }: TaskTemplate, row: MatrixRow | undefined, place: RowPlace): BatchRow {
  const { matrix: _, needs, prompt: __, title, run, env, labels, ...others } = written
  const { check, may_change, workspace, ...settings } = others
  const key = row === undefined ? task : `${task}[${row.label}]`
  const known = (text: string) => fillKnown(text, row, place.env)
  const prompt = promptOf(row)
  return {
    key,
    task,
    file: row?.file,
    needs: needsOf(needs).map(({ on, when }) => ({ on: known(on), when })),
    body: {
      ...settings,
      key,
      ...titleFields({ title, run, key, row }, known),
      ...(prompt === undefined ? {} : { prompt: fillForLater(prompt, row) }),
      // Text is for a shell: nothing is ever put into it. Its values come as variables.
      ...(run === undefined ? {} : { run: typeof run === 'string' ? run : run.map((word) => fillForLater(word, row)) }),
      ...(env === undefined ? {} : { env: mapValues(env, known) }),
      ...(labels === undefined ? {} : { labels: labels.map(known) }),
      ...fillCode({ check, may_change, workspace }, { row, ...place }),
      ...(row === undefined ? {} : { matrix: row.variables }),
    },
  }
}

interface TitleSources {
  readonly title: WrittenTask['title'] | undefined
  readonly run: WrittenTask['run'] | undefined
  readonly key: string
  readonly row: MatrixRow | undefined
}

/** Rows of one text for the shell would all be called the same: they go by their keys, unless the file gives them titles. */
function titleFields(
  { title, run, key, row }: TitleSources,
  known: (text: string) => string,
): { readonly title?: string } {
  if (title !== undefined) return { title: titleOf(known(title)) }
  return row !== undefined && typeof run === 'string' ? { title: titleOf(key) } : {}
}

/** `needs` in its three forms as one. */
export function needsOf(needs: WrittenTask['needs']): readonly WrittenNeed[] {
  const list = needs === undefined ? [] : typeof needs === 'string' ? [needs] : needs
  return list.map((need) =>
    typeof need === 'string' ? { on: need, when: 'done' } : { on: need.task, when: need.when ?? 'done' },
  )
}

/** A made title may become long through its values; the file's own words were checked, so it is cut, visibly. */
function titleOf(filled: string): string {
  const letters = [...normaliseTitle(filled)]
  return letters.length <= longestTitle ? letters.join('') : `${letters.slice(0, longestTitle - 1).join('')}…`
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
