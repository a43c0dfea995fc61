import type { TaskId } from '../../kernel/index.ts'
import { findObstacle, isDueForProbe } from '../admission/find-obstacle.ts'
import { chooseProbe, type Line, planClaims } from '../admission/plan-claims.ts'
import type { Candidate, YardState } from '../admission/yard-state.ts'
import type { Claim, ClaimInput } from '../run-steps.ts'
import type { GroupRow, HeadRow } from '../sqlite/queue-statements.ts'
import type { Work } from '../work.ts'
import { type Reading, readYard } from './read-yard.ts'
import { takeTask } from './take-task.ts'

/** Cards that `prepare` may refuse in one call, so that a broken lane cannot keep the loop busy for long. */
const mostRefusals = 200

type Claiming = Work & Reading

/**
 * Starts up to `max` cards: their run rows are written, nothing is spawned. A card that `prepare` refuses gets a run
 * with that outcome and moves; the next one is looked at in its place. What it costs depends on open queues and free
 * slots, never on how many cards wait.
 */
export function claim(work: Claiming, { max, prepare, by = null }: ClaimInput): readonly Claim[] {
  const claims: Claim[] = []
  const refused = new Set<TaskId>()
  for (let before = -1; refused.size > before && refused.size < mostRefusals; ) {
    before = refused.size
    for (const candidate of chooseNext(work, max - claims.length)) {
      // Sent back without a time of its own: once in a call is enough.
      if (refused.has(candidate.task)) return claims
      const made = takeTask(work, candidate, { prepare, by })
      if (made === undefined) refused.add(candidate.task)
      else claims.push(made)
    }
  }
  return claims
}

function chooseNext(work: Claiming, max: number): readonly Candidate[] {
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
    ? [
        ...work.store.canaryHeads({ batch: batch.id, queueGroup: group.id }),
        ...work.store.reviewHeads({ queueGroup: group.id, limit: wanted }),
      ].sort(inClaimOrder)
    : readHeads(work, yard, group.id, wanted)
  const candidates = heads.map((head) => candidateOf(group, head, { canary: onlyCanaries, probe: false }))
  return [{ served: group.served, candidates }]
}

function readHeads({ store }: Work, yard: YardState, queueGroup: number, wanted: number): readonly HeadRow[] {
  // Folders in use are skipped by the planner: there are never more of them than open runs.
  const limit = wanted + yard.occupied.length
  const heads = [...store.plainHeads({ queueGroup, limit: wanted }), ...store.folderHeads({ queueGroup, limit })]
  return heads.sort(inClaimOrder)
}

const inClaimOrder = (a: HeadRow, b: HeadRow): number => a.rank - b.rank || a.task - b.task

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

/** A head of a group as the planner sees it. The review of a card takes no canary's place and waits for none. */
export const candidateOf = (
  group: GroupRow,
  { task, rank, folder, review }: HeadRow,
  { canary, probe }: Pick<Candidate, 'canary' | 'probe'>,
): Candidate => ({ task, rank, ...place(group, { folder, probe, canary: canary || review === 1 }) })
