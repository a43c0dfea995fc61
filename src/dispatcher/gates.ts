import type { Gate } from '../board/index.ts'
import { backoffMs, describeDuration, jitter, type Random, type RunId, type TaskId } from '../kernel/index.ts'

/** What the end of one attempt says about its account. */
export interface AccountEvidence {
  readonly run: RunId
  readonly task: TaskId
  /** Wall-clock time at which its process was given free. */
  readonly startedAtMs: number
  /** It was let through the closed gate to find out. */
  readonly probe: boolean
  /** wall: a report or rule says so. bare: exit code 75 and nothing more. none: an end of any other kind. cut: tells nothing. */
  readonly kind: 'wall' | 'bare' | 'none' | 'cut'
  /** The provider's own words, for people. */
  readonly says: string
  /** When the provider says it serves again; ISO time, any value. */
  readonly retryAt: string | null
  readonly needsHuman: 'money' | 'access' | null
  /** A call was served during this attempt. */
  readonly served: boolean
}

/** A 75 without a reason, remembered for a minute: two of different tasks speak about the account, one does not. */
export interface BareTempfail {
  readonly task: TaskId
  readonly atMs: number
}

export type GateAct =
  | { readonly do: 'close'; readonly untilMs: number; readonly doublings: number; readonly reason: string }
  | { readonly do: 'park'; readonly reason: string }
  | { readonly do: 'open'; readonly reason: string }

/** Numbers of design section 8. */
export const gateNumbers = {
  firstWaitMs: 60_000,
  longestWaitMs: 900_000,
  longestHintMs: 86_400_000,
  bareWithinMs: 60_000,
  /** A probe that lives this long without meeting a limit proves that the account serves. */
  probeAliveMs: 60_000,
} as const

export interface PlanGateInput {
  readonly gate: Gate | null
  readonly evidence: AccountEvidence
  /** Bare 75s of this account; older ones are ignored. */
  readonly bare: readonly BareTempfail[]
  readonly nowMs: number
}

/**
 * What becomes of an account's gate when one attempt under it has ended; undefined leaves it as it is. Only an attempt
 * that was started after the last opening may close it, and while it is closed only its probe may double the wait: the
 * others met the same wall at the same time. Pure.
 */
export function planGate(deps: { readonly random: Random }, input: PlanGateInput): GateAct | undefined {
  const { gate, evidence } = input
  if (gate?.parkedBy != null || isOfAnEarlierEpoch(input)) return undefined
  if (evidence.needsHuman !== null) {
    return { do: 'park', reason: `${evidence.needsHuman}: ${evidence.says}` }
  }
  if (!isClosed(gate)) return speaksOfTheAccount(input) ? close(deps, input, 0) : undefined
  if (evidence.probe) return afterProbe(deps, input)
  return laterHint(input)
}

/** Closed means one of the three is set (design section 8). */
export function isClosed(gate: Gate | null): boolean {
  return gate !== null && (gate.untilMs !== null || gate.probeRun !== null || gate.parkedBy !== null)
}

/** An opening that lies ahead was before the clock was set back: it says nothing about what was started since. */
function isOfAnEarlierEpoch({ gate, evidence, nowMs }: PlanGateInput): boolean {
  const openedAtMs = gate?.openedAtMs ?? null
  return openedAtMs !== null && openedAtMs <= nowMs && evidence.startedAtMs <= openedAtMs
}

function speaksOfTheAccount({ evidence, bare, nowMs }: PlanGateInput): boolean {
  if (evidence.kind !== 'bare') return evidence.kind === 'wall'
  return bare.some((past) => past.task !== evidence.task && past.atMs > nowMs - gateNumbers.bareWithinMs)
}

function afterProbe(deps: { readonly random: Random }, input: PlanGateInput): GateAct | undefined {
  const { evidence, gate } = input
  switch (evidence.kind) {
    case 'wall':
    case 'bare':
      // A limit met after a served call is a new one, not the old one going on.
      return close(deps, input, evidence.served ? 0 : (gate?.doublings ?? 0) + 1)
    case 'cut':
      return undefined // its end cleared the probe on the board, so the next may start at once
    case 'none':
      return { do: 'open', reason: evidence.served ? 'a call was served' : 'the probe ended without meeting a limit' }
  }
}

/** A fresh hint of an attempt of this epoch may move the end of the wait away; nothing else may. */
function laterHint({ gate, evidence, nowMs }: PlanGateInput): GateAct | undefined {
  const hintMs = readHint(evidence.retryAt, nowMs)
  if (evidence.kind !== 'wall' || gate?.untilMs == null || hintMs === undefined || hintMs <= gate.untilMs)
    return undefined
  return { do: 'close', untilMs: hintMs, doublings: gate.doublings, reason: evidence.says }
}

function close(
  { random }: { readonly random: Random },
  { evidence, nowMs }: PlanGateInput,
  doublings: number,
): GateAct {
  const hintMs = readHint(evidence.retryAt, nowMs)
  const waitMs = jitter(backoffMs(doublings + 1, gateNumbers.firstWaitMs, gateNumbers.longestWaitMs), random)
  return { do: 'close', untilMs: hintMs ?? nowMs + waitMs, doublings, reason: evidence.says }
}

/** The provider's own time, at most 24 h away; undefined where it gave none or one that has passed. */
function readHint(retryAt: string | null, nowMs: number): number | undefined {
  const atMs = retryAt === null ? Number.NaN : Date.parse(retryAt)
  if (Number.isNaN(atMs) || atMs <= nowMs) return undefined
  return Math.min(atMs, nowMs + gateNumbers.longestHintMs)
}

/** For the record: `limit of account openai, for 12m`. */
export function sayGateAct(account: string, act: GateAct, nowMs: number): string {
  switch (act.do) {
    case 'close':
      return `limit of account ${account}, for ${describeDuration(Math.max(0, act.untilMs - nowMs))}: ${act.reason}`
    case 'park':
      return `account ${account} waits for a person: ${act.reason}`
    case 'open':
      return `account ${account} serves again: ${act.reason}`
  }
}
