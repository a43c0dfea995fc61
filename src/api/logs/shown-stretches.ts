import type { LogView, Stretch } from '../../runs/index.ts'
import { firstLineEnd, lastLineEnd } from './line-end.ts'

/**
 * The stretches of a log as they are shown: where its middle was cut out, the halves of lines on both sides count as
 * gone with it. A secret that lies across the cut could not be told by what is left of it.
 */
export function shownStretches(log: LogView): readonly Stretch[] {
  const shown: Stretch[] = []
  for (const [at, stretch] of log.stretches.entries()) {
    const from = shown.at(-1)?.to ?? 0
    const next = log.stretches[at + 1]
    const to = stretch.gone === undefined ? endOfLines(log, stretch, next) : startOfLines(log, stretch, next)
    if (to > from) shown.push({ ...stretch, from, to })
  }
  return shown
}

/** Of a stretch that is there. What its worker has shortened ended where it ended. */
function endOfLines(log: LogView, { from, to }: Stretch, next: Stretch | undefined): number {
  return isOurs(next) ? lastLineEnd(log, { least: from, before: to }) : to
}

/** Of a stretch that is gone: where the first whole line behind it begins. */
function startOfLines(log: LogView, stretch: Stretch, next: Stretch | undefined): number {
  if (next === undefined || !isOurs(stretch)) return stretch.to
  const lineEnd = firstLineEnd(log, stretch.to)
  return lineEnd < next.to ? lineEnd : stretch.to // the only line there is, is better than none
}

const isOurs = (stretch: Stretch | undefined): boolean => stretch?.gone === 'limit' || stretch?.gone === 'copied'
