/** Middle value; of an even count the lower of the two, so that the answer is one that was measured. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** The smallest measured value that at least `percent` of all values do not exceed (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length))
  const value = sorted[rank - 1]
  if (value === undefined) throw new Error('no values were measured')
  return value
}
