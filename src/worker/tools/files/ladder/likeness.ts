import leven from 'leven'

const longestCompared = 400

/** How alike two lines are, from 0 to 1: one less the share of characters that differ. White space at the ends counts for nothing. */
export function likeness(a: string, b: string): number {
  const left = a.trim().slice(0, longestCompared)
  const right = b.trim().slice(0, longestCompared)
  const longer = Math.max(left.length, right.length)
  return longer === 0 ? 1 : 1 - leven(left, right) / longer
}

/** How alike two texts are, line by line. */
export const meanLikeness = (wanted: readonly string[], there: readonly string[]): number =>
  wanted.reduce((sum, line, at) => sum + likeness(line, there[at] ?? ''), 0) / Math.max(1, wanted.length)

/** The most that `likeness` can be, at no cost. */
export function mostLikeness(a: string, b: string): number {
  const left = Math.min(a.trim().length, longestCompared)
  const right = Math.min(b.trim().length, longestCompared)
  const longer = Math.max(left, right)
  return longer === 0 ? 1 : Math.min(left, right) / longer
}

const spaceWeight = 0.1

/**
 * How many characters must be changed to make `a` out of `b`, white space counted as a tenth; undefined when it is more
 * than `most`. Gives up as soon as that is certain.
 */
export function weightedDistance(a: string, b: string, most: number): number | undefined {
  const weightsA = weightsOf(a)
  const weightsB = weightsOf(b)
  let row = new Float64Array(b.length + 1)
  let next = new Float64Array(b.length + 1)
  for (let j = 1; j <= b.length; j += 1) row[j] = (row[j - 1] ?? 0) + (weightsB[j - 1] ?? 1)
  for (let i = 1; i <= a.length; i += 1) {
    const weightA = weightsA[i - 1] ?? 1
    next[0] = (row[0] ?? 0) + weightA
    let least = next[0] ?? 0
    for (let j = 1; j <= b.length; j += 1) {
      const weightB = weightsB[j - 1] ?? 1
      const change = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : Math.max(weightA, weightB)
      const best = Math.min((row[j - 1] ?? 0) + change, (row[j] ?? 0) + weightA, (next[j - 1] ?? 0) + weightB)
      next[j] = best
      if (best < least) least = best
    }
    if (least > most) return undefined
    ;[row, next] = [next, row]
  }
  const distance = row[b.length] ?? 0
  return distance <= most ? distance : undefined
}

const weightsOf = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, at) => (/\s/.test(text[at] ?? '') ? spaceWeight : 1))
