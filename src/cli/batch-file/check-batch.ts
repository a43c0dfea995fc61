import { BatchTaskBody, NewBatchBody, parseWallTime } from '../../api/contract/index.ts'
import { checkShape, type Fault, formatPath, isFields, type Path } from '../../kernel/config/index.ts'
import { suggestName } from '../../kernel/index.ts'
import { findAmountFaults } from './amount-faults.ts'
import { type BatchDocument, faultAt } from './batch-document.ts'
import type { BatchRequest, ReadDeps } from './batch-request.ts'
import type { WrittenBatch, WrittenTask } from './batch-schema.ts'
import { codeFaults, filledCodeFaults, manyBranchFaults } from './check-code.ts'
import { checkPlaceholders } from './check-placeholders.ts'
import { codeTexts } from './code-texts.ts'
import type { BatchRow } from './expand-task.ts'
import { fillKnown } from './fill-texts.ts'
import type { LinkedRows } from './link-needs.ts'
import { shellCodeWith, shellPlaceholder } from './shell-placeholders.ts'

export interface BatchInput {
  readonly written: unknown
  readonly rows: readonly BatchRow[]
  readonly linked: LinkedRows
  readonly deps: Pick<ReadDeps, 'lanes' | 'env'>
  readonly request: Pick<BatchRequest, 'key' | 'redo' | 'mode'>
  /** Tasks of the file that have faults of their own: what follows from those is not told as well. */
  readonly unread: ReadonlySet<string>
}

/** The rules between the parts of a batch: lanes, needs, keys, times, placeholders outside of tasks. */
export function checkBatch(document: BatchDocument, input: BatchInput): readonly Fault[] {
  const { written, rows, linked, unread } = input
  if (!isFields(written)) return []
  const batch = written as Partial<WrittenBatch>
  const at = (path: Path, says: string, fix: string) => faultAt(document, path, { says, fix })
  const code = wrongCode(batch, input)
  const told = new Set(code.flatMap(([[of, task]]) => (of === 'tasks' ? [task] : [])))
  return [
    ...nameFaults(batch, input).map(([path, words]) => faultAt(document, path, words)),
    ...filledFaults(batch, input).map(([path, words]) => faultAt(document, path, words)),
    ...laneFaults(batch, input).map(([path, words]) => faultAt(document, path, words)),
    ...code.map(([path, words]) => faultAt(document, path, words)),
    ...timeFaults(batch).map(([path, words]) => faultAt(document, path, words)),
    ...amountFaults(batch).map(([path, words]) => faultAt(document, path, words)),
    ...duplicateKeys(rows).map(({ task, key }) =>
      at(['tasks', task], `makes the key ${key}, which another task has`, 'rename one'),
    ),
    ...rowFaults(rows.filter(({ task }) => !unread.has(task) && !told.has(task))).map(({ task, words }) =>
      faultAt(document, ['tasks', task], words),
    ),
    ...manyBranchFaults(rows).map(([task, words]) => faultAt(document, ['tasks', task, 'workspace', 'ref'], words)),
    ...linked.faults.map(({ task, says, fix }) => at(['tasks', task, 'needs'], says, fix)),
    ...(unread.size === 0 ? redoFaults(rows, input.request) : []),
  ]
}

type Words = { readonly says: string; readonly fix: string }
type Placed = readonly [Path, Words]

function nameFaults(batch: Partial<WrittenBatch>, { deps, request }: BatchInput): readonly Placed[] {
  const texts: (readonly [Path, unknown])[] = [[['name'], batch.name]]
  // A key given by hand stands in for the file's, which is then not looked at.
  if (request.key === undefined) texts.push([['key'], batch.key])
  const { env = {}, labels = [] } = batch.defaults ?? {}
  const known = { scopes: ['env'] as const, matrix: [], needs: [], env: deps.env }
  const nothing = { ...known, scopes: [] }
  const values = isFields(env)
    ? Object.entries(env).map(([name, value]) => [['defaults', 'env', name], value] as const)
    : []
  const words = Array.isArray(labels)
    ? labels.map((label, index) => [['defaults', 'labels', index], label] as const)
    : []
  const code = isFields(batch.defaults) ? codeTexts(batch.defaults) : []
  const shells = shellCodeWith(isFields(batch.defaults) ? batch.defaults : {})
  const codeScopes = { folder: ['env'], ref: ['env'], glob: [], word: ['task'], shell: [] } as const
  return [
    ...code.flatMap(({ path, text, of }) =>
      of === 'shell' ? [] : placeholdersAt(['defaults', ...path], text, { ...known, scopes: codeScopes[of] }),
    ),
    ...shells.map(({ path }) => [['defaults', ...path], shellPlaceholder] as const),
    ...texts.flatMap(([path, text]) => placeholdersAt(path, text, known)),
    ...[...values, ...words].flatMap(([path, text]) => placeholdersAt(path, text, nothing)),
  ]
}

