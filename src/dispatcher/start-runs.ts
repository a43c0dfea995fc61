import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Started } from '../board/index.ts'
import { crashPoint, type RunId, YardError } from '../kernel/index.ts'
import { createRunDirectory, formatHandover, renewExitRecord, writeHubFile } from '../runs/index.ts'
import { makeScratch } from '../workspaces/index.ts'
import type { ReadyLaunch } from './build-launch.ts'
import { buildWorkLaunch } from './build-work-launch.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import type { ReadyClaim } from './ready-claim.ts'
import { speaksToHub } from './run-plan.ts'
import { placeStage } from './stages/stage-place.ts'
import { faultOfRefusal, type LaunchFault } from './unstarted.ts'

/** Nothing is claimed for so long: else every card that waits would be taken and sent back within a second. */
const restAfterShortageMs = 2_000

/**
 * The start gate of design section 6 for the work of all that is claimed: directory and folder, process behind its gate, identities
 * on record in one commit, and only then, one by one, the go. Who is not on record does not get it. Whom it cannot launch
 * it leaves in `unstarted`.
 */
export function startRuns(loop: Loop, ready: readonly ReadyClaim[]): void {
  const started = ready.flatMap((one) => {
    const launched = launchWork(loop, one)
    if (!('fault' in launched)) return [{ open: one.open, record: launched }]
    noteUnstarted(loop, one.open, launched)
    return []
  })
  letStart(loop, started)
}

export function noteUnstarted({ state, clock }: Loop, open: OpenRun, fault: LaunchFault): void {
  state.unstarted.set(open, fault)
  if (fault.fault === 'short') state.restUntilMs = clock.monotonicMs() + restAfterShortageMs
}

/** Behind their gates already: on record in one commit, then the go for who is. */
export function letStart(
  { board, supervisor, clock }: Loop,
  started: readonly { readonly open: OpenRun; readonly record: Started }[],
): void {
  if (started.length === 0) return
  let mayGo: ReadonlySet<RunId>
  try {
    mayGo = board.recordStarted(started.map(({ record }) => record))
  } catch (fault) {
    for (const { open } of started) supervisor.discard(open.id)
    throw fault
  }
  for (const { open, record } of started) {
    if (!mayGo.has(open.id)) {
      supervisor.discard(open.id) // on record it is what it was: so its end is decided
      continue
    }
    const stage = record.stage ?? 'work'
    if (stage !== 'check') open.startedAtMs = clock.nowMs()
    open.phase = 'started'
    open.stage = stage
    open.isBetween = false
    open.due = 'nothing'
    supervisor.go(open.id)
  }
}

function launchWork(loop: Loop, one: ReadyClaim): Started | LaunchFault {
  const { claim, open } = one
  const { plan } = open
  return launching(loop, open, () => {
    if (open.hasDirectory) renewExitRecord(open.runDir)
    else createRunDirectory(loop.home, open.id)
    open.hasDirectory = true
    crashPoint('run.directory')
    const taken = plan.scratch ? makeScratch(plan.folder) : undefined
    if (taken !== undefined) return { says: `${taken.message}; ${taken.fix}`, fault: 'task' }
    const built = buildWorkLaunch(loop, one)
    if (built.ok && speaksToHub(plan)) writeHubFile(open.runDir, loop.address())
    // For all others descriptor 3 is closed.
    const key = built.ok ? (built.key ?? undefined) : undefined
    const given = speaksToHub(plan) ? formatHandover({ token: claim.token, key }) : null
    return launchBuilt(loop, { open, stage: 'work', built, token: given })
  })
}

/** What is thrown on the way to a process is why there is none. */
export function launching(
  { log }: Pick<Loop, 'log'>,
  open: OpenRun,
  launch: () => Started | LaunchFault,
): Started | LaunchFault {
  try {
    return launch()
  } catch (fault) {
    return faultOfThrown({ log }, open, fault)
  }
}

export function faultOfThrown({ log }: Pick<Loop, 'log'>, open: OpenRun, fault: unknown): LaunchFault {
  log.error('run.not_launched', { run: open.id, fault: String(fault) })
  const says = fault instanceof YardError ? `${fault.message}; ${fault.fix}` : String(fault)
  return { says, fault: faultOfRefusal(codeOf(fault)) }
}

/** The errno name behind a fault, which may be wrapped in one of ours. */
function codeOf(fault: unknown): string | undefined {
  const { code } = (fault instanceof YardError ? fault.cause : fault) as NodeJS.ErrnoException
  return code
}

/** An earlier hub may have come as far as this with the same run; and a setup may have left a link there, which is not followed. */
function writeNew(path: string, text: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
}

/** Its files written, its process behind the gate; nothing of it runs yet. */
export function launchBuilt(
  { supervisor }: Loop,
  {
    open,
    stage,
    built,
    token,
    command,
  }: {
    readonly open: OpenRun
    readonly stage: NonNullable<Started['stage']>
    readonly built: ReadyLaunch
    readonly token: string | null
    /** For people; of a stage beside the work. */
    readonly command?: string
  },
): Started | LaunchFault {
  if (!built.ok) return { says: built.says, fault: 'task' }
  const { dir, marker, limits } = placeStage(open, stage)
  for (const { name, text } of built.files) writeNew(join(dir, name), text)
  const { argv, env } = built
  const answer = supervisor.launch({
    run: open.id,
    fence: open.fence,
    runDir: dir,
    argv,
    cwd: open.plan.folder,
    env,
    marker,
    token,
    limits,
  })
  if (answer.ok) {
    const ofStage = command === undefined ? {} : { stage, command }
    return { run: open.id, fence: open.fence, ...ofStage, ...answer.identity }
  }
  const says = `the system refused to start it: ${answer.message} (${answer.code}; command and environment have ${answer.bytes} bytes)`
  return { says, fault: faultOfRefusal(answer.code) }
}
