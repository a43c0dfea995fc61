import type { Redactor } from '../../kernel/index.ts'
import { readLog } from '../../runs/index.ts'
import { lastLineEnd, lineWindowBytes } from './line-end.ts'

/** Lines that are gone back over before giving up: the longest usual key in PEM form has about 50. */
const mostLines = 100

/**
 * The nearest place at or before `wanted`, and after `least`, where a log can be cut without a secret lying across the
 * cut: masking both sides apart gives the same as masking them together. Without this, two ranges that meet in the
 * middle of a secret would each show half of it. Undefined where there is no such place.
 */
export function safeCut(
  { mask }: { readonly mask: Redactor },
  { file, wanted, least }: { readonly file: string; readonly wanted: number; readonly least: number },
): number | undefined {
  let cut = wanted
  for (let tries = 0; tries < mostLines && cut > least; tries += 1) {
    if (isSafe(mask, file, cut)) return cut
    cut = lastLineEnd(file, cut - 1)
  }
  return cut === 0 && least === 0 ? 0 : undefined
}

function isSafe(mask: Redactor, file: string, cut: number): boolean {
  const start = Math.max(0, cut - lineWindowBytes)
  const left = textOf(file, start, cut - start)
  const right = textOf(file, cut, lineWindowBytes)
  return mask(left + right) === mask(left) + mask(right)
}

function textOf(file: string, fromByte: number, mostBytes: number): string {
  return readLog(file, { fromByte, mostBytes, writer: 'gone' })?.text ?? ''
}