/** What only shows when it is filled: an empty name, a key of two lines. What is written itself was checked by its shape. */
function filledFaults(batch: Partial<WrittenBatch>, { deps, request }: BatchInput): readonly Placed[] {
  const { name, key } = NewBatchBody.properties
  const places = [
    ['name', name, batch.name],
    ['key', key, request.key === undefined ? batch.key : undefined],
  ] as const
  return places.flatMap(([field, shape, text]) => {
    if (typeof text !== 'string') return []
    const filled = fillKnown(text, undefined, deps.env)
    return filled === text ? [] : checkShape(shape, filled).map(({ says, fix }) => [[field], { says, fix }] as const)
  })
}

function placeholdersAt(path: Path, text: unknown, known: Parameters<typeof checkPlaceholders>[1]): readonly Placed[] {
  if (typeof text !== 'string') return []
  return checkPlaceholders(text, known).map(({ says, fix }) => [path, { says, fix }])
}

function laneFaults(batch: Partial<WrittenBatch>, { deps: { lanes } }: BatchInput): readonly Placed[] {
  const names = lanes.map(({ name }) => name)
  const unknown = (path: Path, lane: unknown): readonly Placed[] =>
    typeof lane !== 'string' || names.includes(lane)
      ? []
      : [[path, { says: `names no lane: ${lane}`, fix: suggestName(lane, names) }]]
  return [
    ...unknown(['defaults', 'lane'], batch.defaults?.lane),
    ...tasksOf(batch).flatMap(([key, task]) => {
      const path = ['tasks', key, 'lane']
      const lane = lanes.find(({ name }) => name === task.lane)
      if (task.run !== undefined && lane !== undefined && lane.uses !== 'command') {
        const commands = lanes.filter(({ uses }) => uses === 'command').map(({ name }) => name)
        const says = `(${lane.name}) is for prompts, and this task has run`
        return [[path, { says, fix: `name a lane for commands: ${commands.join(', ')}` }] as const]
      }
      return unknown(path, task.lane)
    }),
  ]
}

function wrongCode(batch: Partial<WrittenBatch>, { deps: { lanes } }: BatchInput): readonly Placed[] {
  const names = lanes.map(({ name }) => name)
  const below = (at: Path, fields: unknown): readonly Placed[] =>
    isFields(fields) ? codeFaults(fields, names).map(([path, words]) => [[...at, ...path], words]) : []
  return [
    ...below(['defaults'], batch.defaults),
    ...tasksOf(batch).flatMap(([key, task]) => below(['tasks', key], task)),
  ]
}

function tasksOf(batch: Partial<WrittenBatch>): readonly (readonly [string, WrittenTask])[] {
  if (!isFields(batch.tasks)) return []
  return Object.entries(batch.tasks).filter((entry): entry is [string, WrittenTask] => isFields(entry[1]))
}

/** A pattern lets the 31st of February through; the calendar does not. */
function timeFaults(batch: Partial<WrittenBatch>): readonly Placed[] {
  const times: (readonly [Path, unknown])[] = [
    [['limits', 'stop_at'], batch.limits?.stop_at],
    ...tasksOf(batch).map(([key, task]) => [['tasks', key, 'start_after'], task.start_after] as const),
  ]
  return times.flatMap(([path, text]) =>
    typeof text === 'string' && /\d{4}-/.test(text) && parseWallTime(text, 0) === undefined
      ? [[path, { says: `(${text}) is in no calendar`, fix: 'write a day that exists' }] as const]
      : [],
  )
}

function amountFaults(batch: Partial<WrittenBatch>): readonly Placed[] {
  const places: (readonly [Path, unknown])[] = [
    [['limits'], batch.limits],
    [['defaults'], batch.defaults],
    ...tasksOf(batch).map(([key, task]) => [['tasks', key], task] as const),
  ]
  return places.flatMap(([path, fields]) =>
    findAmountFaults(fields).map(({ field, says, fix }) => [[...path, field], { says, fix }] as const),
  )
}

function duplicateKeys(rows: readonly BatchRow[]): readonly BatchRow[] {
  const seen = new Set<string>()
  return rows.filter(({ key }) => {
    const isSecond = seen.has(key)
    seen.add(key)
    return isSecond
  })
}

/** What only shows when a row is filled: a key that is too long, a label that became two lines. One row of a task is enough. */
function rowFaults(rows: readonly BatchRow[]): readonly { readonly task: string; readonly words: Words }[] {
  const faults = new Map<string, { readonly task: string; readonly words: Words }>()
  for (const { task, key, body } of rows) {
    if (faults.has(task)) continue
    const filled = filledCodeFaults(body).map(([path, words]) => ({ path, ...words }))
    const [fault] = [...checkShape(BatchTaskBody, body), ...filled]
    if (fault === undefined) continue
    const says = `row ${key}: ${formatPath(fault.path)} ${fault.says}`.replace(/ {2,}/g, ' ')
    faults.set(task, { task, words: { says, fix: fault.fix } })
  }
  return [...faults.values()]
}

function redoFaults(rows: readonly BatchRow[], { redo }: BatchInput['request']): readonly Fault[] {
  const keys = rows.map(({ key }) => key)
  return redo
    .filter((key) => !keys.includes(key))
    .map((key) => ({ file: `--redo ${key}`, path: '', says: 'names no row of this file', fix: suggestName(key, keys) }))
}
