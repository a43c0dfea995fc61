import type { Client } from '../../api/client/index.ts'
import type { BatchView, HealthView, ListTasksQuery, TaskView, WhyView } from '../../api/contract/index.ts'
import { taskPages } from '../targets/all-tasks.ts'

/** The tasks of one heading of the list: the first of them, and how many there are in all. */
export interface Section {
  readonly rows: readonly TaskView[]
  readonly total: number
}

/** All that one look at the board shows, read at about the same moment. */
export interface ListView {
  readonly health: HealthView
  readonly needsYou: Section
  readonly running: Section
  readonly waiting: Section
  readonly failed: Section
  readonly done: number
  /** How many of these a check of ours has passed on, and how many prompts none; null: too many to look at each. */
  readonly doneHow: { readonly checked: number; readonly unchecked: number } | null
  readonly cancelled: number
  /** Of the board or batch, where counts are kept of it. */
  readonly archived: number
  /** Why each shown waiting task waits, by task. */
  readonly why: ReadonlyMap<number, WhyView>
}

const groups = {
  needsYou: ['blocked', 'review'],
  running: ['running'],
  waiting: ['ready', 'todo', 'triage'],
  failed: ['failed'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Most rows under one heading; the rest is counted. A board of 100,000 tasks is looked at as fast as one of ten. */
const shown = { needsYou: 20, running: 50, waiting: 15, failed: 5 } as const

export async function gatherList(client: Client, query: ListTasksQuery): Promise<ListView> {
  const health = await client.health()
  const counts = await countsOf(client, query, health)
  const section = async (name: keyof typeof groups): Promise<Section> => {
    const total = groups[name].reduce((sum, status) => sum + (counts[status] ?? 0), 0)
    if (total === 0) return { rows: [], total }
    const page = await client.listTasks({ ...query, status: groups[name].join(','), limit: shown[name] })
    return { rows: page.rows, total: Math.max(total, page.rows.length) }
  }
  const [needsYou, running, waiting, failed] = await Promise.all([
    section('needsYou'),
    section('running'),
    section('waiting'),
    section('failed'),
  ])
  return {
    health,
    needsYou,
    running,
    waiting,
    failed,
    done: counts.done ?? 0,
    doneHow: await doneHowOf(client, query, counts.done ?? 0),
    cancelled: counts.cancelled ?? 0,
    archived: counts.archived ?? 0,
    why: await whyOf(client, waiting.rows),
  }
}

/** More done tasks than this are not looked at one by one: a list answers at once, however much was done. */
const mostLookedAt = 200

async function doneHowOf(client: Client, query: ListTasksQuery, done: number): Promise<ListView['doneHow']> {
  if (done > mostLookedAt) return null
  const { rows } = done === 0 ? { rows: [] } : await client.listTasks({ ...query, status: 'done', limit: mostLookedAt })
  const checked = rows.filter(({ last_run }) => last_run?.checked === true)
  const prompts = rows.filter(({ kind, last_run }) => kind === 'prompt' && last_run?.checked !== true)
  return { checked: checked.length, unchecked: prompts.length }
}

/** The store keeps counts of everything and of each batch; other selections are counted page by page. */
async function countsOf(
  client: Client,
  query: ListTasksQuery,
  health: HealthView,
): Promise<Readonly<Record<string, number>>> {
  const { batch, ...others } = query
  if (Object.keys(others).length === 0) {
    return batch === undefined ? health.counts : listedOf((await client.batch(batch)).counts)
  }
  const counts: Record<string, number> = {}
  for await (const rows of taskPages(client, query)) {
    for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

/** What a list shows of a batch, whose own counts keep what is archived. */
function listedOf({ by_status, archived }: BatchView['counts']): Readonly<Record<string, number>> {
  const listed = Object.entries(by_status).map(([status, tasks]) => [status, tasks - (archived[status] ?? 0)])
  return { ...Object.fromEntries(listed), archived: Object.values(archived).reduce((sum, tasks) => sum + tasks, 0) }
}

async function whyOf(client: Client, rows: readonly TaskView[]): Promise<ReadonlyMap<number, WhyView>> {
  const answers = await Promise.all(
    rows.map(async (task): Promise<readonly [number, WhyView] | undefined> => {
      // Between the two reads it may have started or gone: then its row simply says less.
      const why = await client.why(task.id).catch(() => undefined)
      return why === undefined ? undefined : [task.id, why]
    }),
  )
  return new Map(answers.filter((one) => one !== undefined))
}
