import { setMaxListeners } from 'node:events'
import { clockStepMs } from './clock-step.ts'

/**
 * The one source of time. Three clocks, because they answer different questions: the wall clock is what people
 * mean ("not before 14:00") and may step; the monotonic clock measures how long something took, never steps, and on
 * Linux counts from boot for every process alike, so a value stored with the boot id can be read after a restart.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970 UTC. May jump either way. */
  nowMs(): number
  /** CLOCK_MONOTONIC in milliseconds: comparable between processes of one boot. */
  monotonicMs(): number
  /** Calls `beat` once, `ms` from now on the monotonic clock, unless `signal` fires first. */
  after(ms: number, signal: AbortSignal, beat: () => void): void
  /** Calls `beat` every `ms` until `signal` fires. Never keeps the program alive by itself. */
  every(ms: number, signal: AbortSignal, beat: () => void): void
  /** Resolves after `ms`; rejects with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest delay a Node timer can hold (2^31 - 1 ms); longer waits are cut here and re-planned by the caller. */
export const longestTimerMs = 2_147_483_647

export const systemClock: Clock = {
  nowMs: () => Date.now() + clockStepMs(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  after(ms, signal, beat) {
    if (signal.aborted) return // its abort event will not come again
    const cancel = () => clearTimeout(timer)
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', cancel)
        beat()
      },
      Math.min(Math.max(ms, 0), longestTimerMs),
    )
    hearEnd(signal, cancel)
  },
  every(ms, signal, beat) {
    if (signal.aborted) return
    const timer = setInterval(beat, ms)
    timer.unref()
    hearEnd(signal, () => clearInterval(timer))
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const cancel = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', cancel)
          resolve()
        },
        Math.min(Math.max(ms, 0), longestTimerMs),
      )
      if (signal !== undefined) hearEnd(signal, cancel)
    })
  },
}

/** One signal may end any number of waits: Node would warn of a leak at eleven, on standard error. */
function hearEnd(signal: AbortSignal, heard: () => void): void {
  setMaxListeners(0, signal)
  signal.addEventListener('abort', heard, { once: true })
}
