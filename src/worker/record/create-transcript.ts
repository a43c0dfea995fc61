import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { describeSize, maskJson, type Redactor, saySystemFault } from '../../kernel/index.ts'
import { workerError } from '../errors.ts'
import type { Transcript, TranscriptLine } from './transcript.ts'

/** Larger than any conversation that fits a model: what reaches it goes round in circles. */
export const mostTranscriptBytes = 64 * 1_024 * 1_024
/** Kept free for the last line, so that a cut one still says how the run ended. */
const reservedBytes = 4_096

/** Where nothing is kept: it takes nothing and makes no file. */
export const noTranscript: KeptTranscript = { write() {}, keeps: () => null, close() {} }

export interface KeptTranscript extends Transcript {
  /** What is in the file; null where there is none. */
  keeps(): { readonly bytes: number; readonly cut: boolean } | null
  close(): void
}

interface TranscriptDeps {
  readonly redact: Redactor
  readonly log: (line: string) => void
}

/**
 * A transcript in `file` (0600), each line on disk as soon as it happened, each text masked as a whole. A file that is
 * there is gone on with. A disk that takes nothing any more ends the transcript, never the run. Throws
 * `WORKER_TRANSCRIPT_NOT_MADE` where it cannot even be begun.
 */
export function createTranscript({ redact, log }: TranscriptDeps, file: string): KeptTranscript {
  let descriptor: number | undefined = openForAppend(file)
  let bytes = 0
  let cut = false

  const put = (line: TranscriptLine) => {
    if (descriptor === undefined) return
    const text = Buffer.from(`${maskJson(redact, line)}\n`)
    if (!cut && bytes + text.byteLength > mostTranscriptBytes - reservedBytes) {
      cut = true
      log(`the transcript has ${describeSize(bytes)}: what follows is not recorded`)
      put({ kind: 'cut', bytes })
    }
    if (cut && line.kind !== 'cut' && line.kind !== 'end') return
    try {
      bytes += writeAll(descriptor, text)
    } catch (fault) {
      log(`the transcript ends here, ${file} takes no more: ${(fault as Error).message}`)
      close()
    }
  }
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  return { write: put, keeps: () => ({ bytes, cut }), close }
}

function openForAppend(file: string): number {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    const descriptor = openSync(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
    if (endsInMidLine(descriptor)) writeAll(descriptor, Buffer.from('\n'))
    return descriptor
  } catch (cause) {
    throw workerError('WORKER_TRANSCRIPT_NOT_MADE', { file, why: saySystemFault(cause) }, cause)
  }
}

/** Left by a full disk, or by a worker that was killed: what came behind it in the same line could not be read, either. */
function endsInMidLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

/** A full disk takes a part of a line; the rest is tried, and then refused by the system. */
function writeAll(descriptor: number, text: Buffer): number {
  let at = 0
  while (at < text.byteLength) at += writeSync(descriptor, text, at)
  return at
}
