import { describeDuration } from '../../kernel/index.ts'

/** How long ago, for people: `40s`, `9m`, `2h 5m`. Times that seem to lie ahead (a stepped clock) read `0s`. */
export function ago(iso: string, nowMs: number): string {
  return describeDuration(Math.max(0, nowMs - Date.parse(iso)))
}

/** The local clock: `14:00` today, `29 Nov 14:00` on another day of this year, else with the year. */
export function clockTime(iso: string, nowMs: number): string {
  const then = new Date(Date.parse(iso))
  const now = new Date(nowMs)
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`
  if (then.toDateString() === now.toDateString()) return time
  const day = `${then.getDate()} ${months[then.getMonth()]}`
  return then.getFullYear() === now.getFullYear() ? `${day} ${time}` : `${day} ${then.getFullYear()} ${time}`
}

/** `14:00:20`, for log lines. */
export function clockSeconds(iso: string): string {
  const then = new Date(Date.parse(iso))
  return `${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`
}

/** `14:00, in 38m`; a time that has passed reads `14:00`. */
export function clockTimeAndWait(iso: string, nowMs: number): string {
  const waitMs = Date.parse(iso) - nowMs
  const time = clockTime(iso, nowMs)
  return waitMs > 0 ? `${time}, in ${describeDuration(waitMs)}` : time
}

/** How long a run took, or takes so far; undefined before its process started. */
export function runLengthMs(
  run: { readonly started_at: string | null; readonly exited_at: string | null },
  nowMs: number,
): number | undefined {
  if (run.started_at === null) return undefined
  const endMs = run.exited_at === null ? nowMs : Date.parse(run.exited_at)
  return Math.max(0, endMs - Date.parse(run.started_at))
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
const two = (n: number): string => String(n).padStart(2, '0')
