import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Claim, Started } from '../board/index.ts'
import { crashPoint, formatRunId, type RunId, YardError } from '../kernel/index.ts'
import { createRunDirectory, writeHubFile } from '../runs/index.ts'
import { makeScratch } from '../workspaces/index.ts'
import { buildLaunch, type LaunchInput } from './build-launch.ts'
import type { YardDeps } from './deps.ts'
import { composePrompt } from './lanes/compose-prompt.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { needsReader } from './read-needs.ts'
import { limitsOf, speaksToHub } from './run-plan.ts'
import { faultOfRefusal, type LaunchFault } from './unstarted.ts'

/** Nothing is claimed for so long: else every card that waits would be taken and sent back within a second. */
const restAfterShortageMs = 2_000

/** A claimed attempt with the secret of its account, where it has one. */
export interface ReadyClaim {
  readonly claim: Claim
  readonly open: OpenRun
  readonly secret: LaunchInput['secret']
}

/**
 * The start gate of design section 6 for all that is claimed: directory and folder, process behind its gate, identities
 * on record in one commit, and only then, one by one, the go. Who is not on record does not get it. Whom it cannot launch
 * it leaves in `unstarted`.
 */
export function startRuns(loop: Loop, ready: readonly ReadyClaim[]): void {
  const { board, supervisor, clock } = loop
  const started = ready.flatMap((one) => {
    const launched = launch(loop, one)
    if (!('fault' in launched)) return [{ open: one.open, record: launched }]
    loop.state.unstarted.set(one.open, launched)
    if (launched.fault === 'short') loop.state.restUntilMs = clock.monotonicMs() + restAfterShortageMs
    return []
  })
  if (started.length === 0) return
  let mayGo: ReadonlySet<RunId>
  try {
    mayGo = board.recordStarted(started.map(({ record }) => record))
  } catch (fault) {
    for (const { open } of started) supervisor.discard(open.id)
    throw fault
  }
  for (const { open } of started) {
    open.phase = 'started'
    open.startedAtMs = clock.nowMs()
    if (mayGo.has(open.id)) supervisor.go(open.id)
    else supervisor.discard(open.id)
  }
}

function launch(deps: Loop, { claim, open, secret }: ReadyClaim): Started | LaunchFault {
  try {
    const runDir = createRunDirectory(deps.home, open.id)
    crashPoint('run.directory')
    const { plan } = open
    const taken = plan.scratch ? makeScratch(plan.folder) : undefined
    if (taken !== undefined) return { says: `${taken.message}; ${taken.fix}`, fault: 'task' }
    const built = buildRealLaunch(deps, { claim, open, secret })
    if (!built.ok) return { says: built.says, fault: 'task' }
    for (const { name, text } of built.files) writeFileSync(join(runDir, name), text, { mode: 0o600, flag: 'wx' })
    if (speaksToHub(plan)) writeHubFile(runDir, deps.address())
    const answer = deps.supervisor.launch({
      run: open.id,
      fence: open.fence,
      runDir,
      argv: built.argv,
      cwd: plan.folder,
      env: built.env,
      marker: open.marker,
      // For all others descriptor 3 is closed.
      token: speaksToHub(plan) ? claim.token : null,
      limits: limitsOf(plan),
    })
    if (answer.ok) return { run: open.id, fence: open.fence, ...answer.identity }
    const says = `the system refused to start it: ${answer.message} (${answer.code}; command and environment have ${answer.bytes} bytes)`
    return { says, fault: faultOfRefusal(answer.code) }
  } catch (fault) {
    deps.log.error('run.not_launched', { run: open.id, fault: String(fault) })
    const says = fault instanceof YardError ? `${fault.message}; ${fault.fix}` : String(fault)
    return { says, fault: faultOfRefusal(codeOf(fault)) }
  }
}

/** The errno name behind a fault, which may be wrapped in one of ours. */
function codeOf(fault: unknown): string | undefined {
  const { code } = (fault instanceof YardError ? fault.cause : fault) as NodeJS.ErrnoException
  return code
}

function buildRealLaunch(deps: YardDeps, { claim, open, secret }: ReadyClaim) {
  const { board, config } = deps
  const { task, run, spec } = claim
  const lane = config.lanes[open.plan.lane]
  if (lane === undefined) throw new Error(`claimed a task of lane ${open.plan.lane}, which is not configured`)
  const needs = needsReader(deps, task.id)
  return buildLaunch({
    task,
    spec,
    plan: open.plan,
    lane,
    attempt: run.attempt,
    runDir: open.runDir,
    runName: formatRunId(run.id),
    fence: run.fence,
    slot: run.slot,
    marker: open.marker,
    secret,
    hubEnv: deps.env,
    self: deps.self,
    needs,
    composePrompt: (text) =>
      composePrompt({
        task,
        text,
        needs: needs(),
        attempt: run.attempt,
        earlier: board.runsOf(task.id).filter(({ id, startedAtMs }) => id !== run.id && startedAtMs !== null),
        comments: board.comments(task.id),
      }),
  })
}
