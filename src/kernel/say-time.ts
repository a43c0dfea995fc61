/** The machine's own clock, as people there read theirs: `14:00` today, `30 Nov 14:00`, `30 Nov 2027 14:00`. */
export function sayClock(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  if (at.toDateString() === now.toDateString()) return hourAndMinute(at)
  const day = `${at.getDate()} ${months[at.getMonth()]}`
  return at.getFullYear() === now.getFullYear()
    ? `${day} ${hourAndMinute(at)}`
    : `${day} ${at.getFullYear()} ${hourAndMinute(at)}`
}

/** `14:00:20`, for lines of a log. */
export function saySecond(atMs: number): string {
  const at = new Date(atMs)
  return `${hourAndMinute(at)}:${two(at.getSeconds())}`
}

/** For what is read elsewhere and later, with date and zone: `2026-11-29 18:00 UTC`. */
export function sayMoment(atMs: number): string {
  const at = new Date(atMs)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${hourAndMinute(at)} ${zoneOf(at)}`
}

/**
 * How long people wait, in sentences: `20 s`, `38 min`, `1 h 28 min`, `3 d`; rounded up, so that it never says 0. How
 * long something took or may take, and what stands in tables, is `describeDuration` (`38m`).
 */
export function sayWait(ms: number): string {
  const s = Math.max(1, Math.ceil(ms / 1_000))
  if (s < 60) return `${s} s`
  const min = Math.ceil(s / 60)
  if (min < 60) return `${min} min`
  const h = Math.floor(min / 60)
  if (h < 48) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`
  return `${Math.round(h / 24)} d`
}

/** `14:00, in 38 min`; a time that has passed reads `14:00`. */
export function sayClockAndWait(atMs: number, nowMs: number): string {
  const clock = sayClock(atMs, nowMs)
  return atMs > nowMs ? `${clock}, in ${sayWait(atMs - nowMs)}` : clock
}

const hourAndMinute = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`
const two = (n: number): string => String(n).padStart(2, '0')
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

function zoneOf(at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
