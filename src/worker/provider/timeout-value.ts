import { longestTimerMs } from '../../kernel/index.ts'

export type ParsedTimeout = { readonly ok: true; readonly ms: number } | { readonly ok: false; readonly why: string }

/**
 * A time limit from anywhere: a whole or broken number of milliseconds that a timer can hold. 0 is refused because it
 * means "at once" to one reader and "never" to another (the SDK aborts a call at once), and so is everything endless.
 */
export function parseTimeout(value: unknown): ParsedTimeout {
  if (typeof value !== 'number') return { ok: false, why: `${describe(value)} is no number of milliseconds` }
  if (Number.isNaN(value)) return { ok: false, why: 'NaN is no number of milliseconds' }
  if (value === 0) return { ok: false, why: '0 is neither "at once" nor "never"; say how long' }
  if (value < 0) return { ok: false, why: `${value} is negative` }
  if (value > longestTimerMs)
    return { ok: false, why: `${value} is longer than a timer can hold, ${longestTimerMs} ms` }
  return { ok: true, ms: value }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 60)}"`
  return value === null || typeof value === 'boolean' || value === undefined ? String(value) : `a ${typeof value}`
}
