/** What a worker takes out of its environment at its start. */
export interface TakenEnvironment {
  readonly apiKey: string | undefined
  /** A person's default server. */
  readonly baseUrl: string | undefined
  /** What was taken out, by name: a lane may name one of them as its key. */
  readonly removed: Readonly<Record<string, string | undefined>>
  /** What is left: nothing that the SDK would read by itself, and no key. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export const keyVariable = 'YARDMASTER_API_KEY'
export const personsKeyVariable = 'OPENAI_API_KEY'

/** Read by the SDK behind our back (worker-facts a.5), or a secret. */
const hidden = [
  keyVariable,
  personsKeyVariable,
  'OPENAI_BASE_URL',
  'OPENAI_ORG_ID',
  'OPENAI_PROJECT_ID',
  'OPENAI_ADMIN_KEY',
  'OPENAI_CUSTOM_HEADERS',
  'OPENAI_LOG',
  'OPENAI_WEBHOOK_SECRET',
  'AZURE_OPENAI_API_KEY',
  'OPENAI_API_VERSION',
  'AWS_BEARER_TOKEN_BEDROCK',
]

/**
 * Reads the key once, unless it was handed over another way, and deletes it, with all that the SDK would pick up, from `env`
 * itself. `OPENAI_…` is a person's own setting: a board worker is told everything by its board and must not fall back on
 * somebody's key.
 */
export function takeEnvironment(
  env: Record<string, string | undefined>,
  user: 'board_worker' | 'person',
  handed?: string | undefined,
): TakenEnvironment {
  const own = env[keyVariable] || undefined
  const persons = user === 'person' ? env[personsKeyVariable] || undefined : undefined
  const baseUrl = user === 'person' ? env.OPENAI_BASE_URL || undefined : undefined
  const taken = Object.fromEntries(hidden.map((name) => [name, env[name]]))
  for (const name of hidden) delete env[name]
  return { apiKey: handed ?? own ?? persons, baseUrl, removed: taken, env: { ...env } }
}
