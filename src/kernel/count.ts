const unitOf = { k: 1e3, M: 1e6 } as const

/** As a pattern of JSON Schema: what `parseCount` reads, and not 0. */
export const countPattern = '^(?=.*[1-9])\\d{1,15}(\\.\\d{1,6})?[kM]$'

/** The number behind `500k`, `1.5M` or a whole number itself; undefined for anything else, and for what is no whole number. */
export function parseCount(written: string | number): number | undefined {
  if (typeof written === 'number') return Number.isSafeInteger(written) && written >= 0 ? written : undefined
  const match = /^(\d{1,15}(?:\.\d{1,6})?)([kM])$/.exec(written)
  if (match === null) return undefined
  const count = Math.round(Number(match[1]) * unitOf[match[2] as keyof typeof unitOf] * 1e6) / 1e6
  return Number.isSafeInteger(count) ? count : undefined
}

/** The shortest exact form that `parseCount` reads back (`5000000` is `5M`). */
export function formatCount(count: number): string | number {
  if (count > 0 && count % unitOf.M === 0) return `${count / unitOf.M}M`
  return count > 0 && count % unitOf.k === 0 ? `${count / unitOf.k}k` : count
}
