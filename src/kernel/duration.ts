const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds behind `30s`, `20m`, `5h`, `1h30m`, `250ms` or `3d`; undefined for anything else. A bare number has no unit and is refused. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let totalMs = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * unitMs[unit as keyof typeof unitMs]
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : undefined
}

/** The shortest exact form that `parseDuration` reads back (`5400000` is `1h30m`). */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  let left = Math.round(ms)
  let text = ''
  for (const [unit, size] of [
    ['d', unitMs.d],
    ['h', unitMs.h],
    ['m', unitMs.m],
    ['s', unitMs.s],
    ['ms', 1],
  ] as const) {
    const amount = Math.floor(left / size)
    if (amount > 0) text += `${amount}${unit}`
    left -= amount * size
  }
  return text
}

/**
 * How long something took or may take, for people, in the units in which files say it: two at most, tenths where whole
 * seconds would say nothing (`0.3s`, `41s`, `9m`, `1h 28m`). What people wait for is said by `sayWait`.
 */
export function describeDuration(ms: number): string {
  if (ms < 9_950) return `${Math.round(ms / 100) / 10}s`
  const s = Math.round(ms / 1_000)
  if (s < 60) return `${s}s`
  if (s < 600) return s % 60 === 0 ? `${s / 60}m` : `${Math.floor(s / 60)}m ${s % 60}s`
  const m = Math.round(s / 60)
  if (m < 60) return `${m}m`
  const h = Math.floor(m / 60)
  if (h < 48) return m % 60 === 0 ? `${h}h` : `${h}h ${m % 60}m`
  return `${Math.round(h / 24)}d`
}
