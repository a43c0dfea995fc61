import { type Finding, type FindingKind, findingKinds } from './judge-round.ts'
import { countOne } from './ledger.ts'
import type { Played } from './play-round.ts'

/** The sums of all rounds so far. */
export interface Tally {
  rounds: number
  tasks: number
  runs: number
  faults: number
  /** Runs whose end is not knowable, explained ones included. */
  unknown: number
  strangersWatched: number
  escaped: number
  defunctMost: number
  readonly findings: Record<FindingKind, number>
  readonly faultsByKind: Record<string, number>
  readonly crashPoints: Record<string, number>
  readonly worlds: Record<string, number>
  readonly statuses: Record<string, number>
  readonly outcomes: Record<string, number>
  /** What was found, with the round that found it; the first of them. */
  readonly examples: string[]
}

const mostExamples = 40

export function openTally(): Tally {
  return {
    rounds: 0,
    tasks: 0,
    runs: 0,
    faults: 0,
    unknown: 0,
    strangersWatched: 0,
    escaped: 0,
    defunctMost: 0,
    findings: Object.fromEntries(findingKinds.map((kind) => [kind, 0])) as Record<FindingKind, number>,
    faultsByKind: {},
    crashPoints: {},
    worlds: {},
    statuses: {},
    outcomes: {},
    examples: [],
  }
}

/** Adds one round. */
export function addRound(tally: Tally, { plan, ledger, books, strangers }: Played, findings: readonly Finding[]): void {
  tally.rounds += 1
  countOne(tally.worlds, plan.world)
  for (const [kind, times] of Object.entries(ledger.faults)) {
    tally.faultsByKind[kind] = (tally.faultsByKind[kind] ?? 0) + times
    tally.faults += times
  }
  for (const [point, times] of Object.entries(ledger.crashPoints)) {
    tally.crashPoints[point] = (tally.crashPoints[point] ?? 0) + times
  }
  for (const { status, runs } of books?.tasks ?? []) {
    tally.tasks += 1
    countOne(tally.statuses, status)
    for (const { outcome } of runs) {
      tally.runs += 1
      countOne(tally.outcomes, outcome ?? 'open')
      if (outcome === 'unknown') tally.unknown += 1
    }
  }
  tally.strangersWatched += strangers.length
  tally.defunctMost = Math.max(tally.defunctMost, ledger.defunctMost)
  for (const { kind, says } of findings) {
    tally.findings[kind] += 1
    const where = `${kind} in round ${plan.index} (${plan.world}), --seed ${plan.seed} --round ${plan.index}: ${says}`
    if (tally.examples.length < mostExamples) tally.examples.push(where)
  }
}

/** Whether everything that must be 0 is. */
export function isSound({ findings }: Tally): boolean {
  return Object.values(findings).every((times) => times === 0)
}
