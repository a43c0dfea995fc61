import { parseTranscript } from './parse-transcript.ts'
import { lastRun, readTranscriptText } from './read-conversation.ts'
import type { TranscriptLine } from './transcript.ts'

/** A run as its transcript tells it, to be shown again without a provider. */
export interface Replay {
  readonly file: string
  /** How many runs have written into the file; the last one is told. */
  readonly runsInFile: number
  readonly start: Extract<TranscriptLine, { readonly kind: 'start' }> | null
  readonly turns: readonly ReplayTurn[]
  /** Null: its end is not in the file. */
  readonly end: Extract<TranscriptLine, { readonly kind: 'end' }> | null
  /** Why it is not whole, in words; null: it is. */
  readonly damage: string | null
}

/** What happened in one turn, in its order. Turn 0 is what stood in the conversation before the first call. */
export interface ReplayTurn {
  readonly turn: number
  readonly events: readonly ReplayEvent[]
}

export type ReplayEvent = Extract<
  TranscriptLine,
  { readonly kind: 'message' | 'call' | 'fault' | 'compacted' | 'note' }
>

/** Throws `WORKER_TRANSCRIPT_NOT_READ` where there is no such file; of a damaged one it answers what is there. */
export function readReplay(file: string): Replay {
  const { lines, damage } = parseTranscript(readTranscriptText(file))
  const told = lastRun(lines)
  const start = told.find((line) => line.kind === 'start') ?? null
  const end = told.find((line) => line.kind === 'end') ?? null
  return {
    file,
    runsInFile: lines.filter(({ kind }) => kind === 'start').length,
    start,
    turns: byTurn(told),
    end,
    damage: damage ?? missing(told),
  }
}

function byTurn(lines: readonly TranscriptLine[]): readonly ReplayTurn[] {
  const turns = new Map<number, ReplayEvent[]>()
  for (const line of lines) {
    if (line.kind === 'start' || line.kind === 'end' || line.kind === 'cut') continue
    const events = turns.get(line.turn)
    if (events === undefined) turns.set(line.turn, [line])
    else events.push(line)
  }
  return [...turns].sort(([a], [b]) => a - b).map(([turn, events]) => ({ turn, events }))
}

function missing(lines: readonly TranscriptLine[]): string | null {
  const cut = lines.find((line) => line.kind === 'cut')
  if (cut !== undefined) return `it had grown to ${cut.bytes} bytes, and what followed was not recorded`
  if (lines.length === 0) return 'there is nothing in it'
  return lines.some(({ kind }) => kind === 'end')
    ? null
    : 'its worker runs, or was ended before it could write its last line'
}
