import type { Clock } from '../kernel/index.ts'

export interface WakeLoop {
  /** Something changed: one wake follows in this loop turn, however often it is asked for. */
  request(): void
  /** Also wake at this wall-clock time; a later call replaces it, null takes it back. */
  at(dueMs: number | null): void
}

export interface WakeOptions {
  readonly signal: AbortSignal
  /** The safety net for whatever told nobody; also notices a wall clock that was set. */
  readonly pollEveryMs: number
  readonly wake: () => void
}

/** Calls `wake` once for all that happened in a loop turn, at the asked time, and every `pollEveryMs`. Never twice at once. */
export function createWakeLoop(
  { clock }: { readonly clock: Clock },
  { signal, pollEveryMs, wake }: WakeOptions,
): WakeLoop {
  let asked = false
  let timer = new AbortController()
  const request = () => {
    if (asked || signal.aborted) return
    asked = true
    setImmediate(() => {
      asked = false
      if (!signal.aborted) wake()
    })
  }
  signal.addEventListener('abort', () => timer.abort(), { once: true })
  clock.every(pollEveryMs, signal, request)
  return {
    request,
    at(dueMs) {
      timer.abort()
      timer = new AbortController()
      // Waits are on the monotonic clock; a wall clock that steps is caught up with at the next poll.
      if (dueMs !== null && !signal.aborted) clock.after(dueMs - clock.nowMs(), timer.signal, request)
    },
  }
}
