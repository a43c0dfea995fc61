import type { Fold } from '../ladder/fold-line.ts'

/** The lines of one file, each folded once however many hunks are looked for, with where each folded line stands. */
export interface FoldedFile {
  readonly lines: readonly string[]
  fold(how: Fold): FoldedLines
}

export interface FoldedLines {
  readonly lines: readonly string[]
  /** Numbers of lines, from 0, in order. */
  rowsOf(line: string): readonly number[]
}

export function createFoldedFile(lines: readonly string[]): FoldedFile {
  const known = new Map<Fold, FoldedLines>()
  return {
    lines,
    fold(how) {
      const folded = known.get(how) ?? indexLines(lines.map(how))
      known.set(how, folded)
      return folded
    },
  }
}

function indexLines(lines: readonly string[]): FoldedLines {
  const rows = new Map<string, number[]>()
  for (const [row, line] of lines.entries()) {
    const same = rows.get(line)
    if (same === undefined) rows.set(line, [row])
    else same.push(row)
  }
  return { lines, rowsOf: (line) => rows.get(line) ?? [] }
}

/** How many lines one look may compare: beyond that, in a text of very many equal lines, nothing counts as found. */
const mostCompared = 5_000_000

/** Where these lines stand, both folded; numbers of first lines, from 0. The rarest of them decides where a closer look is worth it. */
export function findFolded(file: FoldedLines, wanted: readonly string[]): readonly number[] {
  const counts = wanted.map((line) => file.rowsOf(line).length)
  const pivot = counts.indexOf(Math.min(...counts.slice(0, mostPivots)))
  const found: number[] = []
  let compared = 0
  for (const row of file.rowsOf(wanted[pivot] ?? '')) {
    const at = row - pivot
    if (at < 0 || at + wanted.length > file.lines.length) continue
    const differs = wanted.findIndex((line, offset) => line !== file.lines[at + offset])
    if (differs < 0) found.push(at)
    compared += differs < 0 ? wanted.length : differs + 1
    if (compared > mostCompared) return []
  }
  return found
}

const mostPivots = 10_000
