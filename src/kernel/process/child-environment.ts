import { shortestSecretChars } from '../index.ts'
import { processError } from './errors.ts'
import { appendMarker, markerVariable } from './marker.ts'

/** Passed on to every worker (files-and-cli section 4, "environment"). Nothing else of ours is. */
const passedNames: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TZ',
  'TMPDIR',
  'XDG_*',
  'CI',
  'RUNNER_TRACKING_ID',
]

/**
 * They change what a program is, or make it ask somebody (worker-facts c.7): a pattern never takes one along. Who names
 * one gets it; the commands of an agent do not, whoever names it.
 */
export const neverByPattern: readonly string[] = [
  'NODE_OPTIONS',
  'BASH_ENV',
  'ENV',
  'LD_PRELOAD',
  'PROMPT_COMMAND',
  'GIT_DIR',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
]

/** A dumb terminal keeps colours and spinners out of logs; unbuffered Python shows its output when it happens. */
const builtIn: Readonly<Record<string, string>> = { TERM: 'dumb', PYTHONUNBUFFERED: '1' }

export interface ChildEnvironment {
  /** The hub's own environment. */
  readonly from: Readonly<Record<string, string | undefined>>
  /** More names to pass on, `*` standing for any text: `NODE_*`. */
  readonly passEnv: readonly string[]
  /** Values that no pattern takes along, whatever the name: keys of accounts, and secrets of other lanes. Absent: none. */
  readonly keptBack?: readonly string[]
  /** Secrets of the run's account and lane. */
  readonly secrets: Readonly<Record<string, string>>
  /** `env` of lane, board and task, already merged. */
  readonly env: Readonly<Record<string, string>>
  /** Our own `YARDMASTER_…` variables. */
  readonly own: Readonly<Record<string, string>>
  readonly marker: string
}

/**
 * The whole environment of a worker: the one place where one is made, so that nothing reaches a worker which was not
 * named. What is given later wins, and nobody overrides our own. Throws `PROCESS_BAD_VARIABLE` for what was asked for by
 * name and cannot be handed on: POSIX shells drop variables whose names they could not write, and a shell stands between
 * us and the worker. One of the hub that only a pattern matches is left out.
 */
export function buildChildEnvironment(parts: ChildEnvironment): Readonly<Record<string, string>> {
  const passed = pickVariables(parts.from, {
    names: [...passedNames, ...parts.passEnv],
    keptBack: parts.keptBack ?? [],
  })
  const named = {
    ...parts.secrets,
    ...parts.env,
    ...parts.own,
    [markerVariable]: appendMarker(parts.from[markerVariable], parts.marker),
  }
  for (const [name, value] of Object.entries(named)) {
    if (!namePattern.test(name) || value.includes('\0')) throw processError('PROCESS_BAD_VARIABLE', { name })
  }
  for (const name of parts.passEnv) {
    if (!name.includes('*') && !namePattern.test(name)) throw processError('PROCESS_BAD_VARIABLE', { name })
  }
  return { ...builtIn, ...passed, ...named }
}

/**
 * Of an environment what a list names, `*` standing for any text. What only a pattern meets is left out where it holds one of
 * the values that are kept back, or would change what a program is. The one filter of every environment that we make.
 */
export function pickVariables(
  from: Readonly<Record<string, string | undefined>>,
  { names, keptBack }: { readonly names: readonly string[]; readonly keptBack: readonly string[] },
): Record<string, string> {
  const isMet = buildNameTest(names)
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || !namePattern.test(name)) continue
    const met = isMet(name)
    if (met === 'by name') picked[name] = value
    else if (met === 'by pattern' && !neverByPattern.includes(name) && !keptBack.some((one) => holdsSecret(value, one)))
      picked[name] = value
  }
  return picked
}

/** Whether a variable holds this secret. A short one (`test`) stands in many a PATH by chance; as the whole value it is meant. */
export function holdsSecret(value: string, secret: string): boolean {
  return value === secret || (secret.length >= shortestSecretChars && value.includes(secret))
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

function buildNameTest(patterns: readonly string[]): (name: string) => 'by name' | 'by pattern' | 'no' {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns
    .filter((pattern) => pattern.includes('*'))
    .map((pattern) => new RegExp(`^${pattern.split('*').map(escapeForRegExp).join('.*')}$`))
  return (name) => (exact.has(name) ? 'by name' : globs.some((glob) => glob.test(name)) ? 'by pattern' : 'no')
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
