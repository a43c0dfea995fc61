import { assertNever } from '../../../src/kernel/index.ts'
import type { BookedRun } from './books.ts'
import type { Finding } from './judge-round.ts'
import type { Hit, Ledger } from './ledger.ts'
import type { KindEnd } from './task-kinds.ts'
import type { TraceLine } from './traces.ts'

/** Everything that may explain the end of one run. */
export interface RunFacts {
  readonly run: BookedRun
  /** What it wrote down itself. */
  readonly lines: readonly TraceLine[]
  readonly hits: readonly Hit[]
  readonly ends: KindEnd
  readonly ledger: Pick<Ledger, 'hubDeathsS' | 'worldEndsS' | 'shortages'>
  /** The hub ends its workers when it is told to end: a `run` without a hub. */
  readonly isStoppedWithHub: boolean
}

/**
 * Whether the books tell the end of a run as it was. What a worker wrote down before it left is the measure; another end
 * needs something that was done to it. Pure.
 */
export function judgeEndOfRun(facts: RunFacts): readonly Finding[] {
  const { run, lines } = facts
  if (run.outcome === null || run.phase !== 'settled')
    return [{ kind: 'lost', says: `R${run.id} is ${run.phase} at the end` }]
  if (run.outcome === 'unknown') {
    return isUnknowable(facts) ? [] : [{ kind: 'unknown_unexplained', says: `R${run.id} is unknown` }]
  }
  const left = lines.find((line) => line.what === 'end' || line.what === 'dies')
  if (left?.what === 'end' && agrees(run, left.code)) return []
  if (left?.what === 'dies' && run.outcome === 'killed' && run.signal === left.signal) return []
  if (isExplained(facts, left !== undefined)) return []
  return [{ kind: 'wrong_code', says: `R${run.id} is ${run.outcome} (${run.exitCode ?? run.signal})` }]
}

/** The code that the worker left, and the outcome that stands for it. */
function agrees({ outcome, exitCode }: BookedRun, code: number): boolean {
  const meant = code === 0 ? 'done' : code === 75 ? 'tempfail' : 'failed'
  return exitCode === code && outcome === meant
}

function isExplained(facts: RunFacts, hasLeft: boolean): boolean {
  const { run, lines, hits, ends, ledger, isStoppedWithHub } = facts
  const hasBegun = lines.some(({ what }) => what === 'begin')
  switch (run.outcome) {
    case 'interrupted':
      return isStoppedWithHub || !hasBegun
    case 'killed':
      return (hits.some(({ role }) => role !== 'descendant') || endedWithWorld(facts)) && run.signal === 'SIGKILL'
    case 'timed_out':
      return ends.by === 'timeout'
    case 'lost':
      return ledger.worldEndsS.length > 0
    case 'launch_failed':
      return !hasBegun && ledger.shortages.length > 0
    case 'incomplete':
    case 'failed':
    case 'done':
    case 'tempfail':
      // The kernel takes the line and not the code: killed between the two.
      return run.outcome !== 'done' && hits.length > 0 && run.exitCode === 137 && !hasLeft
    default:
      return false
  }
}

/** How long a hub may take from an end to its record; one that dies in between leaves an end without a witness. */
const recordsWithinS = 3

/** Its shim was killed while no hub was its parent, or the hub died before it could record what it saw, or all ended at once. */
function isUnknowable(facts: RunFacts): boolean {
  const { hits, ledger } = facts
  if (endedWithWorld(facts)) return true
  return hits.some(({ role, hub, atS }) => {
    if (role !== 'shim') return false
    switch (hub) {
      case 'none':
        return true
      case 'parent':
        return ledger.hubDeathsS.some((deathS) => deathS >= atS && deathS - atS < recordsWithinS)
      default:
        return assertNever(hub)
    }
  })
}

/** It had begun, or was about to, when everything around it ended; and it had not left long before. */
function endedWithWorld({ lines, ledger }: RunFacts): boolean {
  const times = lines.flatMap((line) => ('atS' in line ? [line.atS] : []))
  const lastS = Math.max(...times, Number.NEGATIVE_INFINITY)
  const firstS = Math.min(...times, Number.POSITIVE_INFINITY)
  const hasLeft = lines.some(({ what }) => what === 'end')
  return ledger.worldEndsS.some((endS) => {
    if (times.length === 0) return true
    return firstS <= endS && (!hasLeft || endS - lastS < recordsWithinS)
  })
}
