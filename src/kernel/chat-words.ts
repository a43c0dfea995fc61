// Words that a lane's configuration, the settings file of `chat` and its tools have in common: said once.

/** create: new tasks of its own lane, as drafts where it does not say agents_may_start. any_lane: of any other, too. comment: on other tasks of its board. link: between tasks of its board. */
export type Grant = (typeof allGrants)[number]

export const allGrants = ['create', 'any_lane', 'comment', 'link'] as const
export const reasoningWords = ['minimal', 'low', 'medium', 'high'] as const
export const chatApis = ['chat_completions', 'responses'] as const
/** bwrap_offline: commands have no network either; the worker's own calls do. */
export const chatSandboxes = ['none', 'bwrap', 'bwrap_offline'] as const

/** USD per million tokens. `cached`: of input that the provider had kept; absent: as `in`. */
export interface ModelPrice {
  readonly in: number
  readonly out: number
  readonly cached?: number
}

/** The tools that `chat` can have; a test holds them against the worker's own. */
export const toolNames = [
  'terminal',
  'process',
  'read',
  'write',
  'patch',
  'search',
  'show',
  'list',
  'comment',
  'heartbeat',
  'create',
  'link',
  'complete',
  'block',
  'review',
  'attach',
] as const

/** Tokens that an attempt with a prompt may use where nothing says it, cached input not counted. */
export const builtInTokens = 5_000_000

/** Where an account is that says nothing else. */
export const builtInBaseUrl = 'https://api.openai.com/v1'
