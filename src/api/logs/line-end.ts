import type { LogView } from '../../runs/index.ts'

/** How far an end of line is looked for. */
const windowBytes = 16 * 1024

/**
 * The byte after the last end of line (`\n`, or the `\r` of a progress bar) that lies between `least` and `before`; without
 * one, a window back or `least`. A place between two lines is never inside a character.
 */
export function lastLineEnd(
  log: LogView,
  { least, before }: { readonly least: number; readonly before: number },
): number {
  const start = Math.max(least, before - windowBytes)
  const bytes = log.read(start, before - start)
  const at = Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r'))
  return at === -1 ? start : start + at + 1
}

/** The byte after the first end of line from `from` on; without one in reach, `from`. */
export function firstLineEnd(log: LogView, from: number): number {
  const at = log.read(from, windowBytes).indexOf('\n')
  return at === -1 ? from : from + at + 1
}
