import type { CallLimits } from './call-watch.ts'
import type { ProviderFault } from './faults/fault.ts'
import type { ModelReply, ToolCall } from './reply.ts'

/**
 * One part of a conversation, in no provider's words. Values are never changed once made: what was sent in one turn is
 * sent byte for byte in the next, and the text of a message is made once, by the identity of its value.
 */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly ToolCall[]
      /** What the provider wants back with the next call, as it came (Responses API: items of reasoning). */
      readonly reasoning?: readonly unknown[]
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

/** A tool as the model is told of it. */
export interface ToolDescription {
  readonly name: string
  readonly means: string
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Where calls go, on whose account, and by which of the two interfaces. */
export interface Endpoint {
  readonly baseUrl: string
  /** Null: the server needs none, and none is sent. */
  readonly apiKey: string | null
  readonly api: 'chat_completions' | 'responses'
  /** Sent with every call besides our own. */
  readonly headers: Readonly<Record<string, string>>
}

/** How the model is asked to answer. Null: nothing is said of it, and the server's own default holds. */
export interface ModelSettings {
  readonly temperature: number | null
  readonly reasoning: 'minimal' | 'low' | 'medium' | 'high' | null
  readonly maxOutputTokens: number | null
}

export interface ModelCall {
  readonly endpoint: Endpoint
  readonly model: string
  readonly settings: ModelSettings
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
  /** none: the tools are told, and none may be called. */
  readonly toolChoice: 'auto' | 'none'
  readonly limits: CallLimits
  /** About how many tokens the conversation has: large ones are given more time to begin. */
  readonly contextTokens: number
  /** Fires when the worker is told to stop. */
  readonly signal: AbortSignal
}

/** What was sent, for the record. */
export interface SentRequest {
  readonly bytes: number
  readonly messages: number
  /** Hex SHA-256 of the body without its newest messages: those after the last that an earlier call had sent, too. */
  readonly prefixSha256: string
}

export type CallResult =
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly sent: SentRequest }
  | { readonly kind: 'fault'; readonly fault: ProviderFault; readonly partialText: string; readonly sent: SentRequest }
