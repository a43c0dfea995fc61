import { formatRunId } from '../kernel/index.ts'
import { buildLaunch, type ReadyLaunch } from './build-launch.ts'
import type { YardDeps } from './deps.ts'
import { composePrompt } from './lanes/compose-prompt.ts'
import { needsReader } from './read-needs.ts'
import type { ReadyClaim } from './start-runs.ts'

/** Program, arguments, environment and files of the work of a claimed attempt, with all that its prompt tells it. */
export function buildWorkLaunch(deps: YardDeps, { claim, open, secret }: ReadyClaim): ReadyLaunch {
  const { board, config } = deps
  const { task, run, spec } = claim
  const { plan } = open
  const lane = config.lanes[plan.lane]
  if (lane === undefined) throw new Error(`claimed a task of lane ${plan.lane}, which is not configured`)
  const needs = needsReader(deps, task.id)
  const earlier = () => board.runsOf(task.id).filter(({ id, startedAtMs }) => id !== run.id && startedAtMs !== null)
  return buildLaunch({
    task,
    spec,
    plan,
    passEnv: lane.passEnv,
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
        earlier: earlier(),
        comments: board.comments(task.id),
      }),
  })
}
