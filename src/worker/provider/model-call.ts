import type { AskedLimits } from './asked-limits.ts'
import type { ProviderFault } from './faults/fault.ts'
import type { KeptReasoning, ModelReply, ToolCall } from './reply.ts'

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
      /** What the provider wants back with the next call; from `ModelReply.reasoning`. */
      readonly reasoning?: readonly KeptReasoning[]
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
  readonly limits: AskedLimits
  /** About how many tokens the conversation has: large ones are given more time to begin. */
  readonly contextTokens: number
  /** What the model can take; null or absent: not known. */
  readonly windowTokens?: number | null | undefined
  /** How long the run still has, at this moment; null or absent: no end is known. A call ends before it. */
  readonly runLeftMs?: (() => number | null) | undefined
  /** Reason that the run before this one reported: a host unknown twice in a row is a wrong address. */
  readonly lastRunReason?: string | null | undefined
  /** Fires when the call has to end: with the reason `run` or `budget` where that is why, else because of a stop. */
  readonly signal: AbortSignal
}

/** What was sent, for the record. */
export interface SentRequest {
  /** 0: it was cut before all of it had left, and the hashes are empty. */
  readonly bytes: number
  readonly messages: number
  /** Hex SHA-256 of the body without its newest messages: those after the last that an earlier call had sent, too. */
  readonly prefixSha256: string
  /**
   * Hex SHA-256 of the body up to and with its last message. The next call of the conversation has it as its
   * `prefixSha256`, as long as nothing that was sent before is sent differently.
   */
  readonly messagesSha256: string
}

export type CallResult =
  | { readonly kind: 'reply'; readonly model: string; readonly reply: ModelReply; readonly sent: SentRequest }
  | {
      readonly kind: 'fault'
      readonly model: string
      readonly fault: ProviderFault
      readonly partialText: string
      readonly sent: SentRequest
    }
