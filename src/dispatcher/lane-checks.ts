import { isAbsolute } from 'node:path'
import { type LaneConfig, missingOfLane } from '../kernel/config/index.ts'
import { YardError } from '../kernel/index.ts'
import { buildChildEnvironment } from '../kernel/process/index.ts'
import { byDispatcher, type YardDeps } from './deps.ts'
import { findCommand } from './lanes/find-command.ts'
import { runSelfTest } from './lanes/self-test.ts'
import { readLaneSecrets } from './read-secret.ts'

/** What looking at a lane needs. */
type LaneDeps = Pick<YardDeps, 'config' | 'env' | 'self' | 'program'>

/** Whether a lane could start something, and if not, what is missing. */
export interface LaneCheck {
  readonly name: string
  readonly uses: 'chat' | 'command'
  readonly takesPrompts: boolean
  readonly ready: boolean
  /** `ready`, or what is missing and where it would come from. */
  readonly says: string
}

/**
 * Looks whether each lane has its program on the PATH that its workers get, its model and system prompt, and the secret
 * of its account (C177), so that what is missing is told before the first task needs it. `looked` is called as soon as
 * something more is known of any lane: a key may be slow to come, and keeps no other lane from being told.
 */
export async function checkLanes(
  deps: LaneDeps,
  looked: (checks: readonly LaneCheck[]) => void,
): Promise<readonly LaneCheck[]> {
  const checks = Object.entries(deps.config.lanes).map(([name, lane]) =>
    sayLane(name, lane, missingProgram(deps, name, lane) ?? 'its key is still asked for'),
  )
  looked([...checks])
  await Promise.all(
    Object.entries(deps.config.lanes).map(async ([name, lane], index) => {
      checks[index] = sayLane(name, lane, missingProgram(deps, name, lane) ?? (await missingSecret(deps, name)))
      looked([...checks])
    }),
  )
  return checks
}

function sayLane(name: string, lane: LaneConfig, missing: string | undefined): LaneCheck {
  const takesPrompts = lane.uses === 'chat' || lane.command !== null
  return { name, uses: lane.uses, takesPrompts, ready: missing === undefined, says: missing ?? 'ready' }
}

/** The same lanes, those that looked ready now also tried by a start of something trivial. */
export async function tryLanes(
  deps: YardDeps,
  lanes: readonly LaneCheck[],
  signal: AbortSignal,
): Promise<readonly LaneCheck[]> {
  return await Promise.all(
    lanes.map(async (check) => {
      const lane = deps.config.lanes[check.name]
      const says = check.ready && lane !== undefined ? await tryLane(deps, lane, signal) : undefined
      return says === undefined ? check : { ...check, ready: false, says }
    }),
  )
}

async function tryLane(deps: YardDeps, lane: LaneConfig, signal: AbortSignal): Promise<string | undefined> {
  const env = environmentOf(deps, lane)
  const [program = '', ...args] = lane.uses === 'chat' ? [...deps.self, 'chat', '--help'] : ['bash', '-c', ':']
  const found = findCommand(program, { path: env.PATH ?? '', folder: deps.home })
  // A lane with a program of its own may live without bash; its own program must not be started for nothing.
  return found.ok ? await runSelfTest({ argv: [found.path, ...args], env, cwd: deps.home }, signal) : undefined
}

/** The lane's own fault, found without waiting: asked before each claim, so that no task of it is taken in vain. */
export function findLaneFault(deps: YardDeps, name: string): string | undefined {
  const lane = deps.config.lanes[name]
  if (lane === undefined || (lane.uses === 'command' && lane.command === null)) return undefined
  return missingProgram(deps, name, lane)
}

/** Nothing of the lane starts until it can, or a person resumes it. Changes nothing where it is held already. */
export function holdLane({ board, log }: YardDeps, name: string, says: string): void {
  if (board.holds().some((hold) => hold.scope === 'lane' && hold.name === name)) return
  log.warn('lane.held', { lane: name, says })
  board.setHold({ scope: 'lane', name, kind: 'pause', text: says }, byDispatcher)
}

/** Lifts the holds that we set ourselves, where what was missing is there again. Those of people stay. */
export async function liftMendedLanes(deps: YardDeps, over: AbortSignal): Promise<void> {
  await Promise.all(
    deps.board.holds().map(async ({ scope, name, by }) => {
      const lane = scope === 'lane' && name !== null && by === byDispatcher.by ? deps.config.lanes[name] : undefined
      if (lane === undefined || name === null) return
      const says = missingProgram(deps, name, lane) ?? (await missingSecret(deps, name))
      if (says === undefined && !over.aborted) deps.board.liftHold('lane', name, byDispatcher)
    }),
  )
}

async function missingSecret(deps: LaneDeps, name: string): Promise<string | undefined> {
  const read = await readLaneSecrets(deps, name)
  return read.ok ? undefined : read.says
}

function missingProgram(deps: LaneDeps, name: string, lane: LaneConfig): string | undefined {
  const missing = missingOfLane(name, lane)
  if (missing !== undefined) return missing
  const program = lane.uses === 'chat' ? (deps.self[0] ?? '') : (lane.command?.[0] ?? 'bash')
  try {
    // Asked at every claim, so an environment is only made where a PATH has to be searched.
    const path = isAbsolute(program) ? '' : (environmentOf(deps, lane).PATH ?? '')
    const found = findCommand(program, { path, folder: deps.program })
    return found.ok ? undefined : found.says
  } catch (fault) {
    if (fault instanceof YardError) return fault.message // a variable of the lane that no program can be given
    throw fault
  }
}

/** What workers of the lane get, without what only a task adds. */
function environmentOf(deps: Pick<LaneDeps, 'env'>, lane: LaneConfig): Readonly<Record<string, string>> {
  const nothing = { secrets: {}, own: {}, marker: '' }
  return buildChildEnvironment({ from: deps.env, passEnv: lane.passEnv, env: lane.env, ...nothing })
}
