import { formatTaskId, type RunId, runId, type TaskId } from '../../kernel/index.ts'
import { findObstacle, isDueForProbe } from '../admission/find-obstacle.ts'
import { chooseProbe, type Line, planClaims } from '../admission/plan-claims.ts'
import type { Candidate, YardState } from '../admission/yard-state.ts'
import type { Claim, Prepare, PreparedClaim } from '../board.ts'
import type { GroupRow, HeadRow } from '../sqlite/queue-statements.ts'
import { publicTask, type StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { lookAtBatch } from './batches.ts'
import { getTask } from './get-task.ts'
import { moveTask } from './move-task.ts'
import { readYard } from './read-yard.ts'
import { exitRun, settleTask } from './runs.ts'

/** Cards that `prepare` may refuse in one call, so that a broken lane cannot keep the loop busy for long. */
const mostRefusals = 200

/**
 * Starts up to `max` cards: their run rows are written, nothing is spawned. A card that `prepare` refuses gets a run
 * with that outcome and moves; the next one is looked at in its place. What it costs depends on open queues and free
 * slots, never on how many cards wait.
 */
export function claim(
  work: Work,
  { max, prepare }: { readonly max: number; readonly prepare: Prepare },
): readonly Claim[] {
  const claims: Claim[] = []
  const refused = new Set<TaskId>()
  for (let before = -1; refused.size > before && refused.size < mostRefusals; ) {
    before = refused.size
    for (const candidate of chooseNext(work, max - claims.length)) {
      // Sent back without a time of its own: once in a call is enough.
      if (refused.has(candidate.task)) return claims
      const made = take(work, candidate, prepare)
      if (made === undefined) refused.add(candidate.task)
      else claims.push(made)
    }
  }
  return claims
}

function chooseNext(work: Work, max: number): readonly Candidate[] {
  const groups = work.store.readyGroups({})
  const yard = readYard(
    work,
    groups.flatMap((group) => group.batch ?? []),
  )
  const free = yard.slots - yard.occupied.filter((run) => !run.ended).length
  const wanted = Math.min(max, free)
  if (wanted <= 0) return []
  const lines = groups.flatMap((group) => readLine(work, yard, group, wanted))
  return planClaims(yard, [...lines, ...readProbes(work, yard, groups)], wanted)
}

/** The first cards of a group that is open; nothing is read of one that is held. */
function readLine(work: Work, yard: YardState, group: GroupRow, wanted: number): readonly Line[] {
  const batch = group.batch === null ? undefined : yard.batches.get(group.batch)
  const onlyCanaries = batch?.canary === 'open' && batch.canariesSent >= (batch.limits.first ?? 0)
  if (findObstacle(yard, place(group, { folder: '', canary: true, probe: false })) !== undefined) return []
  const heads = onlyCanaries
    ? work.store.canaryHeads({ batch: batch.id, queueGroup: group.id })
    : readHeads(work, yard, group.id, wanted)
  const candidates = heads.map((head) => candidateOf(group, head, { canary: onlyCanaries, probe: false }))
  return [{ served: group.served, candidates }]
}

function readHeads({ store }: Work, yard: YardState, queueGroup: number, wanted: number): readonly HeadRow[] {
  // Folders in use are skipped by the planner: there are never more of them than open runs.
  const limit = wanted + yard.occupied.length
  const heads = [...store.plainHeads({ queueGroup, limit: wanted }), ...store.folderHeads({ queueGroup, limit })]
  return heads.sort((a, b) => a.rank - b.rank || a.task - b.task)
}

/** One line of one card for each account whose closed gate is due. */
function readProbes(work: Work, yard: YardState, groups: readonly GroupRow[]): readonly Line[] {
  const due = new Set(groups.flatMap(({ account }) => (isDueForProbe(yard, account) ? [account] : [])))
  return [...due].flatMap((account) => {
    const candidate = readProbe(
      work,
      yard,
      groups.filter((group) => group.account === account),
    )
    const served = groups.find((group) => group.board === candidate?.board)?.served
    return candidate === undefined || served === undefined ? [] : [{ served, candidates: [candidate] }]
  })
}

/** The card that would be sent through the gate of these groups' account. */
export function readProbe(
  work: Pick<Work, 'store'>,
  yard: YardState,
  groups: readonly GroupRow[],
): Candidate | undefined {
  const gate = yard.gates.get(groups[0]?.account ?? '')
  const closedBy = gate?.closedByRun == null ? null : (work.store.readRun(gate.closedByRun)?.task ?? null)
  // One more than may be passed over: the closer, and those whose folder is in use.
  const limit = 2 + yard.occupied.length
  const candidates = groups.flatMap((group) =>
    work.store.probeHeads({ queueGroup: group.id, limit }).map(({ tempfails, canary, ...head }) => ({
      candidate: candidateOf(group, head, { canary: canary === 1, probe: true }),
      tempfails,
    })),
  )
  return chooseProbe(yard, candidates, closedBy)
}

const place = (
  { board, batch, lane, account }: GroupRow,
  what: Pick<Candidate, 'folder' | 'canary' | 'probe'>,
): Omit<Candidate, 'task' | 'rank'> => ({ board, batch, lane, account, ...what })

/** A head of a group as the planner sees it. */
export const candidateOf = (
  group: GroupRow,
  { task, rank, folder }: HeadRow,
  how: Pick<Candidate, 'canary' | 'probe'>,
): Candidate => ({ task, rank, ...place(group, { folder, ...how }) })

/** Writes the run of a chosen card; undefined when `prepare` refused it. */
function take(work: Work, candidate: Candidate, prepare: Prepare): Claim | undefined {
  const task = getTask(work, candidate.task)
  const spec = work.store.readSpec(task.id)
  if (spec === undefined) throw new Error(`${formatTaskId(task.id)} has no texts`)
  const batch = task.batch === null ? undefined : work.store.readBatch(task.batch)
  const defaults = batch?.batch.defaults ?? null
  const prepared = prepare(publicTask(task), spec, defaults)

  const settings = prepared.ok ? prepared.settings : '{}'
  const run = insertRun(work, candidate, task, settings)
  const running = moveTask(work, task, {
    to: 'running',
    by: 'claim',
    openRun: run,
    runs: task.runs + 1,
    canary: task.canary || batch?.canary === 'open',
    holdCode: null,
    holdText: null,
    holdBy: null,
  })
  if (!prepared.ok) {
    refuse(work, running, run, prepared)
    return undefined
  }
  work.store.serveBoard({ board: task.board, run })
  if (candidate.probe && candidate.account !== null) probe(work, candidate.account, running, run)
  const { id, board } = task
  const text = `${formatTaskId(id)} attempt ${running.runs} begins`
  work.tell({ kind: 'run.claimed', task: id, run, board, batch: task.batch, text, data: { attempt: running.runs } })
  const row = work.store.readRun(run)
  if (row === undefined) throw new Error('a claimed run vanished')
  return { task: publicTask(running), run: row, spec, defaults }
}

function insertRun(work: Work, candidate: Candidate, task: StoredTask, settings: string) {
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
      nowMs: work.nowMs,
    }),
  )
}

function leastFreeSlot({ store }: Work): number {
  const taken = new Set(store.usageOfSlots({}).flatMap((run) => (run.ended === 0 ? [run.slot] : [])))
  let slot = 0
  while (taken.has(slot)) slot += 1
  return slot
}

function probe(work: Work, account: string, { id, board, batch }: StoredTask, run: RunId): void {
  work.store.setProbe({ account, run })
  const text = `${formatTaskId(id)} tries whether account ${account} serves again`
  work.tell({ kind: 'account.probed', task: id, run, board, batch, text, data: { account } })
}

/** Nothing was started: the run begins and ends here, with its outcome and reason. */
function refuse(work: Work, task: StoredTask, run: RunId, refusal: PreparedClaim & { ok: false }): void {
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
  settleTask(work, task, move, 0)
  if (batch !== null) lookAtBatch(work, batch)
}
