import type { chatApis, chatSandboxes, Grant, ModelPrice, reasoningWords } from '../kernel/index.ts'

/**
 * What a lane, its account and its task say of how `chat` works, resolved at the claim: `chat.json` of the run directory.
 * It holds no secret. Flags of the command line win over it, and our defaults fill in what neither says.
 */
export interface ChatSettings {
  readonly schema: 1
  /** The first is asked; the next where the one before is not there or is overloaded. At least one. */
  readonly models: readonly string[]
  readonly baseUrl: string
  readonly api: (typeof chatApis)[number]
  readonly keyless: boolean
  /** Absolute path of the file with the system prompt; null: the built-in one. */
  readonly system: string | null
  /** Sent with every call of the model besides our own; none of them is a credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly temperature: number | null
  readonly reasoning: (typeof reasoningWords)[number] | null
  readonly maxOutputTokens: number | null
  /** Tokens that the model can take; null: not known until the server says it. */
  readonly contextTokens: number | null
  /** Names of the tools that it may use, before what the operator switches off; null: all. */
  readonly tools: readonly string[] | null
  readonly toolsOff: readonly string[]
  readonly sandbox: (typeof chatSandboxes)[number]
  /** Files that keys and secrets are read from: no command in a sandbox sees them. */
  readonly hidden: readonly string[]
  /** Commands that are not run, and those that a person would have to allow: `*` stands for any text. */
  readonly deniedCommands: readonly string[]
  readonly approvalCommands: readonly string[]
  /** How often the log tells of a command that runs; 0: never; null: built in. */
  readonly heartbeatMs: number | null
  readonly maxTurns: number | null
  /** Of one call of the model; null: built in. */
  readonly timeouts: ChatTimeouts
  /** Milliseconds that the whole run may take, its limit in the dispatcher; null: none is known. */
  readonly runMs: number | null
  readonly budget: { readonly tokens: number | null; readonly usd: number | null }
  /** By model. */
  readonly prices: Readonly<Record<string, ModelPrice>>
  readonly transcript: 'on' | 'off'
  /** What it may do besides its own task. */
  readonly grants: readonly Grant[]
  /** Transcript of an attempt that this one goes on from; null: it begins anew. */
  readonly continues: string | null
  /** Reason that the attempt before this one reported; null or absent: none. */
  readonly lastReason?: string | null
}

export interface ChatTimeouts {
  /** From sending to the headers of the answer. */
  readonly firstByteMs: number | null
  /** From sending to the first event of the model. */
  readonly firstEventMs: number | null
  /** Between two events of the model. */
  readonly idleMs: number | null
  /** The whole call. */
  readonly callMs: number | null
}

export const chatSettingsFile = 'chat.json'

/** As it is written into the run directory; `parseChatSettings` reads it back. */
export const formatChatSettings = (settings: ChatSettings): string => `${JSON.stringify(settings, null, 2)}\n`
