import { encodingsOf, maskText, shortestSecretChars } from '../../../../kernel/index.ts'

/** Masks known values in a stream of bytes. What could be the beginning of one is held back until it is clear. */
export interface ByteMask {
  /** What may go on of all that was pushed so far and has not gone on yet. */
  push(chunk: Buffer): Buffer
  /** The rest, when the stream has ended. */
  end(): Buffer
}

const mask = Buffer.from(maskText)
const nothing = Buffer.alloc(0)
/** As for texts: what is shorter stands in any output by chance. */
const shortestFormBytes = 6

/**
 * A mask for these values in all their encodings; one mask stands for those that overlap. However the stream is cut into
 * chunks, the answer is the same. On bytes and not on text, because ten megabytes of output are looked through in a moment.
 */
export function createByteMask(knownSecrets: readonly string[]): ByteMask {
  const values = knownSecrets.filter((value) => value.length >= shortestSecretChars)
  const forms = [...new Set(values.flatMap(encodingsOf))].map((form) => Buffer.from(form))
  const search = forms.filter((form) => form.byteLength >= shortestFormBytes)
  search.sort((a, b) => b.byteLength - a.byteLength) // of two that begin at one place the longer is found first
  let held: Buffer = nothing
  /** So many of the first held bytes are masked already. */
  let masked = 0
  const take = (chunk: Buffer, stream: 'open' | 'ended'): Buffer => {
    const bytes = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk])
    const taken = maskAll(bytes, search, { masked, stream })
    held = taken.open === bytes.byteLength ? nothing : Buffer.from(bytes.subarray(taken.open))
    masked = taken.masked
    return taken.parts.length === 1 ? (taken.parts[0] as Buffer) : Buffer.concat(taken.parts)
  }
  return {
    push: (chunk) => (search.length === 0 ? chunk : take(chunk, 'open')),
    end: () => take(nothing, 'ended'),
  }
}

/** What is clear of `bytes`: all before `open`, where a form may have begun that they do not show whole. */
function maskAll(
  bytes: Buffer,
  forms: readonly Buffer[],
  { masked, stream }: { readonly masked: number; readonly stream: 'open' | 'ended' },
): { readonly parts: readonly Buffer[]; readonly open: number; readonly masked: number } {
  const parts: Buffer[] = []
  const next = forms.map((form) => bytes.indexOf(form))
  const open = stream === 'open' ? firstBeginning(bytes, forms) : bytes.byteLength
  let spanEnd = masked
  for (let found = leftmost(forms, next); found !== undefined && found.at < open; found = leftmost(forms, next)) {
    if (found.at > spanEnd) parts.push(bytes.subarray(spanEnd, found.at))
    if (found.at >= spanEnd) parts.push(mask)
    spanEnd = Math.max(spanEnd, found.at + found.length)
    for (const [n, form] of forms.entries()) if (next[n] === found.at) next[n] = bytes.indexOf(form, found.at + 1)
  }
  if (open > spanEnd) parts.push(bytes.subarray(spanEnd, open))
  return { parts, open, masked: Math.max(0, spanEnd - open) }
}

function leftmost(forms: readonly Buffer[], next: readonly number[]): { at: number; length: number } | undefined {
  let best: { at: number; length: number } | undefined
  for (const [n, form] of forms.entries()) {
    const at = next[n] as number
    if (at !== -1 && (best === undefined || at < best.at)) best = { at, length: form.byteLength }
  }
  return best
}

/** The first place from which the bytes could be the beginning of a form; their length where there is none. */
function firstBeginning(bytes: Buffer, forms: readonly Buffer[]): number {
  let first = bytes.byteLength
  for (const form of forms) {
    const earliest = Math.max(0, bytes.byteLength - form.byteLength + 1)
    for (let at = bytes.indexOf(form[0] as number, earliest); at !== -1 && at < first; ) {
      if (bytes.compare(form, 0, bytes.byteLength - at, at) === 0) first = at
      else at = bytes.indexOf(form[0] as number, at + 1)
    }
  }
  return first
}
