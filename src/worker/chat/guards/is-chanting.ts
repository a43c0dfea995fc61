import { chant } from './thresholds.ts'

/** Of a very long text its end counts: there a model that chants is still at it. */
const readChars = 40_000
/** A rule of dashes or an empty table is no chant. */
const fewestDifferentChars = 6

/**
 * Whether a model says the same over and over: one stretch of 50 characters ten times, on average at most 250 apart. Code
 * between fences is left out, since tables of numbers in it repeat by right.
 */
export function isChanting(text: string): boolean {
  const read = text.slice(-readChars).replace(/^```[\s\S]*?(?:^```|$(?![\s\S]))/gm, '')
  const { stretchChars, times, averageGapChars } = chant
  const places = new Map<string, number[]>()
  for (let at = 0; at + stretchChars <= read.length; at += 1) {
    const stretch = read.slice(at, at + stretchChars)
    const found = places.get(stretch)
    if (found === undefined) {
      places.set(stretch, [at])
      continue
    }
    // A stretch that overlaps itself is one character in a row, or a few: counted where it begins anew.
    if (at - (found.at(-1) ?? 0) < stretchChars) continue
    found.push(at)
    const first = found.at(-times)
    if (first !== undefined && at - first <= averageGapChars * (times - 1) && isVaried(stretch)) return true
  }
  return false
}

const isVaried = (stretch: string): boolean => new Set(stretch).size >= fewestDifferentChars
