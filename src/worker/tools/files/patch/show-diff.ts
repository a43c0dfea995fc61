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
  const rows = toRows(before.split('\n'), after.split('\n'))
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

function toRows(old: readonly string[], next: readonly string[]): readonly Row[] {
  const rows: Row[] = []
  let oldAt = 0
  const drop = (until: number, line: number) => {
    for (; oldAt < until; oldAt += 1) rows.push({ sign: '-', text: old[oldAt] ?? '', line })
  }
  for (const [at, stays] of alignLines(old, next).entries()) {
    const text = next[at] ?? ''
    if (stays < 0) rows.push({ sign: '+', text, line: at + 1 })
    else {
      drop(stays, at + 1)
      rows.push({ sign: ' ', text, line: at + 1 })
      oldAt = stays + 1
    }
  }
  drop(old.length, next.length)
  return rows
}
