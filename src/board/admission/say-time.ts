/** `14:00` on the same local day, else `2026-11-30 14:00`: the hub's own time zone, as people there read their clocks. */
export function sayClock(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`
  return sayDay(at) === sayDay(now) ? clock : `${sayDay(at)} ${clock}`
}

const sayDay = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

/** `38 min`, `20 s`, `1 h 28 min`, `3 d`: how long until then, rounded up so that it never says 0. */
export function sayWait(ms: number): string {
  const s = Math.max(1, Math.ceil(ms / 1_000))
  if (s < 60) return `${s} s`
  const min = Math.ceil(s / 60)
  if (min < 60) return `${min} min`
  const h = Math.floor(min / 60)
  if (h < 48) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`
  return `${Math.round(h / 24)} d`
}

/** `until 14:00, in 38 min` */
export const sayUntil = (atMs: number, nowMs: number): string =>
  `until ${sayClock(atMs, nowMs)}, in ${sayWait(atMs - nowMs)}`

const two = (n: number): string => String(n).padStart(2, '0')
