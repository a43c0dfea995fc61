import type { Redactor } from '../../kernel/index.ts'
import type { LogBytes } from './log-bytes.ts'

/** A secret is assumed to be shorter than this: keys in PEM form are, by far. */
const windowBytes = 16 * 1024
const newline = 0x0a
const mostTries = 64

/**
 * The nearest place at or before `wanted`, and after `least`, where a log can be cut without a secret lying across the
 * cut: masking both sides apart gives the same as masking them together. Without this, two ranges that meet in the
 * middle of a secret would each show half of it. Undefined where there is no such place.
 */
export function safeCut(
  { log, mask }: { readonly log: LogBytes; readonly mask: Redactor },
  { wanted, least }: { readonly wanted: number; readonly least: number },
): number | undefined {
  let cut = characterStart(log, wanted)
  for (let tries = 0; tries < mostTries && cut > least; tries += 1) {
    if (cut === 0 || cut === log.size || isSafe(log, mask, cut)) return cut
    cut = characterStart(log, lineStartBefore(log, cut))
  }
  return cut === 0 && least === 0 ? 0 : undefined
}

function isSafe(log: LogBytes, mask: Redactor, cut: number): boolean {
  const start = Math.max(0, cut - windowBytes)
  const left = log.read(start, cut - start).toString('utf8')
  const right = log.read(cut, windowBytes).toString('utf8')
  return mask(left + right) === mask(left) + mask(right)
}

/** The start of the line in which the byte before `cut` lies, at most half a window back. */
function lineStartBefore(log: LogBytes, cut: number): number {
  const start = Math.max(0, cut - windowBytes / 2)
  const at = log.read(start, cut - 1 - start).lastIndexOf(newline)
  return at === -1 ? start : start + at + 1
}

/** `at`, or the start of the UTF-8 character that `at` would split (at most 3 bytes earlier). */
function characterStart(log: LogBytes, at: number): number {
  const start = Math.max(0, at - 3)
  const bytes = log.read(start, at + 1 - start)
  let cut = at
  while (cut > start && isContinuation(bytes[cut - start])) cut -= 1
  return isContinuation(bytes[cut - start]) ? at : cut
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
