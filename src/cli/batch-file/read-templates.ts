import { resolve } from 'node:path'
import { type Fault, formatPath, isFields, type Path } from '../../kernel/config/index.ts'
import { suggestName } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'
import type { AddFault, FaultWords } from './add-fault.ts'
import { type BatchDocument, faultAt } from './batch-document.ts'
import type { WrittenAxis, WrittenMatrix, WrittenTask } from './batch-schema.ts'
import { checkPlaceholders, type KnownNames, type Scope } from './check-placeholders.ts'
import type { MatrixRow } from './expand-matrix.ts'
import { needsOf, type TaskTemplate } from './expand-task.ts'
import { readPrompts } from './read-prompts.ts'
import type { AxisSources } from './resolve-axis.ts'
import { resolveMatrix } from './resolve-matrix.ts'
import { shellCodeWith, shellPlaceholder } from './shell-placeholders.ts'
import { promptScopes, taskTexts } from './task-texts.ts'

export interface TemplateInput {
  readonly written: unknown
  /** Each `k=FILE` of `--matrix`. */
  readonly matrixFlags: readonly string[]
  readonly sources: AxisSources
  /** Absolute; files of `--matrix` are typed from here. */
  readonly cwd: string
  /** Faults of shape: a task with one is not looked at further. */
  readonly refused: readonly Fault[]
}

export interface ReadTemplates {
  readonly templates: readonly TaskTemplate[]
  readonly faults: readonly Fault[]
  /** Keys of the tasks with a fault. */
  readonly unread: ReadonlySet<string>
}

/** Every task of the right shape with its matrix resolved, its placeholders checked and its prompt file read. */
export async function readTemplates(document: BatchDocument, input: TemplateInput): Promise<ReadTemplates> {
  const tasks = isFields(input.written) && isFields(input.written.tasks) ? Object.entries(input.written.tasks) : []
  const flagAxes = axesOfFlags(input)
  const templates: TaskTemplate[] = []
  const faults: Fault[] = [...unusedFlags(flagAxes, tasks)]
  const unread = new Set<string>()
  for (const [key, task] of tasks) {
    const path: Path = ['tasks', key]
    if (!isFields(task) || hasFaultBelow(input.refused, path)) {
      unread.add(key)
      continue
    }
    const add: AddFault = (at, words) => {
      unread.add(key)
      faults.push(placeFault(document, [...path, ...at], words))
    }
    const template = await readTemplate(key, withFlagAxes(task as WrittenTask, flagAxes), { ...input, add })
    if (template !== undefined) templates.push(template)
  }
  return { templates, faults, unread }
}

/** At its line of the batch file, or in the data or prompt file that it is about. */
function placeFault(document: BatchDocument, path: Path, { file, line, says, fix }: FaultWords): Fault {
  if (file === undefined) return faultAt(document, path, { says, fix })
  return { file, ...(line === undefined ? {} : { line }), path: '', says, fix }
}

/** One task; undefined when its matrix could not be resolved, so that nothing is known of its rows. */
async function readTemplate(
  key: string,
  written: WrittenTask,
  { sources, add }: Pick<TemplateInput, 'sources'> & { readonly add: AddFault },
): Promise<TaskTemplate | undefined> {
  const rows = await resolveMatrix(written.matrix as WrittenMatrix | undefined, { sources, add })
  if (rows === 'faulty') return undefined
  const knownIn = (scopes: readonly Scope[]): KnownNames => ({
    scopes,
    env: sources.env,
    matrix: namesInEveryRow(rows ?? []),
    needs: needsOf(written.needs).map(({ on }) => on),
  })
  for (const { path, text, scopes, needFields } of taskTexts(written)) {
    const known = { ...knownIn(scopes), ...(needFields === undefined ? {} : { needFields }) }
    for (const { says, fix } of checkPlaceholders(text, known)) add(path, { says, fix })
  }
  refuseShellPlaceholders(written, add)
  const prompts = readPrompts(written.prompt, { rows, dir: sources.dir, known: knownIn(promptScopes), add })
  return { key, written, rows, promptOf: (row) => prompts.get(row) }
}

/** A value that is put into the text of a shell becomes code, whatever is done about quotes. */
function refuseShellPlaceholders(task: WrittenTask, add: AddFault): void {
  if (typeof task.run === 'string' && task.run.includes('${{')) add(['run'], shellPlaceholder)
  for (const { path } of shellCodeWith(task)) add(path, shellPlaceholder)
}

function namesInEveryRow(rows: readonly MatrixRow[]): readonly string[] {
  const [first, ...others] = rows
  return [...(first?.names.keys() ?? [])].filter((name) => others.every(({ names }) => names.has(name)))
}

function hasFaultBelow(faults: readonly Fault[], path: Path): boolean {
  const prefix = formatPath(path)
  return faults.some(
    ({ path: at }) => at === prefix || (at.startsWith(prefix) && /^[.[]/.test(at.slice(prefix.length))),
  )
}

/** `--matrix k=FILE`: the axis `k` of every task that has one takes its values from there instead. */
function axesOfFlags({ matrixFlags, cwd }: TemplateInput): ReadonlyMap<string, WrittenAxis> {
  const axes = new Map<string, WrittenAxis>()
  for (const flag of matrixFlags) {
    const equals = flag.indexOf('=')
    if (equals <= 0 || equals === flag.length - 1) {
      throw cliError('CLI_BAD_USE', {
        says: `--matrix ${flag} is not k=FILE`,
        fix: '--matrix repo=repos.txt, or repo=-',
      })
    }
    const from = flag.slice(equals + 1)
    axes.set(flag.slice(0, equals), { from: from === '-' ? '-' : resolve(cwd, from) })
  }
  return axes
}

function withFlagAxes(task: WrittenTask, flags: ReadonlyMap<string, WrittenAxis>): WrittenTask {
  if (task.matrix === undefined || flags.size === 0) return task
  const axes = Object.entries(task.matrix).map(([name, axis]) => [name, flags.get(name) ?? axis])
  return { ...task, matrix: Object.fromEntries(axes) }
}

function unusedFlags(flags: ReadonlyMap<string, WrittenAxis>, tasks: readonly [string, unknown][]): readonly Fault[] {
  const names = tasks.flatMap(([, task]) =>
    isFields(task) && isFields(task.matrix) ? Object.keys(task.matrix).filter((name) => name !== 'exclude') : [],
  )
  return [...flags.keys()]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      file: `--matrix ${name}`,
      path: '',
      says: 'names no axis of this file',
      fix: suggestName(name, [...new Set(names)]),
    }))
}
