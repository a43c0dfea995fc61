import type { Client } from '../../api/client/index.ts'
import type { BatchView, EventView, WhyView } from '../../api/contract/index.ts'
import type { Clock } from '../../kernel/index.ts'
import { taskPages } from '../targets/all-tasks.ts'
import { type EndedAttempt, endKinds } from './end-line.ts'
import { buildProgress, endedOf, type Progress } from './progress.ts'

export interface FollowDeps {
  readonly client: Client
  readonly clock: Clock
}

/** What a follower tells whoever shows it. Calls come one at a time and in the order of the events. */
export interface Listener {
  /** An attempt has ended and its task has moved. */
  ended(end: EndedAttempt): void
  /** Something about the whole batch: it is cut, it goes on. */
  noted(event: EventView): void
}

export interface FollowInput {
  readonly batch: number
  /** Events after this one are told. */
  readonly after: number
  readonly listener: Listener
  readonly signal: AbortSignal
}

/**
 * Tells the ends of a batch until it has a verdict, and answers that; undefined when `signal` fired first. No end is
 * told twice or left out, however often the connection is cut (the stream goes on after the last event). Throws
 * `CLIENT_HUB_GONE` when the hub stays away.
 */
export async function followBatch(
  { client }: Pick<FollowDeps, 'client'>,
  { batch, after, listener, signal }: FollowInput,
): Promise<BatchView | undefined> {
  const names = await namesOf(client, batch)
  for await (const event of client.events(after, { batch }, signal)) {
    const { kind, task } = event
    if (isEnd(kind) && task !== null) listener.ended(await endOf(client, { event, task, names }))
    else if (kind === 'batch.cut' || kind === 'batch.resumed') listener.noted(event)
    else if (kind === 'batch.ended') {
      const view = await client.batch(batch)
      // A person may have let it go on again in the meantime.
      if (view.verdict !== null) return view
    }
  }
  return undefined
}

/** The batch as it stands. `pace` counts from the first look. */
export function watchProgress({ client, clock }: FollowDeps, batch: number): { look(): Promise<Progress> } {
  let first: { readonly ended: number; readonly atMs: number } | undefined
  return {
    async look() {
      const view = await client.batch(batch)
      const running = await client.listTasks({ batch, status: 'running', limit: mostRunning })
      const nowMs = clock.nowMs()
      const ended = endedOf(
        buildProgress({ batch: view, running: [], nowMs, pace: { ended: 0, elapsedMs: 0 }, why: null }),
      )
      first ??= { ended, atMs: clock.monotonicMs() }
      const pace = { ended: ended - first.ended, elapsedMs: clock.monotonicMs() - first.atMs }
      const why = running.rows.length > 0 ? null : await whyNothingRuns(client, batch)
      return buildProgress({ batch: view, running: running.rows, nowMs, pace, why })
    },
  }
}

/** Of the task that is next in line: what holds it, holds the batch. */
async function whyNothingRuns(client: Client, batch: number): Promise<WhyView | null> {
  const { rows } = await client.listTasks({ batch, status: 'ready', limit: 1 })
  return rows[0] === undefined ? null : client.why(rows[0].id)
}

/** More running tasks than a screen has lines are only counted. */
const mostRunning = 60

interface Name {
  readonly key: string
  readonly kind: 'prompt' | 'run'
}

async function namesOf(client: Client, batch: number): Promise<ReadonlyMap<number, Name>> {
  const names = new Map<number, Name>()
  for await (const rows of taskPages(client, { batch })) {
    for (const { id, key, title, kind } of rows) names.set(id, { key: key ?? title, kind })
  }
  return names
}

const isEnd = (kind: string): boolean => (endKinds as readonly string[]).includes(kind)

async function endOf(
  client: Client,
  {
    event,
    task,
    names,
  }: {
    readonly event: EventView
    readonly task: number
    readonly names: ReadonlyMap<number, Name>
  },
): Promise<EndedAttempt> {
  // A person's approval is of the last attempt, and no attempt's own end.
  const run = event.kind === 'task.approved' ? (await client.task(task)).last_run?.id : (event.run ?? undefined)
  const { key, kind } = names.get(task) ?? { key: `T${task}`, kind: 'run' }
  return { event, key, kind, run: run === undefined ? undefined : await client.run(run) }
}
