import { alignLines } from './align-lines.ts'

/**
 * The new lines as they fit into the file, where what was looked for only resembles what stands there: lines that the model
 * did not change stay as the file has them, to the byte, and its own get the indentation of the place.
 * `old` and `found` have the same number of lines.
 */
export function rebaseLines(
  old: readonly string[],
  next: readonly string[],
  found: readonly string[],
): readonly string[] {
  const indent = createIndent(old, found)
  return alignLines(old, next).map((oldAt, at) => (oldAt < 0 ? indent(next[at] ?? '') : (found[oldAt] ?? '')))
}

/** How an indentation of `old` is written in the file: as it is in the pairs of lines, and by its nearest neighbour otherwise. */
function createIndent(old: readonly string[], found: readonly string[]): (line: string) => string {
  const pairs = new Map<string, string>()
  for (const [at, line] of old.entries()) {
    const there = found[at] ?? ''
    if (line.trim() === '' || there.trim() === '') continue
    const indent = indentOf(line)
    if (!pairs.has(indent)) pairs.set(indent, indentOf(there))
  }
  const [first] = pairs
  if (first === undefined || [...pairs].every(([from, to]) => from === to)) return (line) => line
  return (line) => {
    const indent = indentOf(line)
    if (line.trim() === '') return line
    return mapIndent(indent, pairs, first) + line.slice(indent.length)
  }
}

function mapIndent(indent: string, pairs: ReadonlyMap<string, string>, first: readonly [string, string]): string {
  const known = pairs.get(indent)
  if (known !== undefined) return known
  const inside = [...pairs.keys()].filter((from) => indent.startsWith(from)).sort((a, b) => b.length - a.length)[0]
  if (inside !== undefined) {
    return (pairs.get(inside) ?? '') + convertUnits(indent.slice(inside.length), pairs)
  }
  const [from, to] = first
  const less = from.length - indent.length // further out than all that is known
  return less > 0 ? to.slice(0, Math.max(0, to.length - convertUnits(from.slice(0, less), pairs).length)) : to
}

/** Four more spaces are one more tab, where the pairs say that a tab stands for four spaces; and the other way round. */
function convertUnits(extra: string, pairs: ReadonlyMap<string, string>): string {
  for (const [from, to] of pairs) {
    if (from === '' || to === '') continue
    if (/^ +$/.test(from) && /^\t+$/.test(to) && /^ +$/.test(extra)) {
      return '\t'.repeat(Math.round((extra.length * to.length) / from.length))
    }
    if (/^\t+$/.test(from) && /^ +$/.test(to) && /^\t+$/.test(extra)) {
      return ' '.repeat(Math.round((extra.length * to.length) / from.length))
    }
  }
  return extra
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ''
