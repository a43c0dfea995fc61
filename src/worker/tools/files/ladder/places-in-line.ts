import { foldCharacters } from './fold-line.ts'
import type { LineText } from './line-text.ts'
import type { Place, WantedEdit } from './wanted-edit.ts'

/** Longer lines are not written by people, and would take much memory. */
const longestLine = 100_000

interface FoldedLine {
  readonly text: string
  /** Where in the line each folded character comes from, and where what it stands for ends. */
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** Rungs 4 and 5 for a text within one line: where it stands when runs of white space, or signs that look alike, are the same. */
export function findInLine(file: LineText, edit: WantedEdit, signs: 'as_they_are' | 'folded'): readonly Place[] {
  if (edit.oldLines.length !== 1 || edit.old.endsWith('\n')) return []
  const wanted = foldLine(edit.old.trim(), signs).text
  if (wanted === '') return []
  const next = trimAlike(edit)
  return file.lines.flatMap((line, row) => {
    if (line.length > longestLine) return []
    const folded = foldLine(line, signs)
    const start = file.starts[row] ?? 0
    return positionsOf(folded, wanted).map((at) => ({
      start: start + (folded.from[at] ?? 0),
      end: start + (folded.to[at + wanted.length - 1] ?? 0),
      text: next,
    }))
  })
}

/** Of the new text as much white space at the ends goes as went from the old one. */
function trimAlike({ old, next }: WantedEdit): string {
  const lead = old.slice(0, old.length - old.trimStart().length)
  const trail = old.slice(old.trimEnd().length)
  const from = next.startsWith(lead) ? lead.length : 0
  return trail !== '' && next.endsWith(trail) ? next.slice(from, -trail.length) : next.slice(from)
}

function positionsOf({ text, from }: FoldedLine, wanted: string): readonly number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const cutsSign = at > 0 && from[at - 1] === from[at] // begins within what one sign stands for
    if (!cutsSign) found.push(at)
  }
  return found
}

function foldLine(line: string, signs: 'as_they_are' | 'folded'): FoldedLine {
  const from: number[] = []
  const to: number[] = []
  let text = ''
  let at = 0
  for (const sign of line) {
    const end = at + sign.length
    const folded = signs === 'folded' ? foldCharacters(sign) : sign
    if (folded.trim() === '' && folded !== '') {
      if (text.endsWith(' ')) to[to.length - 1] = end
      else {
        text += ' '
        from.push(at)
        to.push(end)
      }
    } else {
      for (let n = 0; n < folded.length; n += 1) {
        from.push(at)
        to.push(end)
      }
      text += folded
    }
    at = end
  }
  return { text, from, to }
}
