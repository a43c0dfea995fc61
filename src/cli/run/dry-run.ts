import type { NewBatchBody } from '../../api/contract/index.ts'
import type { BoardConfig } from '../../kernel/config/index.ts'
import { type BatchRow, type LaneOption, laneOf } from '../batch-file/index.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { type RowPlace, rowPlace } from './row-place.ts'

export interface DryRunInput {
  readonly body: NewBatchBody
  readonly rows: readonly BatchRow[]
  readonly lanes: readonly LaneOption[]
  /** Undefined where the configuration is not known here, or does not name it. */
  readonly board: BoardConfig | undefined
}

/** Tasks of one key in the file. */
export interface DryGroup {
  readonly task: string
  readonly rows: number
  readonly lane: string
  readonly workspace: RowPlace['workspace']
  /** Of worktrees, where all are of the same one and it is known. */
  readonly repo: string | undefined
  readonly checked: boolean
  readonly unfit: RowPlace['unfit']
}

export interface DryRun {
  readonly groups: readonly DryGroup[]
  readonly warnings: readonly string[]
  /** How much room its worktrees would take, in a line; absent where there are none, or none can be measured. */
  readonly disk?: string | undefined
}

/** What a batch would be: its tasks by key with their lane, and what would keep some of them from starting. */
export function planDryRun({ body, rows, lanes, board }: DryRunInput): DryRun {
  const groups = new Map<string, { rows: number } & Omit<DryGroup, 'task' | 'rows'>>()
  for (const { task, body: row } of rows) {
    const lane = laneOf(lanes, {
      kind: row.prompt === undefined ? 'run' : 'prompt',
      task: row.lane,
      defaults: body.defaults.lane,
      board: board?.lane ?? undefined,
    })
    const group = groups.get(task)
    if (group === undefined) groups.set(task, { rows: 1, lane, ...rowPlace(row, body, board) })
    else group.rows += 1
  }
  const listed = [...groups].map(([task, group]) => ({ task, ...group }))
  return {
    groups: listed,
    warnings: [...unfitWarnings(listed), ...laneWarnings(listed, lanes), ...limitWarnings(body)],
  }
}

function unfitWarnings(groups: readonly DryGroup[]): readonly string[] {
  return groups
    .filter(({ unfit }) => unfit !== undefined)
    .map(
      ({ task, unfit }) =>
        `run will refuse it: ${unfit} of ${onOneLine(task)} is judged in a worktree, and it works in none (workspace: worktree)`,
    )
}

/** Lanes that tasks of the batch need and that could not start any of them now. */
export function unreadyLanes(
  groups: readonly DryGroup[],
  lanes: readonly LaneOption[],
): readonly { readonly name: string; readonly says: string; readonly tasks: number }[] {
  return lanes
    .filter(({ ready }) => !ready)
    .map(({ name, says }) => ({
      name,
      says,
      tasks: groups.filter(({ lane }) => lane === name).reduce((sum, { rows }) => sum + rows, 0),
    }))
    .filter(({ tasks }) => tasks > 0)
}

function laneWarnings(groups: readonly DryGroup[], lanes: readonly LaneOption[]): readonly string[] {
  return unreadyLanes(groups, lanes).map(
    ({ name, says, tasks }) => `lane ${name} is not ready (${says}); ${count(tasks, 'task')} would wait for it`,
  )
}

function limitWarnings({ limits, tasks }: NewBatchBody): readonly string[] {
  const { first, slots } = limits
  return [
    ...(first !== undefined && first > tasks.length
      ? [`limits.first is ${first}, and the batch has ${count(tasks.length, 'task')}: all of it is the canary`]
      : []),
    ...(slots !== undefined && slots > tasks.length
      ? [`limits.slots is ${slots}, and the batch has ${count(tasks.length, 'task')}`]
      : []),
  ]
}

/** The dry run for people. */
export function dryRunLines(
  { groups, warnings, disk }: DryRun,
  { body }: Pick<DryRunInput, 'body'>,
): readonly string[] {
  const parts = groups.slice(0, mostShown).map(groupWords)
  const left = groups.length - parts.length
  const more = left === 0 ? '' : `, and ${count(left, 'more key', 'more keys')}`
  const limits = Object.entries(body.limits).map(([name, value]) => `${name} ${value}`)
  return [
    `${count(body.tasks.length, 'task')}: ${parts.join(', ')}${more}. Order: by priority, then file. No cycles.`,
    ...(limits.length === 0 ? [] : [`Limits: ${limits.join(', ')}.`]),
    ...warnings.map((warning) => `Warning: ${warning}.`),
    ...(disk === undefined ? [] : [disk]),
    'Nothing was created.',
  ]
}

/** `prompts 210 (claude, worktree, check)`; a command in the folder of the file needs no word for it. */
function groupWords({ task, rows, lane, workspace, checked }: DryGroup): string {
  const how = [lane, ...(workspace === 'here' ? [] : [placeWords[workspace]]), ...(checked ? ['check'] : [])]
  return `${onOneLine(task)} ${rows} (${how.join(', ')})`
}

const placeWords = { scratch: 'scratch', worktree: 'worktree', dir: 'in a folder' } as const

const mostShown = 12
