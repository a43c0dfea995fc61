import { encodingsOf, maskText, shortestSecretChars } from '../../../../kernel/index.ts'

/** Masks known values in a stream of bytes. What could be the beginning of one is held back until it is clear. */
export interface StreamMask {
  /** What may go on of all that was pushed so far and has not gone on yet. */
  push(chunk: Buffer): Buffer
  /** The rest, when the stream has ended. */
  end(): Buffer
}

const mask = Buffer.from(maskText)
const nothing = Buffer.alloc(0)

/**
 * A mask for these values in all their encodings. However the stream is cut into chunks, the answer is the same: at each
 * place the leftmost value is masked, of several that begin there the longest.
 */
export function createStreamMask(knownSecrets: readonly string[]): StreamMask {
  const values = knownSecrets.filter((value) => value.length >= shortestSecretChars)
  const forms = [...new Set(values.flatMap(encodingsOf))].map((form) => Buffer.from(form))
  forms.sort((a, b) => b.byteLength - a.byteLength) // of two that begin at one place the longer is found first
  let held: Buffer = nothing
  return {
    push(chunk) {
      if (forms.length === 0) return chunk
      const bytes = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk])
      const { parts, end } = maskAll(bytes, forms, 'open')
      held = end === bytes.byteLength ? nothing : Buffer.from(bytes.subarray(end))
      return joined(parts)
    },
    end() {
      const { parts } = maskAll(held, forms, 'ended')
      held = nothing
      return joined(parts)
    },
  }
}

/** What is clear of `bytes`, and up to where that is. */
function maskAll(
  bytes: Buffer,
  forms: readonly Buffer[],
  stream: 'open' | 'ended',
): { readonly parts: readonly Buffer[]; readonly end: number } {
  const parts: Buffer[] = []
  const next = forms.map((form) => bytes.indexOf(form))
  let from = 0
  for (;;) {
    const found = leftmost(bytes, forms, next, from)
    const open = stream === 'open' ? firstBeginning(bytes, forms, from) : bytes.byteLength
    if (found === undefined || open <= found.at) {
      if (open > from) parts.push(bytes.subarray(from, open))
      return { parts, end: open }
    }
    if (found.at > from) parts.push(bytes.subarray(from, found.at))
    parts.push(mask)
    from = found.at + found.length
  }
}

/** Looks again only for those forms that were last seen before `from`. */
function leftmost(bytes: Buffer, forms: readonly Buffer[], next: number[], from: number) {
  let best: { at: number; length: number } | undefined
  for (const [n, form] of forms.entries()) {
    let at = next[n] as number
    if (at !== -1 && at < from) {
      at = bytes.indexOf(form, from)
      next[n] = at
    }
    if (at !== -1 && (best === undefined || at < best.at)) best = { at, length: form.byteLength }
  }
  return best
}

/** Where the first form may have begun that the bytes do not show whole; their length where none has. */
function firstBeginning(bytes: Buffer, forms: readonly Buffer[], from: number): number {
  let first = bytes.byteLength
  for (const form of forms) {
    const earliest = Math.max(from, bytes.byteLength - form.byteLength + 1)
    for (let at = bytes.indexOf(form[0] as number, earliest); at !== -1 && at < first; ) {
      if (bytes.compare(form, 0, bytes.byteLength - at, at) === 0) first = at
      else at = bytes.indexOf(form[0] as number, at + 1)
    }
  }
  return first
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}
