/** `$0.62`; of less than a cent as much as says something: `$0.004`. Undefined where it is not known: that is not $0. */
export function costWords(usd: number | null): string | undefined {
  if (usd === null) return undefined
  if (usd === 0 || usd >= 0.01)
    return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
  return usd < 0.000_1 ? 'less than $0.0001' : `$${usd.toPrecision(1)}`
}
