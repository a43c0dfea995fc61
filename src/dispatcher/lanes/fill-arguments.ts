import {
  fillPlaceholders,
  formatTaskId,
  type Placeholder,
  splitNeed,
  suggestName,
  taskPlaceholders,
  unescapePlaceholders,
} from '../../kernel/index.ts'
import type { LaunchContext, NeedResult } from './lane-launch.ts'
import { promptFile } from './lane-launch.ts'

export type FilledArguments =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly says: string }

/**
 * An argument list with every `${{ … }}` replaced by its value. A value stays inside its argument and meets no shell,
 * whatever is in it. A name that means nothing is an answer, not an empty text.
 */
export function fillArguments(template: readonly string[], context: LaunchContext): FilledArguments {
  const faults: string[] = []
  const fill = (placeholder: Placeholder) => {
    const value = readValue(placeholder, context)
    if (value !== undefined) return value
    faults.push(sayUnknown(placeholder))
    return undefined
  }
  const argv = template.map((argument) => fillText(argument, fill))
  return faults.length === 0 ? { ok: true, argv } : { ok: false, says: faults.join('; ') }
}

/**
 * A prompt with the values of its task, matrix and needs. A name that means nothing stays as it is written: the reader
 * of a batch file has refused it before, and in a card that somebody typed it is text about something else. So does the
 * environment: it holds secrets, and a prompt goes to a provider.
 */
export function fillPrompt(text: string, context: LaunchContext): string {
  return fillText(text, (placeholder) => (placeholder.scope === 'env' ? undefined : readValue(placeholder, context)))
}

/** Nothing in a value is a placeholder or an escape of one. */
function fillText(text: string, fill: (placeholder: Placeholder) => string | undefined): string {
  return unescapePlaceholders(
    fillPlaceholders(text, (placeholder) => fill(placeholder)?.replaceAll('${{', () => '$${{')),
  )
}

function readValue({ scope, name }: Placeholder, context: LaunchContext): string | undefined {
  switch (scope) {
    case 'task':
      return own(taskValues, name)?.(context)
    case 'matrix':
      return own(context.spec.matrix ?? {}, name)
    case 'env':
      return own(context.env, name)
    case 'needs':
      return needValue(name, context)
    default:
      return undefined
  }
}

/** Never what an object inherits: `${{ task.constructor }}` is no name. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

const taskValues: Readonly<Record<(typeof taskPlaceholders)[number], (context: LaunchContext) => string>> = {
  id: ({ task }) => formatTaskId(task.id),
  key: ({ task }) => task.rowKey ?? task.key ?? formatTaskId(task.id),
  title: ({ task }) => task.title,
  dir: ({ plan }) => plan.folder,
  attempt: ({ attempt }) => String(attempt),
  prompt_file: ({ runDir }) => `${runDir}/${promptFile}`,
  run_dir: ({ runDir }) => runDir,
}

/** A key with a matrix stands for all its rows; their values follow each other with an empty line between. */
function needValue(name: string, { needs }: LaunchContext): string | undefined {
  const wanted = splitNeed(name)
  if (wanted === undefined) return undefined
  const read = own(needValues, wanted.field)
  const all = needs()
  const exact = all.filter((need) => need.key === wanted.key || formatTaskId(need.task) === wanted.key)
  const rows = exact.length > 0 ? exact : all.filter((need) => need.key?.startsWith(`${wanted.key}[`))
  return read === undefined || rows.length === 0 ? undefined : rows.map(read).join('\n\n')
}

const needValues: Readonly<Record<string, (need: NeedResult) => string>> = {
  result: ({ result, output }) => result ?? output ?? '',
  outcome: ({ outcome, status }) => outcome ?? status,
  output: ({ output }) => output ?? '',
}

function sayUnknown({ scope, name, written }: Placeholder): string {
  if (scope === 'task') return `${written} is not known: ${suggestName(name, taskPlaceholders)}`
  if (scope === 'needs')
    return `${written} names no task that this one needs, or no field of it (result, outcome, output)`
  if (scope === 'env') return `${written}: the task's environment has no ${name}`
  if (scope === 'matrix') return `${written}: the task has no such matrix value`
  return `${written} is not known; there are task, needs, matrix and env`
}
