import { foldSpaces } from './fold-line.ts'
import { likeness, meanLikeness, mostLikeness, weightedDistance } from './likeness.ts'
import type { LineText } from './line-text.ts'
import type { WantedEdit } from './wanted-edit.ts'

// The loose rungs. Each gives the first lines (from 0) of all places that it would take, so that the ladder can refuse two.

const anchoredAlone = 0.5
const anchoredAmongMore = 0.7
const similarLine = 0.8
const similarShare = 0.5
const mostDifferent = 0.1
const leastChars = 10
/** What one look may cost: beyond it a rung finds nothing. A tenth of a second on a slow machine. */
const mostCells = 30_000_000
/** What a look at two lines costs that are not compared. */
const leastCells = 10
/** For an estimate of what comparing two lines costs. */
const longestWindow = 100

/** Rung 7: first and last line equal, the middle alike. */
export function findAnchored({ lines }: LineText, { oldLines }: WantedEdit): readonly number[] {
  const first = foldSpaces(oldLines[0] ?? '')
  const last = foldSpaces(oldLines.at(-1) ?? '')
  if (oldLines.length < 3 || !/[\p{L}\p{N}]/u.test(first) || last === '') return []
  const anchored: number[] = []
  for (let at = 0; at + oldLines.length <= lines.length; at += 1) {
    const ends = foldSpaces(lines[at] ?? '') === first && foldSpaces(lines[at + oldLines.length - 1] ?? '') === last
    if (ends) anchored.push(at)
  }
  const middle = oldLines.slice(1, -1)
  if (anchored.length * middle.join('').length * longestWindow > mostCells) return anchored.slice(0, 2) // too many to tell apart
  const rated = anchored.map((at) => ({ at, like: meanLikeness(middle, lines.slice(at + 1, at + 1 + middle.length)) }))
  const alike = rated.filter(({ like }) => like >= anchoredAlone)
  const [only] = alike
  if (alike.length !== 1 || only === undefined) return alike.map(({ at }) => at)
  return anchored.length === 1 || only.like >= anchoredAmongMore ? [only.at] : []
}

/** Rung 8: at least half of the lines that say anything are alike. */
export function findSimilar({ lines }: LineText, { oldLines }: WantedEdit): readonly number[] {
  const telling = oldLines.flatMap((line, offset) => (/[\p{L}\p{N}]/u.test(line) ? [{ line, offset }] : []))
  if (oldLines.length < 3 || telling.length < 2) return []
  const found: number[] = []
  let cells = 0
  for (let at = 0; at + oldLines.length <= lines.length; at += 1) {
    let alike = 0
    for (const [rated, { line, offset }] of telling.entries()) {
      const there = lines[at + offset] ?? ''
      if ((alike + telling.length - rated) / telling.length < similarShare) break
      cells += leastCells
      if (cells > mostCells) return found.length > 1 ? found : [] // one alone is not certain to be the only one
      if (mostLikeness(line, there) < similarLine) continue
      cells += line.length * there.length
      if (likeness(line, there) >= similarLine) alike += 1
    }
    if (alike / telling.length >= similarShare) found.push(at)
  }
  return found
}

/** Rung 9: a tenth of the characters may differ. */
export function findNear({ lines }: LineText, { oldLines }: WantedEdit): readonly number[] {
  const wanted = oldLines.join('\n')
  const most = wanted.length * mostDifferent
  if (wanted.trim().length < leastChars) return []
  const balance = createBalance(wanted)
  const found: number[] = []
  let cells = 0
  for (const [row, line] of lines.entries()) {
    balance.count(line, 1)
    const at = row - oldLines.length + 1
    if (at > 0) balance.count(lines[at - 1] ?? '', -1)
    if (at < 0 || balance.off() > 2 * most) continue
    const there = lines.slice(at, row + 1).join('\n')
    cells += wanted.length * there.length
    if (cells > mostCells) return []
    if (weightedDistance(wanted, there, most) !== undefined) found.push(at)
  }
  return found
}

/**
 * How many characters of each kind one text has more or less than the wanted one. A change of one character makes the sum
 * larger by two at most, so it says cheaply what cannot be near, while a window moves down a file.
 */
function createBalance(wanted: string) {
  const counts = new Int32Array(256)
  let sum = 0
  const count = (text: string, times: 1 | -1): void => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code <= 32 || (code > 126 && /\s/.test(text[at] ?? ''))) continue // white space may differ at a tenth of the price
      const kind = code & 255
      const before = Math.abs(counts[kind] ?? 0)
      counts[kind] = (counts[kind] ?? 0) + times
      sum += Math.abs(counts[kind] ?? 0) - before
    }
  }
  count(wanted, -1)
  return { count, off: () => sum }
}
