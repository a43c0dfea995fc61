import OpenAI from 'openai'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { type Clock, longestTimerMs } from '../../kernel/index.ts'
import { CallWatch } from './call-watch.ts'
import { toWire } from './chat-completions.ts'
import { classify } from './faults/classify.ts'
import type { CallEvidence } from './faults/evidence.ts'
import type { CallResult, ModelCall, SentRequest } from './model-call.ts'
import { createNodeFetch, emptyWireRecord, type WireRecord, wireBodyText } from './node-fetch.ts'
import { type ModelReply, ReplyBuilder, readWholeCompletion } from './reply.ts'

/**
 * One call of the model, streamed, without any retry. Never throws for what a provider, a network or a stop can do. The
 * SDK does not notice a stalled stream, an end without a finish reason, an abort in mid-stream or a JSON answer to a
 * stream request (worker-facts a.4): all of that is looked for here.
 */
export async function callModel({ clock }: { readonly clock: Clock }, call: ModelCall): Promise<CallResult> {
  const cut = new AbortController()
  const stopWithWorker = () => cut.abort()
  if (call.signal.aborted) cut.abort()
  call.signal.addEventListener('abort', stopWithWorker, { once: true })
  const watch = new CallWatch({ clock }, { limits: call.limits, cut: stopWithWorker })
  const record = emptyWireRecord()
  const heard = await hear(() => openStream(call, { record, watch, signal: cut.signal }), { record, watch })
  watch.stop()
  call.signal.removeEventListener('abort', stopWithWorker)
  cut.abort() // also ends a body that was not read to its end
  const sent: SentRequest = { bytes: 0, messages: call.messages.length, prefixSha256: '' }
  const cutBy = call.signal.aborted ? 'interrupted' : watch.firedBy
  return { ...judge({ record, heard, cutBy }, clock.nowMs()), sent }
}

function openStream(
  call: ModelCall,
  wire: { readonly record: WireRecord; readonly watch: CallWatch; readonly signal: AbortSignal },
): Promise<AsyncIterable<ChatCompletionChunk>> {
  const client = new OpenAI({
    baseURL: call.endpoint.baseUrl,
    // Everything is given, also when empty: the SDK would else look into the environment.
    apiKey: call.endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0, // one policy decides, ours: the SDK would repeat a 429 that is about money
    timeout: longestTimerMs, // our watchdogs decide, each with its own flag
    logLevel: 'off',
    defaultHeaders: {
      'User-Agent': 'yardmaster',
      ...call.endpoint.headers,
      ...(call.endpoint.apiKey === null ? { Authorization: null } : {}),
    },
    fetch: createNodeFetch(wire.record, () => wire.watch.sawHeaders()) as unknown as typeof fetch,
  })
  return client.chat.completions.create(toWire(call), { signal: wire.signal })
}

interface Heard {
  readonly builder: ReplyBuilder
  readonly events: number
  /** An error that stood in the stream, as a body. */
  readonly inBandError: string | null
  readonly cause: unknown
}

async function hear(
  open: () => Promise<AsyncIterable<ChatCompletionChunk>>,
  { record, watch }: { readonly record: WireRecord; readonly watch: CallWatch },
): Promise<Heard> {
  const builder = new ReplyBuilder()
  let events = 0
  try {
    for await (const chunk of await open()) {
      watch.sawEvent()
      events += 1
      // Older vLLM sends an error with its fields at the top, which the SDK takes for a chunk.
      if (!Array.isArray(chunk.choices))
        return { builder, events, inBandError: JSON.stringify(chunk), cause: undefined }
      builder.add(chunk)
    }
    return { builder, events, inBandError: null, cause: undefined }
  } catch (cause) {
    // The SDK turns `{error}` in a stream into an error without a status and keeps only the inner object.
    const inBand = cause instanceof OpenAI.APIError && record.status === 200 && cause.error !== undefined
    return { builder, events, inBandError: inBand ? JSON.stringify({ error: cause.error }) : null, cause }
  }
}

type UnsentResult = CallResult extends infer Result ? (Result extends CallResult ? Omit<Result, 'sent'> : never) : never

function judge(
  { record, heard, cutBy }: { record: WireRecord; heard: Heard; cutBy: CallEvidence['cutBy'] },
  nowMs: number,
): UnsentResult {
  const worked = cutBy === null && heard.cause === undefined && heard.inBandError === null
  const reply = worked ? readReply(heard, record) : undefined
  if (reply !== undefined) return { kind: 'reply', reply }
  const phase = record.status === null ? 'connect' : heard.events === 0 ? 'body' : 'stream'
  const evidence: CallEvidence = {
    cutBy,
    phase,
    status: record.status,
    headers: record.headers,
    body: errorBody(heard, record),
    cause: heard.cause,
  }
  return { kind: 'fault', fault: classify(evidence, nowMs), partialText: heard.builder.text }
}

function readReply({ builder, events }: Heard, record: WireRecord): ModelReply | undefined {
  if (events > 0) return builder.build()
  try {
    return readWholeCompletion(JSON.parse(wireBodyText(record)))
  } catch {
    return undefined // not even JSON: the classifier gets the raw body
  }
}

/** The text that says what went wrong, or null where only the cause and the phase are known. */
function errorBody(heard: Heard, record: WireRecord): string | null {
  if (heard.inBandError !== null) return heard.inBandError
  if (record.status === null) return null
  if (record.status >= 300) return wireBodyText(record)
  // In a 200: no event at all means that the body is something else; cut or malformed, the cause says more.
  return heard.events === 0 && heard.cause === undefined ? wireBodyText(record) : null
}
