import { readFileSync, statSync } from 'node:fs'
import { workerError } from '../errors.ts'
import type { ModelMessage } from '../provider/model-call.ts'
import type { ToolCall } from '../provider/reply.ts'
import { mostTranscriptBytes } from './create-transcript.ts'
import { parseTranscript } from './parse-transcript.ts'
import type { TranscriptLine } from './transcript.ts'

/** What stands in the place of a result that the transcript does not have. */
const noResult = 'The run ended before this call had a result.'

/**
 * The conversation of a transcript as it stood at its end, fit to be gone on with: every tool call has its result, and
 * what a provider wanted back is left out, because another may be asked. Masked texts stay masked. Throws
 * `WORKER_TRANSCRIPT_NOT_READ` for a file that is none, is damaged, or was cut.
 */
export function readConversation(file: string): readonly ModelMessage[] {
  const { lines, damage } = parseTranscript(readTranscriptText(file))
  if (damage !== null) throw notRead(file, damage)
  const messages = messagesOf(lastRun(lines))
  if (messages === undefined) throw notRead(file, 'it was cut: its conversation is not whole')
  if (messages.length === 0) throw notRead(file, 'there is no conversation in it')
  return withResults(messages)
}

/** The text of a transcript's file. Throws `WORKER_TRANSCRIPT_NOT_READ`. */
export function readTranscriptText(file: string): string {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw notRead(file, 'it is no plain file')
    // Several runs may have gone on with one file.
    if (stat.size > 4 * mostTranscriptBytes) throw notRead(file, `it has ${stat.size} bytes`)
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'WORKER_TRANSCRIPT_NOT_READ') throw cause
    throw notRead(file, code === 'ENOENT' ? 'it does not exist' : message, cause)
  }
}

/** A file that was gone on with holds several, each whole by itself. */
export function lastRun(lines: readonly TranscriptLine[]): readonly TranscriptLine[] {
  const from = lines.findLastIndex(({ kind }) => kind === 'start')
  return from === -1 ? lines : lines.slice(from)
}

/** The messages that were in force at the end; undefined where some of them are missing. */
export function messagesOf(lines: readonly TranscriptLine[]): readonly ModelMessage[] | undefined {
  let messages: ModelMessage[] = []
  for (const line of lines) {
    if (line.kind === 'cut') return undefined
    if (line.kind === 'compacted') messages = []
    if (line.kind === 'message') messages.push(line.message)
  }
  return messages
}

/** Providers refuse a call without a result, and a result without a call. */
function withResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const whole: ModelMessage[] = []
  let open: readonly ToolCall[] = []
  const settle = () => {
    whole.push(...open.map(({ id }): ModelMessage => ({ role: 'tool', callId: id, text: noResult })))
    open = []
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.some(({ id }) => id === message.callId)) continue
      open = open.filter(({ id }) => id !== message.callId)
      whole.push(message)
      continue
    }
    settle()
    whole.push(message.role === 'assistant' ? withoutReasoning(message) : message)
    if (message.role === 'assistant') open = message.toolCalls
  }
  settle()
  return whole
}

function withoutReasoning({ text, toolCalls }: Extract<ModelMessage, { readonly role: 'assistant' }>): ModelMessage {
  return { role: 'assistant', text, toolCalls: toolCalls.map(withArguments) }
}

/** A mask may have taken a quote along; what is no JSON any more would be refused by the provider. */
function withArguments(call: ToolCall): ToolCall {
  if (call.argumentsText.trim() === '') return { ...call, argumentsText: '{}' }
  try {
    JSON.parse(call.argumentsText)
    return call
  } catch {
    return { ...call, argumentsText: JSON.stringify({ text: call.argumentsText }) }
  }
}

const notRead = (file: string, why: string, cause?: unknown) =>
  workerError('WORKER_TRANSCRIPT_NOT_READ', { file, why }, cause)
