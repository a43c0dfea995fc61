import { alignLines } from '../ladder/align-lines.ts'

const contextLines = 2
const mostLines = 60
const mostChars = 200

interface Row {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** In the new text. */
  readonly line: number
}

/** What changed from one text to the other, with two lines around it, each stretch under the number of its first line now. */
export function showDiff(before: string, after: string): string {
  const rows = toRows(linesOf(before), linesOf(after))
  const near = rows.map((_, at) =>
    rows.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ sign }) => sign !== ' '),
  )
  const shown = rows.flatMap(({ sign, text, line }, at) => {
    if (near[at] !== true) return []
    const row = `${sign}${text.length <= mostChars ? text : `${text.slice(0, mostChars)}…`}`
    return near[at - 1] === true ? [row] : [`@@ line ${line}`, row]
  })
  const left = shown.length - mostLines
  return left <= 0 ? shown.join('\n') : [...shown.slice(0, mostLines), `[… ${left} more lines]`].join('\n')
}

/** Without the empty text behind the last newline, which is no line. */
const linesOf = (text: string): readonly string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

/** What went comes before what came in its place. */
function toRows(old: readonly string[], next: readonly string[]): readonly Row[] {
  const rows: Row[] = []
  let oldAt = 0
  let came: Row[] = []
  const closeStretch = (until: number, line: number) => {
    for (; oldAt < until; oldAt += 1) rows.push({ sign: '-', text: old[oldAt] ?? '', line })
    rows.push(...came)
    came = []
  }
  for (const [at, stays] of alignLines(old, next).entries()) {
    const row = { text: next[at] ?? '', line: at + 1 }
    if (stays < 0) came.push({ sign: '+', ...row })
    else {
      closeStretch(stays, came[0]?.line ?? at + 1)
      rows.push({ sign: ' ', ...row })
      oldAt = stays + 1
    }
  }
  closeStretch(old.length, came[0]?.line ?? next.length)
  return rows
}
