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

/** A dumb terminal keeps colours and spinners out of logs; unbuffered Python shows its output when it happens. */
const builtIn: Readonly<Record<string, string>> = { TERM: 'dumb', PYTHONUNBUFFERED: '1' }

export interface ChildEnvironment {
  /** The hub's own environment. */
  readonly from: Readonly<Record<string, string | undefined>>
  /** More names to pass on, `*` standing for any text: `NODE_*`. */
  readonly passEnv: readonly string[]
  /** Secrets of the run's account. */
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
  const passesToo = parts.passEnv.length === 0 ? () => false : buildNameTest(parts.passEnv)
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(parts.from)) {
    if (value !== undefined && namePattern.test(name) && (passesAlways(name) || passesToo(name))) passed[name] = value
  }
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

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

function buildNameTest(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns
    .filter((pattern) => pattern.includes('*'))
    .map((pattern) => new RegExp(`^${pattern.split('*').map(escapeForRegExp).join('.*')}$`))
  return (name) => exact.has(name) || globs.some((glob) => glob.test(name))
}

const passesAlways = buildNameTest(passedNames)

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
