/** Takes terminal colours out of a stream of bytes. What could be the beginning of one is held back until it is clear. */
export interface ColourFilter {
  /** What may go on of all that was pushed so far and has not gone on yet. */
  push(chunk: Buffer): Buffer
  /** The rest, when the stream has ended. */
  end(): Buffer
}

const escapeByte = 0x1b
const nothing = Buffer.alloc(0)
/** `ESC [ 1 ; 31 m`: what stands between the bracket and the letter. */
const mostParameterBytes = 20

/**
 * Before secrets are looked for: `grep --color` that finds a part of one cuts it in three, and what a model reads has no
 * colours, so that they would stand together again.
 */
export function createColourFilter(): ColourFilter {
  let held: Buffer = nothing
  return {
    push(chunk) {
      const bytes = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk])
      const parts: Buffer[] = []
      let from = 0
      let open = bytes.byteLength
      for (let at = bytes.indexOf(escapeByte); at !== -1; at = bytes.indexOf(escapeByte, at + 1)) {
        const end = endOfColour(bytes, at)
        if (end === 'open') {
          open = at
          break
        }
        if (end === 'none') continue
        if (at > from) parts.push(bytes.subarray(from, at))
        from = end
      }
      held = open === bytes.byteLength ? nothing : Buffer.from(bytes.subarray(open))
      const rest = bytes.subarray(from, open)
      return parts.length === 0 ? rest : Buffer.concat([...parts, rest])
    },
    end() {
      const rest = held
      held = nothing
      return rest
    },
  }
}

/** Behind its last byte; open: the bytes end before that is clear. */
function endOfColour(bytes: Buffer, at: number): number | 'open' | 'none' {
  if (at + 1 >= bytes.byteLength) return 'open'
  if (bytes[at + 1] !== 0x5b) return 'none'
  for (let next = at + 2; next <= at + 2 + mostParameterBytes; next += 1) {
    const byte = bytes[next]
    if (byte === undefined) return 'open'
    const isParameter = (byte >= 0x30 && byte <= 0x39) || byte === 0x3b || byte === 0x3f
    if (!isParameter) return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) ? next + 1 : 'none'
  }
  return 'none'
}
