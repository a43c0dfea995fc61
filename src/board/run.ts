import type { RunId, TaskId } from '../kernel/index.ts'
import type { Outcome } from './outcome.ts'
import type { StageKind } from './stage.ts'

/**
 * claimed: the row exists, no process yet, or none that was let go · started: pid and fingerprint are on record ·
 * exited: the outcome is decided and the slot is free; its tree may still be there · settled: the tree is gone and
 * the task has moved.
 */
export const runPhases = ['claimed', 'started', 'exited', 'settled'] as const
export type RunPhase = (typeof runPhases)[number]

/**
 * Why we ended it ourselves. Hard reasons decide the outcome once a signal was delivered; soft ones (drain, replace,
 * shutdown, the batch's time) only explain a signal death; linger decides nothing. Design section 4.
 */
export const stopKinds = [
  'cancel',
  'stop',
  'timeout',
  'stall',
  'memory',
  'budget',
  'drain',
  'replace',
  'shutdown',
  'batch_time',
  'linger',
] as const
export type StopKind = (typeof stopKinds)[number]

/** Stops that decide the outcome once they reached the process; after one the run may not say any more how it ends. */
export const hardStopKinds = [
  'cancel',
  'stop',
  'timeout',
  'stall',
  'memory',
  'budget',
] as const satisfies readonly StopKind[]
export type HardStopKind = (typeof hardStopKinds)[number]
export const isHardStop = (kind: StopKind): kind is HardStopKind =>
  (hardStopKinds as readonly StopKind[]).includes(kind)

export interface StopReason {
  readonly kind: StopKind
  /** Who: a person's name, or the part of ours that asked. */
  readonly by: string
  readonly text: string
  readonly atMs: number
}

/**
 * What a run said of its own end, through the API. complete: the work is done · block: it cannot go on without a person ·
 * review: somebody must look at it · wait: it needs another task to end first. Design section 4, T.
 */
export const callKinds = ['complete', 'block', 'review', 'wait'] as const
export type CallKind = (typeof callKinds)[number]

/** The terminal call of a run: write-once. */
export interface TerminalCall {
  readonly kind: CallKind
  /** Of `block`: what it needs, such as `needs_input`. */
  readonly code: string | null
  /** For people: the result of complete, the question of block, what to look at, why it waits. */
  readonly text: string
  /** JSON text, or null. */
  readonly data: string | null
  /** Of `wait`. */
  readonly onTask: TaskId | null
  readonly atMs: number
}

/** Token counts as reported; `unknown` is absent, never 0. */
export interface Usage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly calls: number
}

/** What an attempt says that it used and counted, besides its tokens. Kept with its settings, which nobody asks for after its end. */
export interface Spent {
  readonly model: string | null
  /** Null: not known, which is not 0. */
  readonly costUsd: number | null
  readonly counts: Readonly<Record<string, number>>
  readonly compactions: number
  /** Absent: no provider has refused it anything, or nobody kept what it said of it. */
  readonly refusal?: Refusal
}

/** The last time that a provider refused a call of it, in short; its report has the whole while that is kept. */
export interface Refusal {
  readonly class: string
  readonly reason: string
  readonly provider: string | null
  /** Of HTTP. */
  readonly status: number | null
  readonly code: string | null
  readonly requestId: string | null
}

/** It ran in another home and came with its board (`import-run` writes the word): it never had a log or a directory here. */
export const isImported = ({ nonce }: Pick<Run, 'nonce'>): boolean => nonce === 'imported'

/** An attempt as lists know it: all but what it left, which may be large. */
export interface RunSummary extends Omit<Run, 'result' | 'data' | 'judged'> {
  /** The end of its result, at most 1,000 characters. */
  readonly resultTail: string | null
}

/** One attempt at a task. */
export interface Run {
  readonly id: RunId
  readonly task: TaskId
  /** 1 for the task's first run, and so on. */
  readonly attempt: number
  /** Every write in the run's name carries it and the store checks it. No secret. */
  readonly fence: number
  readonly phase: RunPhase
  /** Which process `pid` is, or was last. */
  readonly stage: StageKind
  /** That process has ended and its tree is gone; in phase started the slot stays taken for what comes next. */
  readonly stageOver: boolean
  /** What the work came to, as the dispatcher wrote it (JSON), while changes are recorded and a check runs. */
  readonly judged: string | null
  /** Where its card waited when it was claimed: out of review it is a reviewer's. */
  readonly claimedFrom: 'ready' | 'review'
  readonly lane: string
  readonly account: string | null
  /** `$YARDMASTER_SLOT`: the least free number from 0 when it was claimed. */
  readonly slot: number
  /** It was let through a closed gate to find out whether the account serves again. */
  readonly probe: boolean
  /** Nonce of its marker. */
  readonly nonce: string
  readonly pid: number | null
  /** See kernel/process: text of the fingerprint, or `unverified`. Set and cleared together with `pid`. */
  readonly fingerprint: string | null
  /** The resolved lane and limits as of the claim (`ResolvedSettings` as JSON): all that judge, ladder and adoption use. */
  readonly settings: string
  readonly stop: StopReason | null
  /** A signal of ours reached a live process of it. */
  readonly stopDelivered: boolean
  /** The highest rung of the ladder used: null, `TERM`, `KILL`. */
  readonly rung: 'TERM' | 'KILL' | null
  readonly outcome: Outcome | null
  readonly exitCode: number | null
  readonly signal: string | null
  /** A sentence: why this outcome. */
  readonly reason: string | null
  readonly outputTail: string | null
  readonly result: string | null
  /** What the report said besides: JSON text, or null. */
  readonly data: string | null
  readonly usage: Usage | null
  /** Null: it has said nothing of it. */
  readonly spent: Spent | null
  readonly claimedAtMs: number
  /** Of its first stage. */
  readonly startedAtMs: number | null
  /** CLOCK_MONOTONIC at the start of its stage, with the boot id in front: timeouts survive a restart of the hub, not of the machine. */
  readonly startedMonotonic: string | null
  readonly exitedAtMs: number | null
  readonly settledAtMs: number | null
  /** Machine id of the host that claimed it; null: before it was kept. Runs of another host are never probed. */
  readonly machine: string | null
  /** Instance id of the hub that claimed it. */
  readonly hub: string | null
  /** SHA-256 of the secret part of its token, hex. */
  readonly tokenHash: string | null
  /** T: its terminal call. */
  readonly call: TerminalCall | null
  /** Its last sign of life through the API. */
  readonly heartbeatAtMs: number | null
  /** What it asked for when it was over already. */
  readonly lateCalls: number
  /** Of its whole tree, as sampled. */
  readonly peakRssBytes: number | null
  readonly cpuSeconds: number | null
  /** Who let the task go although this run may be alive. */
  readonly releasedBy: string | null
  /** When retention removed its directory. */
  readonly prunedAtMs: number | null
}
