import type { chatApis, chatSandboxes, Grant, reasoningWords } from './chat-words.ts'

/** How the lane of our own agent works; null: nothing is said, so the agent's own default holds. */
export interface ChatLaneConfig {
  /** Asked where the model before is not there or is overloaded. */
  readonly fallbacks: readonly string[]
  readonly tools: readonly string[] | null
  readonly toolsOff: readonly string[]
  readonly turns: number | null
  readonly timeouts: {
    readonly firstByteMs: number | null
    readonly firstEventMs: number | null
    readonly idleMs: number | null
    readonly callMs: number | null
  }
  readonly temperature: number | null
  readonly reasoning: (typeof reasoningWords)[number] | null
  readonly outputTokens: number | null
  readonly contextTokens: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly api: (typeof chatApis)[number]
  readonly sandbox: (typeof chatSandboxes)[number]
  /** Commands that its agents may not run, and those that a person would have to allow: `*` stands for any text. */
  readonly deniedCommands: readonly string[]
  readonly approvalCommands: readonly string[]
  /** How often the log tells of a command that runs. */
  readonly heartbeatMs: number | 'off' | null
  readonly transcript: 'on' | 'off'
  readonly grants: readonly Grant[]
  /** What its agents make starts at once; else a person says so first. */
  readonly agentsMayStart: boolean
}
