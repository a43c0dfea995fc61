import { type Clock, type CrashPoint, crashPoint, type Random } from '../kernel/index.ts'
import type { Actor } from './board.ts'
import type { BoardEvent } from './events.ts'
import type { buildNews } from './news.ts'
import type { Attempt, Database, Durability } from './sqlite/database.ts'
import type { Store } from './sqlite/store.ts'
import type { NewEvent, Work } from './work.ts'

export interface WriterDeps {
  readonly db: Database
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly news: ReturnType<typeof buildNews>
}

/** What one change is: in whose name, how sure it must be on the disk, and what it does. */
export interface Change<T> {
  readonly actor: Actor
  readonly durability: Durability
  readonly act: (work: Work) => T
  /** Where a test build may be killed once it is committed. */
  readonly point?: CrashPoint
}

/** The one way in which the board is changed. Events and crash points come after the COMMIT, or never. */
export interface Writer {
  /** One transaction now, after all that was queued before it; inside a queued act a part of that act. */
  write<T>(change: Change<T>): T
  /** See `Board.queue`. */
  queue<T>(act: () => T, durability: Durability): Promise<T>
  /** Commits what is queued. */
  flush(): void
}

export function buildWriter({ db, store, clock, random, news }: WriterDeps): Writer {
  let waiting: QueuedAct[] = []
  /** Of the transaction that runs queued acts just now. */
  let group: { readonly durability: Durability; readonly told: Told } | undefined

  const perform = <T>({ actor: { by }, act, point }: Change<T>, told: Told): T => {
    const nowMs = clock.nowMs()
    const before = told.events.length
    const tell = (event: NewEvent): void => void told.events.push(appendEvent(store, { by, ...event }, nowMs))
    const answer = act({ store, random, nowMs, by, tell })
    // A change that wrote nothing (an empty claim, a batch that goes on) is no commit to be killed at.
    if (point !== undefined && told.events.length > before) told.points.push(point)
    return answer
  }

  const announce = ({ events, points }: Told): void => {
    for (const point of points) crashPoint(point)
    news.deliver(events)
  }

  const flush = (): void => {
    // Asked for by a direct write of an act, or by a listener: what is being committed is not queued any more.
    if (waiting.length === 0 || group !== undefined) return
    const acts = waiting
    waiting = []
    const durability = acts.some((one) => one.durability === 'full') ? 'full' : 'normal'
    const told = newTold()
    let attempts: readonly Attempt<() => void>[]
    try {
      attempts = db.write(durability, () => {
        const done = acts.map(({ run }) => runAct(run, { durability, told }))
        crashPoint('queue.written')
        return done
      })
    } catch (fault) {
      for (const { reject } of acts) reject(fault)
      return
    }
    crashPoint('queue.committed')
    announce(told)
    for (const [i, tried] of attempts.entries()) {
      if (tried.ok) tried.value()
      else acts[i]?.reject(tried.fault)
    }
  }

  /** One act in a savepoint of its own: one that throws leaves nothing, and nothing of it is told. */
  const runAct = (run: () => () => void, { durability, told }: NonNullable<typeof group>): Attempt<() => void> => {
    const own = newTold()
    group = { durability, told: own }
    try {
      const tried = db.attempt(run)
      if (tried.ok) join(told, own)
      return tried
    } finally {
      group = undefined
    }
  }

  return {
    write: (change) => {
      if (group === undefined) {
        flush()
        const told = newTold()
        const answer = db.write(change.durability, () => perform(change, told))
        announce(told)
        return answer
      }
      const { durability, told } = group
      if (change.durability === 'full' && durability === 'normal') {
        throw new Error('an act that was queued as normal makes a change that must be on the disk before its answer')
      }
      const own = newTold()
      const tried = db.attempt(() => perform(change, own))
      if (!tried.ok) throw tried.fault
      join(told, own)
      return tried.value
    },
    queue: (act, durability) =>
      new Promise((resolve, reject) => {
        const run = () => {
          const answer = act()
          return () => resolve(answer)
        }
        waiting.push({ durability, run, reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    flush,
  }
}

interface QueuedAct {
  readonly durability: Durability
  /** Does it, and answers what tells its caller. */
  readonly run: () => () => void
  readonly reject: (fault: unknown) => void
}

/** What becomes known with the COMMIT. */
interface Told {
  readonly events: BoardEvent[]
  readonly points: CrashPoint[]
}

const newTold = (): Told => ({ events: [], points: [] })

/** One by one: a batch of 100,000 cards tells more events than a call may have arguments. */
function join(told: Told, { events, points }: Told): void {
  for (const event of events) told.events.push(event)
  for (const point of points) told.points.push(point)
}

function appendEvent(store: Store, event: NewEvent & { readonly by: string }, nowMs: number): BoardEvent {
  const { kind, text, by, board = null, batch = null, task = null, run = null, data = {} } = event
  const row = { kind, text, by, board, batch, task, run }
  const seq = store.insertEvent({ ...row, nowMs, data: JSON.stringify(data) })
  return { seq, atMs: nowMs, data, ...row }
}
