import { isFields } from '../../kernel/index.ts'
import type { TranscriptLine } from './transcript.ts'

/** What can be read of a transcript. */
export interface ReadLines {
  readonly lines: readonly TranscriptLine[]
  /** Why its last run stops before its last line, with the number of the line that cannot be read; null: it is whole. */
  readonly damage: string | null
}

const kinds: Readonly<Record<TranscriptLine['kind'], (line: Readonly<Record<string, unknown>>) => boolean>> = {
  start: ({ schema, model }) => schema === 1 && typeof model === 'string',
  message: ({ turn, message }) => isCount(turn) && isMessage(message),
  call: ({ turn, model, sent }) => isCount(turn) && typeof model === 'string' && isFields(sent),
  fault: ({ turn, says }) => isCount(turn) && typeof says === 'string',
  compacted: ({ turn, before, after }) => isCount(turn) && isCount(before) && isCount(after),
  note: ({ turn, says }) => isCount(turn) && typeof says === 'string',
  cut: ({ bytes }) => isCount(bytes),
  end: ({ code, status }) => isCount(code) && typeof status === 'string',
}

/**
 * The lines of a transcript, as far as they can be read: a worker that was killed leaves half a line, and a disk may
 * damage one. Behind such a line nothing is taken but a later run that goes on in the same file: it is whole by itself.
 * Lines of a kind that a later version writes are left out.
 */
export function parseTranscript(text: string): ReadLines {
  const lines: TranscriptLine[] = []
  const written = text.split('\n')
  const last = written.pop() ?? ''
  let damage: string | null = null
  for (const [index, line] of written.entries()) {
    const read = parseLine(line)
    if (read === undefined) damage ??= `line ${index + 1} is damaged`
    else if (read !== 'unknown kind' && (damage === null || read.kind === 'start')) {
      damage = null
      lines.push(read)
    }
  }
  return { lines, damage: damage ?? (last === '' ? null : `line ${written.length + 1} was cut while it was written`) }
}

function parseLine(text: string): TranscriptLine | 'unknown kind' | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // the caller says which line it is
  }
  if (!isFields(value) || typeof value.kind !== 'string') return undefined
  const fits = Object.hasOwn(kinds, value.kind) ? kinds[value.kind as TranscriptLine['kind']] : undefined
  if (fits === undefined) return 'unknown kind'
  return fits(value) ? (value as unknown as TranscriptLine) : undefined
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

function isMessage(value: unknown): boolean {
  if (!isFields(value) || typeof value.text !== 'string') return false
  switch (value.role) {
    case 'system':
    case 'user':
      return true
    case 'assistant':
      return Array.isArray(value.toolCalls) && value.toolCalls.every(isToolCall)
    case 'tool':
      return typeof value.callId === 'string'
    default:
      return false
  }
}

const isToolCall = (value: unknown): boolean =>
  isFields(value) && [value.id, value.name, value.argumentsText].every((part) => typeof part === 'string')
