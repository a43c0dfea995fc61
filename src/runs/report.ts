import type { RunId } from '../kernel/index.ts'
import type { DeclaredArtifact } from './attachments/collect-artifacts.ts'
import type { ErrorRecord } from './error-record.ts'

/** Larger reports are refused unread (design section 6, "Run directory"). */
export const mostReportBytes = 256 * 1_024

/** Of a report's `result` (design section 4, "The folded tail"). */
export const mostResultBytes = 64 * 1_024

/** Of a report's `counts`: names that a worker makes up are of no use to anybody. */
export const mostCounts = 200

/** Of a report's `left`, and how long each may be. */
export const mostLeft = 64
export const mostLeftCharacters = 500

/** Of a report's `message`. */
export const mostMessageCharacters = 500

/**
 * What a worker says of its own run, in `report.json` of the run directory: written by rename, at most 256 KiB, a
 * regular file. It may lower an outcome; it says done only beside exit 0 (design section 4, fact R).
 */
export interface RunReport {
  readonly schema: 1
  readonly run: RunId
  readonly fence: number
  /** completed: the work is done and said so. wall: a provider refused in a way that says nothing about the task. */
  readonly status: 'completed' | 'failed' | 'partial' | 'wall' | 'interrupted'
  /** One of the reasons of the worker's classifier, e.g. `rate_limit`, `billing`, `auth`, `refusal`, `turn_limit`. */
  readonly reason: string | null
  /** One sentence, masked, at most 500 characters. */
  readonly message: string | null
  /** When the wall says it ends: ISO time; past or more than 24 h ahead is ignored. */
  readonly retryAt: string | null
  /** Nothing will change until a person acts on money or access. */
  readonly needsHuman: 'money' | 'access' | null
  /** The answer, at most 64 KiB of UTF-8, a cut marked. */
  readonly result: string | null
  readonly data: unknown
  readonly usage: {
    readonly inputTokens: number
    readonly cachedTokens: number
    readonly outputTokens: number
    readonly calls: number
  } | null
  /** The work is done, and only the board could not be told: with exit 75 it counts as done and is not repeated. */
  readonly delivery?: 'board_unreachable' | null
  /** A call was served by the provider during this run: proof that the account serves. */
  readonly served: boolean
  readonly turns: number | null
  /** Files that it has made and hands back, at most 100; see `collectArtifacts`. */
  readonly artifacts?: readonly DeclaredArtifact[] | null
  readonly error?: ErrorRecord | null
  /** Who gave the last answer. Absent, as each of the following: nobody said. */
  readonly model?: string | null
  /** What all calls together cost; null: not known, which is not 0. */
  readonly costUsd?: number | null
  /** What it counted of itself: how edits were matched, guards that fired, tools that failed and recovered, how it ended. */
  readonly counts?: Readonly<Record<string, number>> | null
  /** How often its conversation was made smaller. */
  readonly compactions?: number | null
  /** Commands that still ran at its end and were ended. */
  readonly left?: readonly string[] | null
  /** What is in `transcript.jsonl` beside this file; null: none was kept. */
  readonly transcript?: { readonly bytes: number; readonly cut: boolean } | null
  /** Of an attempt that reviews another one's work: what it says of it. `text` says what must change. */
  readonly verdict?: { readonly decision: 'approve' | 'reject'; readonly text: string } | null
}

/** A report that may be used, or why there is none. `absent` is ordinary; the other words become a note on the run. */
export type ReadReport =
  | { readonly kind: 'report'; readonly report: RunReport }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string }
