import type { Client } from '../../api/client/index.ts'
import type { TaskView } from '../../api/contract/index.ts'
import { assertNever, YardError } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'
import { allTasks } from './all-tasks.ts'
import { type Filters, isFiltered, queryOf } from './filters.ts'
import { readLastTarget } from './last-target.ts'
import { parseTarget, type Target } from './parse-target.ts'

export interface TargetDeps {
  readonly client: Client
  readonly home: string
  /** Tasks of a cause group (`@E1`) of the report of a batch. */
  readonly causeGroup: (number: number, batch: string | undefined) => Promise<readonly number[]>
}

export interface TargetInput {
  readonly texts: readonly string[]
  readonly filters: Filters
  readonly board: CliDeps['flags']['board']
  /** Which statuses a group is narrowed to (a batch for `retry` means its failed tasks); empty: all of it. */
  readonly natural: readonly string[]
  /** A group is made of archived tasks, instead of those that lists show. */
  readonly archived?: boolean
}

export interface ResolvedTasks {
  /** In the order they were named, each once. */
  readonly ids: readonly number[]
  /** Some of them were not named one by one. */
  readonly byGroup: boolean
}

/** The tasks that a line means. Every target is read before the first is looked up; what names nothing is an error. */
export async function resolveTasks(deps: TargetDeps, input: TargetInput): Promise<ResolvedTasks> {
  const targets = input.texts.map((text) => ({ text, target: parseTarget(text) }))
  const ids = new Set<number>()
  let byGroup = false
  for (const { text, target } of targets) {
    const resolved = await resolveOne(deps, input, text, target)
    for (const id of resolved.ids) ids.add(id)
    byGroup ||= resolved.byGroup
  }
  if (targets.length === 0 && isFiltered(input.filters)) {
    for (const id of await groupOf(deps, input, {})) ids.add(id)
    byGroup = true
  }
  return { ids: [...ids], byGroup }
}

async function resolveOne(deps: TargetDeps, input: TargetInput, text: string, target: Target): Promise<ResolvedTasks> {
  switch (target.kind) {
    case 'task':
      return one(target.id)
    case 'range':
      return { ids: Array.from({ length: target.to - target.from + 1 }, (_, n) => target.from + n), byGroup: true }
    case 'run':
      return one((await deps.client.run(target.id)).task)
    case 'batch':
      return { ids: await groupOf(deps, input, { batch: await resolveBatch(deps.client, text) }), byGroup: true }
    case 'name':
      return resolveName(deps, input, target.name)
    case 'last':
      return resolveOne(deps, input, text, parseTarget(lastTarget(deps.home)))
    case 'failed':
      return { ids: await groupOf(deps, input, { status: 'failed' }), byGroup: true }
    case 'needs_me':
      return { ids: await groupOf(deps, input, { status: needsMe(input.natural) }), byGroup: true }
    case 'cause':
      return { ids: await deps.causeGroup(target.number, input.filters.batch), byGroup: true }
    default:
      return assertNever(target)
  }
}

/** What needs a person, as far as the verb is about it: an answer is for no review, a verdict for no question. */
function needsMe(natural: readonly string[]): string {
  const needing = ['blocked', 'review']
  const meant = needing.filter((status) => natural.includes(status))
  return (meant.length === 0 ? needing : meant).join(',')
}

const one = (id: number): ResolvedTasks => ({ ids: [id], byGroup: false })

/** What `-` stands for. Throws `CLI_BAD_TARGET` while nothing was used yet. */
export function lastTarget(home: string): string {
  const last = readLastTarget(home)
  if (last !== undefined) return last
  throw cliError('CLI_BAD_TARGET', { target: '-', why: 'no task was used in this home yet' })
}

/** A name is a batch's or a key. Where it is both, or a key of several tasks, guessing would be dangerous. */
async function resolveName(deps: TargetDeps, input: TargetInput, name: string): Promise<ResolvedTasks> {
  const batch = await findBatch(deps.client, name)
  const holders = await tasksWithKey(deps.client, input, name)
  const ids = holders.map((task) => `T${task.id}`)
  if (batch !== undefined && holders.length > 0) {
    throw cliError('CLI_BAD_TARGET', {
      target: name,
      why: `it is the name of batch B${batch} and the key of ${ids.join(', ')}`,
      fix: `say which: B${batch} or ${ids[0]}`,
    })
  }
  if (batch !== undefined) return { ids: await groupOf(deps, input, { batch }), byGroup: true }
  const [holder, ...others] = holders
  if (holder === undefined) throw cliError('CLI_BAD_TARGET', { target: name, why: 'no batch and no key has this name' })
  if (others.length > 0) {
    throw cliError('CLI_BAD_TARGET', {
      target: name,
      why: `it is the key of ${ids.join(', ')}`,
      fix: `say which: ${ids.at(-1)}`,
    })
  }
  return one(holder.id)
}

/** The id of a batch by its name; undefined where none has it. */
export async function findBatch(client: Client, name: string): Promise<number | undefined> {
  try {
    return (await client.batch(name)).id
  } catch (fault) {
    if (fault instanceof YardError && fault.code === 'API_NOT_FOUND') return undefined
    throw fault
  }
}

/** `B7`, `7` or a name, as the id of a batch that exists. Throws `CLI_BAD_TARGET`. */
export async function resolveBatch(client: Client, text: string): Promise<number> {
  const id = /^B?([1-9]\d{0,14})$/i.exec(text)?.[1]
  const found = await findBatch(client, id ?? text)
  if (found !== undefined) return found
  const why = id === undefined ? 'no batch has this name' : 'no batch has this number'
  throw cliError('CLI_BAD_TARGET', { target: text, why })
}

/**
 * Open holders of a key first: a key is free again once its task has ended, so an ended one is only meant where no
 * open one holds it.
 */
async function tasksWithKey(client: Client, { board }: TargetInput, key: string): Promise<readonly TaskView[]> {
  const query = board === undefined ? { key } : { board, key }
  const holders = (await allTasks(client, query)).filter((task) => task.key === key)
  const open = holders.filter((task) => task.settled_at === null)
  return open.length > 0 ? open : holders.slice(-1)
}

async function groupOf(
  { client }: TargetDeps,
  { filters, board, natural, archived }: TargetInput,
  narrow: { readonly batch?: number; readonly status?: string },
): Promise<readonly number[]> {
  const batch = narrow.batch ?? (filters.batch === undefined ? undefined : await resolveBatch(client, filters.batch))
  const query = { ...queryOf(filters, { board, batch }), ...(archived ? { archived: 'only' as const } : {}) }
  const status = query.status ?? narrow.status ?? (natural.length === 0 ? undefined : natural.join(','))
  const tasks = await allTasks(client, status === undefined ? query : { ...query, status })
  return tasks.map((task) => task.id)
}
