import { cleanLog, type Mask } from './clean-log.ts'
import { describeGap } from './describe-gap.ts'
import { type EndPiece, readEnd } from './read-end.ts'

// Design section 4, "The folded tail".
const mostTailBytes = 64 * 1_024
const mostTailLines = 20
const mostTailCharacters = 4_000

/**
 * The last words of a run, as they are stored and shown: of the last 64 KiB of its log the last 20 non-empty lines, at
 * most 4,000 characters, readable and masked. stdout and stderr in the order of writing. Empty when it said nothing. Where
 * they reach back to a place at which output is gone, a line says so.
 */
export function readFoldedTail(logPath: string, mask: Mask): string {
  const lines = (readEnd(logPath, mostTailBytes) ?? []).flatMap((piece) => [
    ...sayGone(piece),
    ...cleanLog(piece, mask),
  ])
  return lastCharacters(lines.slice(-mostTailLines).join('\n'), mostTailCharacters)
}

function sayGone({ gone }: EndPiece): readonly string[] {
  return gone === null ? [] : [describeGap(gone)]
}

const mostLastLineBytes = 4 * 1_024
const mostLastLineCharacters = 200

/** The line that the worker wrote last, for live progress; undefined when there is none. At most 200 characters. */
export function readLastLine(logPath: string, mask: Mask): string | undefined {
  const pieces = readEnd(logPath, mostLastLineBytes) ?? []
  const line = pieces
    .flatMap((piece) => cleanLog(piece, mask))
    .at(-1)
    ?.trim()
  return line === undefined ? undefined : lastCharacters(line, mostLastLineCharacters)
}

/** Not to begin with the second half of a surrogate pair. */
function lastCharacters(text: string, most: number): string {
  const cut = text.slice(-most)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}
