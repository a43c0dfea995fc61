import type { Redactor } from '../../../../kernel/index.ts'

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

/** So much of a long line is looked at on both sides of what was found, so that no secret is cut before it is masked. */
export const longestMargin = 8_192

/** A line that is too long, cut around what was found in it; what the cut would divide is masked before it. */
export function cutAround(whole: string, at: number, maskKnown: Redactor): string {
  if (whole.length <= longestLine) return whole
  const start = Math.max(0, at - longestMargin)
  const line = maskKnown(whole.slice(start, at + longestMargin))
  const column = maskKnown(whole.slice(start, at)).length
  const from = Math.max(0, Math.min(column - 100, line.length - longestLine))
  return `${from > 0 ? '…' : ''}${line.slice(from, from + longestLine)}${from + longestLine < line.length ? '…' : ''}`
}
