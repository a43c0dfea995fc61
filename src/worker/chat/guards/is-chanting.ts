import { chant } from './thresholds.ts'

/** Of a very long text its end counts: there a model that chants is still at it. */
const readChars = 20_000
/** A stretch is looked for from every so many characters on; each place alone would cost five times as much. */
const strideChars = 5
/** A rule of dashes or an empty table is no chant. */
const fewestDifferentChars = 6

/**
 * Whether a model says the same over and over: one stretch of 50 characters ten times, on average at most 250 apart, with
 * little that is new between. Code
 * between fences is left out, since tables of numbers in it repeat by right.
 */
export function isChanting(text: string): boolean {
  const { stretchChars, times, averageGapChars } = chant
  if (text.length < stretchChars * times) return false
  const read = text.slice(-readChars).replace(/^```[\s\S]*?(?:^```|$(?![\s\S]))/gm, '')
  const windowChars = averageGapChars * (times - 1) + stretchChars
  for (let at = 0; at + stretchChars * times <= read.length; at += strideChars) {
    const stretch = read.slice(at, at + stretchChars)
    if (comesBack(stretch, read.slice(at, at + windowChars)) && isVaried(stretch)) return true
  }
  return false
}

/**
 * Occurrences do not overlap: one character in a row, or a few, would else be many. What stands between them has to come
 * back, too: paths of one folder, links to one place and objects of one form begin alike, and say something new each.
 */
function comesBack(stretch: string, window: string): boolean {
  const between = new Set<string>()
  let found = 0
  let end = 0
  for (let at = window.indexOf(stretch); at >= 0; at = window.indexOf(stretch, end)) {
    if (found > 0) between.add(window.slice(end, at))
    end = at + stretch.length
    found += 1
    if (found >= chant.times) return between.size <= chant.times / 2
  }
  return false
}

const isVaried = (stretch: string): boolean => new Set(stretch).size >= fewestDifferentChars
