import type { TaskId } from '../../kernel/index.ts'
import { findObstacle } from './find-obstacle.ts'
import type { Candidate, YardState } from './yard-state.ts'

/** Candidates of one queue group in claim order, with when its board was last served (less is longer ago). */
export interface Line {
  readonly served: number
  readonly candidates: readonly Candidate[]
}

/** A startable card of an account whose gate is due, with how often it met a limit. */
export interface ProbeCandidate {
  readonly candidate: Candidate
  readonly tempfails: number
}

/**
 * Chooses up to `max` cards to start: higher priority first, then the board that was served longest ago, then the
 * older card (design section 7). Each choice takes its slots, folder and place as canary before the next is looked at.
 * A head that cannot start never stops the next: its line goes on, or another line does.
 */
export function planClaims(yard: YardState, lines: readonly Line[], max: number): readonly Candidate[] {
  const served = new Map<string, number>()
  for (const { served: last, candidates } of lines) {
    for (const { board } of candidates.slice(0, 1)) served.set(board, last)
  }
  let turn = Math.max(0, ...served.values())
  const open = lines.map(({ candidates }) => ({ candidates, next: 0 }))
  const chosen: Candidate[] = []
  let now = yard

  while (chosen.length < max) {
    const line = best(open, served)
    const candidate = line?.candidates[line.next]
    if (line === undefined || candidate === undefined) break
    line.next += 1
    const obstacle = findObstacle(now, candidate)
    if (obstacle === undefined) {
      chosen.push(candidate)
      now = occupy(now, candidate)
      turn += 1
      served.set(candidate.board, turn)
    } else if (obstacle.code === 'slots_full') {
      break
    } else if (obstacle.code !== 'folder_busy' && obstacle.code !== 'batch_canary') {
      // It holds for the whole line, whatever card stands at its head.
      line.next = line.candidates.length
    }
  }
  return chosen
}

interface OpenLine {
  readonly candidates: readonly Candidate[]
  next: number
}

function best(lines: readonly OpenLine[], served: ReadonlyMap<string, number>): OpenLine | undefined {
  let first: { readonly line: OpenLine; readonly head: Candidate } | undefined
  for (const line of lines) {
    const head = line.candidates[line.next]
    if (head !== undefined && (first === undefined || isBefore(head, first.head, served))) first = { line, head }
  }
  return first?.line
}

function isBefore(a: Candidate, b: Candidate, served: ReadonlyMap<string, number>): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank
  const [servedA, servedB] = [served.get(a.board) ?? 0, served.get(b.board) ?? 0]
  if (servedA !== servedB) return servedA < servedB
  return a.task < b.task
}

/** The yard as it is once the candidate has been let through. */
function occupy(yard: YardState, { task, batch: batchId, lane, account, folder, canary }: Candidate): YardState {
  const occupied = [...yard.occupied, { task, batch: batchId, lane, account, folder, ended: false, endedBadly: false }]
  const batch = batchId === null ? undefined : yard.batches.get(batchId)
  if (batch === undefined || batch.canary !== 'open' || canary) return { ...yard, occupied }
  const batches = new Map(yard.batches).set(batch.id, { ...batch, canariesSent: batch.canariesSent + 1 })
  return { ...yard, occupied, batches }
}

/**
 * The one card that finds out whether a closed account serves again: the one that met a limit least often, and not the
 * one that closed it where there is another (design section 8).
 */
export function chooseProbe(
  yard: YardState,
  candidates: readonly ProbeCandidate[],
  closedBy: TaskId | null,
): Candidate | undefined {
  const key = ({ candidate, tempfails }: ProbeCandidate): readonly number[] => [
    candidate.task === closedBy ? 1 : 0,
    tempfails,
    candidate.rank,
    candidate.task,
  ]
  return candidates
    .map((probe) => ({ ...probe, candidate: { ...probe.candidate, probe: true } }))
    .filter(({ candidate }) => findObstacle(yard, candidate) === undefined)
    .sort((a, b) => compare(key(a), key(b)))
    .map(({ candidate }) => candidate)[0]
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
