import {
  type ClaimedAs,
  type Move,
  type PreparedClaim,
  type Resolved,
  type Task,
  type TaskSettings,
  type TaskSpec,
  whyImpossible,
  whyUncounted,
} from '../board/index.ts'
import { unpricedModels } from '../kernel/config/index.ts'
import { formatRunId, formatTaskId, runId } from '../kernel/index.ts'
import { formatMarker } from '../kernel/process/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import { resolveWorkspace } from '../workspaces/index.ts'
import { buildLaunch } from './build-launch.ts'
import type { YardDeps } from './deps.ts'
import { planWorktree } from './plan-worktree.ts'
import { needsReader } from './read-needs.ts'
import { noSecrets } from './read-secret.ts'
import { resolveTask } from './resolve-task.ts'
import { asReview, withoutJudgement } from './review/review-spec.ts'
import { buildRunPlan, formatRunPlan, type ReviewedWork } from './run-plan.ts'

/** Stands in for the run that the claim will make: as long as the longest, so that no size is judged too small. */
const standIn = { run: runId(999_999_999_999), nonce: '0'.repeat(32), fence: 999_999_999 }

/**
 * Decides an attempt before it is claimed: its settings, folder and command. What could never start is refused here, with what is
 * wrong in words; it waits for a person and has cost no attempt. Looks, starts nothing.
 */
export function prepareClaim(
  deps: YardDeps,
  task: Task,
  { spec: written, defaults: ofBatch, as }: { spec: TaskSpec; defaults: TaskSettings | null; as: ClaimedAs },
): PreparedClaim {
  const { config, home, program, builtInGraceMs } = deps
  const lane = config.lanes[as.lane]
  if (lane === undefined) return refuseClaim(`there is no lane ${as.lane} in yardmaster.yaml`)
  const isReview = as.from === 'review'
  const spec = isReview ? asReview(written) : written
  const defaults = isReview && ofBatch !== null ? withoutJudgement(ofBatch) : ofBatch
  const resolved = resolveTask(spec, { defaults, board: config.boards[task.board], lane, builtInGraceMs })
  const settings: Resolved = isReview ? { ...resolved, ...judgesNothing } : resolved
  const impossible = whyImpossible(settings)
  if (impossible !== undefined) return refuseClaim(`${impossible.message}; ${impossible.fix}`)
  const kind = spec.prompt === undefined ? 'run' : 'prompt'
  const counting = { name: as.lane, uses: lane.uses, unpriced: unpricedModels(config, lane) }
  const uncounted = whyUncounted(settings, { kind, lane: counting })
  if (uncounted !== undefined) return refuseClaim(`${uncounted.says}; ${uncounted.fix}`)
  const { value: workspace } = settings.workspace
  const folder = resolveWorkspace({ home, program }, { task: task.id, kind, workspace, dir: spec.dir })
  if (!folder.ok) return refuseClaim(`${folder.error.message}; ${folder.error.fix}`)
  const needs = needsReader(deps, task.id)
  const planned = workspace.kind === 'worktree' ? planWorktree(deps, { workspace, dir: spec.dir, needs }) : undefined
  if (planned?.ok === false) return refuseClaim(planned.says)
  const worktree = planned?.worktree ?? null
  const reviewOf = isReview ? findWork(deps, task) : null
  const plan = buildRunPlan({
    spec,
    resolved: settings,
    laneName: as.lane,
    lane,
    account: lane.account === null ? undefined : config.accounts[lane.account],
    folder,
    worktree: isReview && worktree !== null ? { ...worktree, setup: null, copy: [], fresh: false } : worktree,
    reviewOf,
  })
  const launch = buildLaunch({
    task,
    spec,
    plan,
    passEnv: lane.passEnv,
    attempt: task.runs + 1,
    runDir: composeRunDirectory(home, standIn.run),
    runName: formatRunId(standIn.run),
    fence: standIn.fence,
    slot: config.slots,
    marker: formatMarker(standIn.run, standIn.nonce),
    secrets: noSecrets,
    keptBack: [],
    hubEnv: deps.env,
    self: deps.self,
    needs,
    composePrompt: () => '', // goes into a file, of any length
    folderIs: worktree === null ? 'there' : 'to come',
  })
  return launch.ok ? { ok: true, settings: formatRunPlan(plan) } : refuseClaim(launch.says)
}

/** A reviewer gives a verdict; nobody checks or reviews that. */
const judgesNothing = {
  check: { value: null, from: 'built in' },
  mayChange: { value: null, from: 'built in' },
  expect: { value: 'any', from: 'built in' },
  review: { value: 'none', from: 'built in' },
} as const satisfies Partial<Resolved>

/** The author's attempt and the commit that it came to (C86). */
function findWork({ board }: Pick<YardDeps, 'board'>, task: Task): ReviewedWork {
  const author = board.runsOf(task.id).findLast(({ claimedFrom }) => claimedFrom === 'ready')
  if (author === undefined)
    throw new Error(`${formatTaskId(task.id)} is under review without ever having been worked on`)
  return { run: author.id, commit: board.changeOf(author.id)?.headCommit ?? null }
}

/** It waits for a person, with what is wrong in words; it has cost no attempt. */
export function refuseClaim(says: string): PreparedClaim {
  const move: Move = { to: 'blocked', code: 'launch_failed', text: says }
  return { ok: false, outcome: 'launch_failed', reason: says, move }
}
