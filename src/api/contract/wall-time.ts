/** `7:30`, `07:30`, `2026-11-30`, `2026-11-30 07:30`, with seconds and an offset (`Z`, `+01:00`) where wanted. */
export const wallTimePattern =
  '^(([01]?\\d|2[0-3]):[0-5]\\d|\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})?)?)$'

/**
 * The moment that `text` names, in milliseconds since 1970, on this machine's clock and in its zone: a bare time of
 * day is the next one after `nowMs`, a date alone is its midnight. Undefined for anything else (`2026-02-31` too).
 */
export function parseWallTime(text: string, nowMs: number): number | undefined {
  if (!new RegExp(wallTimePattern).test(text)) return undefined
  if (!text.includes('-')) return nextTimeOfDay(text, nowMs)
  const [, year = 0, month = 0, day = 0] = (/^(\d+)-(\d+)-(\d+)/.exec(text) ?? []).map(Number)
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > lastDay) return undefined
  const ms = new Date(text.includes(':') ? text.replace(' ', 'T') : `${text}T00:00`).getTime()
  return Number.isNaN(ms) ? undefined : ms
}

function nextTimeOfDay(text: string, nowMs: number): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  const at = new Date(nowMs)
  at.setHours(hours, minutes, 0, 0)
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 1)
  return at.getTime()
}
