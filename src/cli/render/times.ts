import { describeDuration, sayClock, sayClockAndWait, saySecond } from '../../kernel/index.ts'

// Times as the API gives them, in the words that the kernel has for them.

/** How long ago, for people, in whole seconds: `40s`, `9m`, `2h 5m`. Times that seem to lie ahead (a stepped clock) read `0s`. */
export function ago(iso: string, nowMs: number): string {
  return describeDuration(wholeSeconds(nowMs - Date.parse(iso)))
}

export const clockTime = (iso: string, nowMs: number): string => sayClock(Date.parse(iso), nowMs)

/** `14:00:20`, for log lines. */
export const clockSeconds = (iso: string): string => saySecond(Date.parse(iso))

/** `14:00, in 38 min`; a time that has passed reads `14:00`. */
export const clockTimeAndWait = (iso: string, nowMs: number): string => sayClockAndWait(Date.parse(iso), nowMs)

/** How long a run took, or takes so far, then in whole seconds; undefined before its process started. */
export function runLengthMs(
  run: { readonly started_at: string | null; readonly exited_at: string | null },
  nowMs: number,
): number | undefined {
  if (run.started_at === null) return undefined
  const startedMs = Date.parse(run.started_at)
  return run.exited_at === null ? wholeSeconds(nowMs - startedMs) : Math.max(0, Date.parse(run.exited_at) - startedMs)
}

const wholeSeconds = (ms: number): number => Math.max(0, Math.round(ms / 1_000) * 1_000)
