/** Of every log, however much may be kept of it. */
const mostHeadBytes = 1_024 * 1_024

/** What is kept of a log: its first `headBytes` and at most its last `tailBytes`. */
interface LogRoom {
  readonly headBytes: number
  readonly tailBytes: number
}

/** Divides what may be kept as the built-in limit does, a ninth for the beginning. */
export function divideLogLimit(limitBytes: number): LogRoom {
  const headBytes = roundToBlock(Math.min(mostHeadBytes, limitBytes / 9))
  // One block less: what is freed ends at the border of a block, and what remains is the longer for it.
  return { headBytes, tailBytes: limitBytes - headBytes - blockBytes }
}

/**
 * What most file systems give back is whole blocks of this size. With larger ones a rest of zeros stays allocated, which
 * is no fault: nothing but what is to be freed is ever overwritten.
 */
const blockBytes = 4_096

export function roundToBlock(bytes: number): number {
  return Math.floor(bytes / blockBytes) * blockBytes
}
