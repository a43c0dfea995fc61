import type { ModelCall } from './model-call.ts'
import type { ModelReply } from './reply.ts'

/** One of the two interfaces of a provider: how a call is written, and how its answer is read. */
export interface WireApi {
  /** Below the base URL. */
  readonly path: string
  compose(call: ModelCall, quirks: ReadonlySet<Quirk>): WireBody
  createReader(model: string): ReplyReader
}

/**
 * A request in three parts. `head` and the texts of the messages are the same from call to call, as long as model,
 * settings and tools are; what may differ stands in `tail`. So each request begins with the bytes of the one before,
 * which is what a provider's cache of prompts goes by.
 */
export interface WireBody {
  readonly head: string
  /** JSON of each message, none of them empty. */
  readonly messages: readonly string[]
  readonly tail: string
}

export const textOfBody = ({ head, messages, tail }: WireBody): string => `${head}${messages.join(',')}${tail}`

/** What a server refused of a call, and what is sent to it since. */
export type Quirk =
  /** `max_tokens` instead of `max_completion_tokens`. */
  | 'old_token_limit'
  | 'no_stream_options'
  /** No sealed reasoning is asked for. */
  | 'no_sealed_reasoning'
  /** Reasoning does not go back with the calls that it led to. */
  | 'no_reasoning'

/**
 * What an event of a stream was. model: text, reasoning, a piece of a tool call or usage. empty: of the interface, and
 * says nothing. foreign: nothing that the interface knows. Or an error, as a body for the classifier.
 */
export type HeardEvent = 'model' | 'empty' | 'foreign' | { readonly error: string }

/** Puts a reply together from the events of its stream. */
export interface ReplyReader {
  /** Text so far, for a report when the stream is cut. */
  readonly text: string
  /** How much of the reply is there. but_usage: all that it needs; usage may still come. */
  readonly isThere: 'part' | 'but_usage' | 'whole'
  add(event: unknown): HeardEvent
  /** Undefined without a finish reason: then the stream was dropped, whatever arrived. */
  build(): ModelReply | undefined
  /** A whole answer that came in answer to a stream request: some proxies do that. Undefined for any other shape. */
  readWhole(json: unknown): ModelReply | undefined
}
