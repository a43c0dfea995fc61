import { closeSync, fstatSync, readSync } from 'node:fs'
import { isFields } from '../kernel/index.ts'
import { openRunFileIfAny } from './open-run-file.ts'

/** Of a run directory, beside the report. */
export const transcriptFile = 'transcript.jsonl'

/** What has to be known of a conversation before another attempt goes on with it. */
export interface TranscriptLook {
  /** Of all that the model would read again. */
  readonly chars: number
  /** What was said to it as its user, one behind the other. */
  readonly userTexts: string
}

/**
 * Looks whether a transcript can be gone on from: a regular file of at most `mostBytes`, whole to its last line, not cut,
 * and with an end. Undefined for anything else, and for what cannot be read: it is untrusted, as all that lies in a run
 * directory, and an attempt can always begin anew.
 */
export function lookAtTranscript(
  path: string,
  { mostBytes }: { readonly mostBytes: number },
): TranscriptLook | undefined {
  const text = readSmall(path, mostBytes)
  const lines = text === undefined ? undefined : parseLines(text)
  if (lines === undefined || lines.at(-1)?.kind !== 'end' || lines.some(({ kind }) => kind === 'cut')) return undefined
  const from = lines.findLastIndex(({ kind }) => kind === 'start' || kind === 'compacted')
  const messages = lines
    .slice(from + 1)
    .flatMap(({ kind, message }) => (kind === 'message' && isFields(message) ? [message] : []))
  const users = messages.filter(({ role }) => role === 'user')
  return {
    chars: messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0),
    userTexts: users.map(({ text }) => String(text)).join('\n'),
  }
}

type Line = Readonly<Record<string, unknown>>

function parseLines(text: string): readonly Line[] | undefined {
  if (!text.endsWith('\n')) return undefined // cut while it was written
  try {
    const lines: unknown[] = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line))
    return lines.every(isFields) ? lines : undefined
  } catch {
    return undefined // damaged
  }
}

function readSmall(path: string, mostBytes: number): string | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openRunFileIfAny(path)
    if (descriptor === undefined) return undefined
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.nlink > 1 || stat.size > mostBytes) return undefined
    const buffer = Buffer.alloc(stat.size)
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0))
  } catch {
    return undefined // gone, a link, or no rights: it is not there for us
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
