import { formatTaskId, type RunId, runId } from '../../kernel/index.ts'
import type { Candidate } from '../admission/yard-state.ts'
import type { HubIdentity } from '../hub-start.ts'
import type { Run } from '../run.ts'
import type { Claim, Prepare, PreparedClaim } from '../run-steps.ts'
import { formatRunToken, makeTokenSecret } from '../run-token.ts'
import { publicTask, type StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { lookAtBatch } from './batches.ts'
import { getTask } from './get-task.ts'
import { moveTask } from './move-task.ts'
import { exitRun } from './runs.ts'
import { settleTask } from './settle-task.ts'

/** Writes the run of a chosen card; undefined when `prepare` refused it. */
export function takeTask(
  work: Work,
  candidate: Candidate,
  { prepare, by }: { readonly prepare: Prepare; readonly by: HubIdentity | null },
): Claim | undefined {
  const task = getTask(work, candidate.task)
  const spec = work.store.readSpec(task.id)
  if (spec === undefined) throw new Error(`${formatTaskId(task.id)} has no texts`)
  const batch = task.batch === null ? undefined : work.store.readBatch(task.batch)
  const defaults = batch?.batch.defaults ?? null
  const from = task.status === 'review' ? 'review' : 'ready'
  const prepared = prepare(publicTask(task), spec, defaults, { lane: candidate.lane, from })

  const settings = prepared.ok ? prepared.settings : '{}'
  const secret = makeTokenSecret(work.random)
  const run = insertRun(work, candidate, { task, from, settings, tokenHash: secret.hash, by })
  const running = moveTask(work, task, {
    to: 'running',
    by: 'claim',
    openRun: run,
    runs: task.runs + 1,
    canary: task.canary || (from === 'ready' && batch?.canary === 'open'),
    holdCode: null,
    holdText: null,
    holdBy: null,
  })
  if (!prepared.ok) {
    refuse(work, running, { run, from }, prepared)
    return undefined
  }
  work.store.serveBoard({ board: task.board, run })
  if (candidate.probe && candidate.account !== null) probe(work, candidate.account, running, run)
  const { id, board } = task
  const what = from === 'review' ? `, a review by lane ${candidate.lane},` : ''
  const text = `${formatTaskId(id)} attempt ${running.runs}${what} begins`
  work.tell({ kind: 'run.claimed', task: id, run, board, batch: task.batch, text, data: { attempt: running.runs } })
  const row = work.store.readRun(run)
  if (row === undefined) throw new Error('a claimed run vanished')
  return { task: publicTask(running), run: row, spec, defaults, token: formatRunToken(run, secret) }
}

function insertRun(
  work: Work,
  candidate: Candidate,
  {
    task,
    from,
    settings,
    tokenHash,
    by,
  }: {
    readonly task: StoredTask
    readonly from: Run['claimedFrom']
    readonly settings: string
    readonly tokenHash: string
    readonly by: HubIdentity | null
  },
): RunId {
  const { lane, account, folder, probe: isProbe } = candidate
  const fence = Number.parseInt(work.random.hex(4), 16) & 0x7fffffff || 1
  return runId(
    work.store.insertRun({
      task: task.id,
      batch: task.batch,
      attempt: task.runs + 1,
      fence,
      lane,
      account,
      folder,
      slot: leastFreeSlot(work),
      probe: isProbe ? 1 : 0,
      nonce: work.random.hex(8),
      settings,
      tokenHash,
      machine: by?.machine ?? null,
      hub: by?.instance ?? null,
      claimedFrom: from,
      nowMs: work.nowMs,
    }),
  )
}

function leastFreeSlot({ store }: Work): number {
  let free = 0
  for (const { slot } of store.takenSlots({})) {
    if (slot > free) break
    free = slot + 1
  }
  return free
}

function probe(work: Work, account: string, { id, board, batch }: StoredTask, run: RunId): void {
  work.store.setProbe({ account, run })
  const text = `${formatTaskId(id)} tries whether account ${account} serves again`
  work.tell({ kind: 'account.probed', task: id, run, board, batch, text, data: { account } })
}

/** Nothing was started: the run begins and ends here, with its outcome and reason. */
function refuse(
  work: Work,
  task: StoredTask,
  { run, from }: { readonly run: RunId; readonly from: Run['claimedFrom'] },
  refusal: PreparedClaim & { ok: false },
): void {
  const row = work.store.readRun(run)
  if (row === undefined) throw new Error('a refused run vanished')
  const { outcome, reason, move } = refusal
  const nothing = { exitCode: null, signal: null, outputTail: null, result: null, data: null, usage: null }
  exitRun(work, { run, fence: row.fence, outcome, reason, stopDelivered: false, ...nothing })
  work.store.settleRun({ run, fence: row.fence, countsToCap: 1, nowMs: work.nowMs })
  const { id, board, batch } = task
  const text = `${formatTaskId(id)} attempt ${row.attempt} could not start: ${reason} (${outcome})`
  const data = { outcome, attempt: row.attempt }
  work.tell({ kind: 'run.exited', task: id, run, board, batch, text, data })
  settleTask(work, { task, run: { id: run, lane: row.lane, claimedFrom: from } }, move, 0)
  if (batch !== null) lookAtBatch(work, batch)
}
