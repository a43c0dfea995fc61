import { buildChildEnvironment, holdsSecret, markerVariable, neverByPattern } from '../../../kernel/process/index.ts'

/** What of the worker decides what its commands get. */
export interface CommandSurroundings {
  /** The worker's own environment, keys already taken out of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A worker of a board: its environment was made for it by name. A person's own is not passed on. */
  readonly boardWorker: boolean
  readonly knownSecrets: readonly string[]
}

/** What keeps commands from asking questions; a task's own settings win over it. */
const quiet: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  CI: '1',
  NO_COLOR: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  PAGER: 'cat',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
  npm_config_yes: 'true',
}

/** Besides those that change what any program is: what bash and git would follow, and what belongs to the provider (a.5). */
const never = new Set([
  ...neverByPattern,
  ...['SHELLOPTS', 'BASHOPTS', 'LD_AUDIT', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_ADMIN_KEY'],
  ...['OPENAI_CUSTOM_HEADERS', 'OPENAI_LOG', 'OPENAI_WEBHOOK_SECRET', 'OPENAI_API_VERSION'],
  ...['AZURE_OPENAI_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'],
])

/** Of ours, what tells a command where it is. Not the report and the fence: a command must not speak for its worker. */
const ownPassed = new Set([
  'YARDMASTER_TASK',
  'YARDMASTER_RUN',
  'YARDMASTER_SLOT',
  'YARDMASTER_ATTACHMENTS',
  markerVariable,
])

/**
 * The whole environment of one command. A board worker's own environment was made by name for its run, so all of it
 * but ours and its secrets goes on; a person's shell is not passed on, only the names that every worker gets.
 */
export function buildCommandEnvironment(
  { env, boardWorker, knownSecrets }: CommandSurroundings,
  { commandMarker }: { readonly commandMarker: string },
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(([name, value]) => {
    if (value === undefined || never.has(name)) return false
    if (name.startsWith('YARDMASTER_') && !ownPassed.has(name)) return false
    return !knownSecrets.some((secret) => holdsSecret(value, secret)) // whatever its name
  })
  return buildChildEnvironment({
    from: { ...quiet, ...Object.fromEntries(kept) },
    passEnv: boardWorker ? ['*'] : [...Object.keys(quiet), ...ownPassed],
    secrets: {},
    env: {},
    own: {},
    marker: commandMarker,
  })
}
