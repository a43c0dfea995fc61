import { digest } from './canonical-call.ts'

/** Of a long result this much of both ends counts. */
const endChars = 20_000

/** By kind of what differs between two looks at the same thing: how it is written, and what takes its place. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  // `m` alone is as often metres or megabytes, so it counts where it stands as we say it: `2m`, `1h 28m`, `2m 3s`.
  [/\b\d{1,4}[hm](?: \d{1,2}[ms])?\b/g, '<duration>'],
  [/\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|h)\b/g, '<duration>'],
  [/\b(pid|process|PID)(\s{0,3}[:=#]?\s{0,3})\d{1,10}\b/g, '$1$2<pid>'],
  [/\/(?:tmp|var\/tmp|dev\/shm)\/[^\s'":,;)\]}]{1,300}/g, '<temporary>'],
  [/\b0x[0-9a-f]{4,16}\b/gi, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
]

/** What came of a call, without what is different at every look: times, durations, process numbers, temporary paths. */
export function normaliseResult(text: string): string {
  const ends = text.length <= 2 * endChars ? text : `${text.slice(0, endChars)}\n${text.slice(-endChars)}`
  return changing.reduce((result, [pattern, instead]) => result.replace(pattern, instead), ends).trim()
}

export const digestResult = (text: string): string => digest(normaliseResult(text))
