import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, connectHttp, readToken } from '../../../src/api/client/index.ts'

/** What the product says of a round, read over its API: what it is held against the traces for. */
export interface Books {
  readonly tasks: readonly BookedTask[]
  /** How often the end of each run was told. */
  readonly exits: ReadonlyMap<number, number>
  readonly settlements: ReadonlyMap<number, number>
}

export interface BookedTask {
  readonly key: string
  readonly status: string
  /** Why it is where it is, as the product says it. */
  readonly why: string
  readonly runs: readonly BookedRun[]
}

export interface BookedRun {
  readonly id: number
  readonly phase: string
  readonly outcome: string | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: string
}

/** The hub of a home, when one answers there now. */
export async function connect(home: string): Promise<Client | undefined> {
  try {
    const { port } = JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8')) as { port: number }
    const token = readToken(join(home, 'token'))
    if (token === undefined) return undefined
    const client = connectHttp({ port, token, by: 'torture' })
    return (await client.health()).home === home ? client : undefined
  } catch {
    return undefined // none has come so far, or it has just gone
  }
}

/** The home in which `run` works without a hub; undefined before it has made one. */
export function findPrivateHome(home: string): string | undefined {
  try {
    const [name] = readdirSync(join(home, 'run'))
    return name === undefined ? undefined : join(home, 'run', name)
  } catch {
    return undefined
  }
}

/** All of it. */
export async function readBooks(client: Client): Promise<Books> {
  const { tasks } = await client.batchReport('torture')
  const exits = new Map<number, number>()
  const settlements = new Map<number, number>()
  for (let after = 0; ; ) {
    const page = await client.eventsPage(after, 1_000)
    for (const { kind, run } of page) {
      const counts = kind === 'run.exited' ? exits : kind === 'run.settled' ? settlements : undefined
      if (run !== null) counts?.set(run, (counts.get(run) ?? 0) + 1)
    }
    after = page.at(-1)?.seq ?? after
    if (page.length === 0) break
  }
  return {
    exits,
    settlements,
    tasks: tasks.map(({ key, status, hold, why, all_runs }) => ({
      key: key ?? '',
      status,
      why: hold?.text ?? why?.says ?? '',
      runs: all_runs.map(({ id, phase, outcome, exit_code, signal, reason }) => ({
        id,
        phase,
        outcome,
        exitCode: exit_code,
        signal,
        reason: reason ?? '',
      })),
    })),
  }
}

/**
 * Plays the person who looks after the yard: what needs one is tried again, what will say "later" for ever is called off,
 * and an account that is held for long is tried at once. True once every task is over.
 */
export async function lookAfter(client: Client): Promise<boolean> {
  const { counts } = await client.batch('torture')
  const settled = ['done', 'failed', 'cancelled'].map((status) => counts.by_status[status] ?? 0)
  if (counts.total > 0 && settled.reduce((sum, tasks) => sum + tasks, 0) === counts.total) return true
  await resumeAccounts(client)
  if ((counts.by_status.blocked ?? 0) === 0) return false
  const { rows } = await client.listTasks({ status: 'blocked', limit: 100 })
  for (const { id, key } of rows) await client.act(id, key?.includes('forever_later') ? 'cancel' : 'retry')
  return false
}

/** A limit that was met on a clock that is wrong may last a minute: a round has no time for that. */
const longHoldMs = 5_000

async function resumeAccounts(client: Client): Promise<void> {
  const { accounts } = await client.health()
  for (const { name, until } of accounts) {
    if (until !== null && Date.parse(until) - Date.now() > longHoldMs) await client.resume({ scope: 'account', name })
  }
}
