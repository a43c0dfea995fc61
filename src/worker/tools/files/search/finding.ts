/** What is looked for, checked and in the form that each way of searching takes. */
export interface Wanted {
  /** Real path of the folder or file to look in. */
  readonly root: string
  /** The root, or the folder of the file that it is: a glob counts from here. */
  readonly folder: string
  /** Undefined: names alone are looked for. */
  readonly pattern: string | undefined
  readonly form: 'regex' | 'plain'
  readonly letters: 'as_they_are' | 'any_case'
  readonly glob: string | undefined
}

export interface Finding {
  /** Whole path. */
  readonly path: string
  /** Undefined where names are looked for. */
  readonly line?: number
  readonly text?: string
}

/** How a search came to its end. `deadline`: not all was looked at, whatever was found. */
export type SearchEnd = 'all' | 'enough' | 'deadline' | 'stopped' | 'broke'

export interface Found {
  readonly findings: readonly Finding[]
  readonly end: SearchEnd
  /** Of `broke`: what went wrong. */
  readonly says?: string
  /** Files that were too large to be looked at. */
  readonly skipped: number
}

export const mostFindings = 200
export const longestLine = 500
/** Larger files are data and no text to be searched. */
export const largestSearchedBytes = 16 * 1024 * 1024

/** A line that is too long, cut around what was found in it. */
export function cutAround(line: string, column: number): string {
  if (line.length <= longestLine) return line
  const from = Math.max(0, Math.min(column - 100, line.length - longestLine))
  return `${from > 0 ? '…' : ''}${line.slice(from, from + longestLine)}${from + longestLine < line.length ? '…' : ''}`
}
