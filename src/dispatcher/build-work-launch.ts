import { join } from 'node:path'
import type { Claim, Run } from '../board/index.ts'
import { createValueMask, formatRunId } from '../kernel/index.ts'
import { composeRunDirectory, lookAtTranscript, readAgentsFile, sayAgentsFile, transcriptFile } from '../runs/index.ts'
import { recallWorktree } from '../workspaces/index.ts'
import { buildLaunch, type ReadyLaunch } from './build-launch.ts'
import { planContinuation } from './continue-transcript.ts'
import type { YardDeps } from './deps.ts'
import { keptBack } from './kept-back.ts'
import { knownSecrets } from './known-secrets.ts'
import { composeContinuation } from './lanes/compose-continuation.ts'
import { composePrompt, type PromptInput } from './lanes/compose-prompt.ts'
import type { GoOn } from './lanes/lane-launch.ts'
import type { PlaceOfWork } from './lanes/place-of-work.ts'
import { readLastReason } from './last-reason.ts'
import type { OpenRun } from './open-runs.ts'
import { givenFiles, givenFolder } from './place-attachments.ts'
import { needsReader } from './read-needs.ts'
import type { ReadyClaim } from './ready-claim.ts'
import { composeReview } from './review/compose-review.ts'
import { asReview, workText } from './review/review-spec.ts'
import { sayCommand } from './stages/stage-place.ts'

/** Program, arguments, environment and files of the work of a claimed attempt, with all that its prompt tells it. */
export function buildWorkLaunch(deps: YardDeps, one: ReadyClaim): ReadyLaunch {
  const { claim, open, secrets } = one
  const { config } = deps
  const { task, run } = claim
  const { plan } = open
  const lane = config.lanes[plan.lane]
  if (lane === undefined) throw new Error(`claimed a task of lane ${plan.lane}, which is not configured`)
  const needs = needsReader(deps, task.id)
  const files = givenFiles(deps, { task: task.id, runDir: open.runDir })
  return buildLaunch({
    task,
    spec: plan.reviewOf === null ? claim.spec : asReview(claim.spec),
    plan,
    passEnv: lane.passEnv,
    ...(files.length === 0 ? {} : { attachments: givenFolder(open.runDir) }),
    attempt: run.attempt,
    runDir: open.runDir,
    runName: formatRunId(run.id),
    fence: run.fence,
    slot: run.slot,
    marker: open.marker,
    secrets,
    keptBack: keptBack(deps),
    hubEnv: deps.env,
    self: deps.self,
    needs,
    goOn: (text) => goOn(deps, one, { text, files }),
    lastReason: () => readLastReason(deps, { task: task.id, run: run.id }),
    composePrompt: (text) => {
      const own = plan.reviewOf === null ? promptOf(deps, one, { text, needs, files }) : reviewOf(deps, claim, open)
      return maskForModel(deps, one)(`${own}${agentsPart(deps, open)}`)
    },
  })
}

/** Known values only, or it would repair what merely looks like a secret. */
const maskForModel = (deps: YardDeps, { open, secrets }: ReadyClaim) =>
  createValueMask([...knownSecrets(deps, open.plan, secrets), ...deps.learnedSecrets()])

/** Of the folder that it works in. Other agents read theirs by themselves. */
function agentsPart({ log }: YardDeps, { id: run, plan }: OpenRun): string {
  if (plan.uses !== 'chat') return ''
  const found = readAgentsFile(plan.folder)
  if (found.kind === 'text') log.info('agents_file.used', { run, folder: plan.folder, bytes: found.bytes })
  if (found.kind === 'refused') log.warn('agents_file.left_out', { run, folder: plan.folder, why: found.why })
  const says = sayAgentsFile(found)
  return says === undefined ? '' : `\n${says}\n`
}

function promptOf(
  deps: YardDeps,
  { claim, open }: ReadyClaim,
  { text, needs, files }: Pick<PromptInput, 'text' | 'files'> & { readonly needs: ReturnType<typeof needsReader> },
): string {
  const { board } = deps
  const { task, run } = claim
  // A reviewer's attempt is told by its remark.
  const earlier = board
    .runsOf(task.id)
    .filter(({ id, startedAtMs, claimedFrom }) => id !== run.id && startedAtMs !== null && claimedFrom === 'ready')
  return composePrompt({
    task,
    text,
    needs: needs(),
    attempt: run.attempt,
    earlier,
    comments: board.comments(task.id),
    ...(files === undefined ? {} : { files }),
    place: placeOf(deps, open),
  })
}

/** What people have to say first is only new where the conversation before it is whole and of the same task and model. */
function goOn(deps: YardDeps, one: ReadyClaim, { text, files }: Pick<PromptInput, 'text' | 'files'>): GoOn | undefined {
  const { board, home } = deps
  const { claim, open } = one
  const { task, run } = claim
  const before = board
    .runsOf(task.id)
    .findLast(({ id, startedAtMs, claimedFrom }) => id !== run.id && startedAtMs !== null && claimedFrom === 'ready')
  const transcriptOf = ({ id }: Run) => join(composeRunDirectory(home, id), transcriptFile)
  const lookAt = (of: Run, mostBytes: number) => lookAtTranscript(transcriptOf(of), { mostBytes })
  const found = planContinuation({ plan: open.plan, text: open.redact(text), before, lookAt })
  if (found === undefined) return undefined
  const { from, heard } = found
  const wasHeard = (said: string) => heard.includes(open.redact(said).trim())
  const comments = board.comments(task.id)
  const given = files === undefined ? {} : { files }
  const own = composeContinuation({ task, attempt: run.attempt, before: from, comments, wasHeard, ...given })
  const agents = agentsPart(deps, open)
  return {
    transcript: transcriptOf(from),
    prompt: maskForModel(deps, one)(`${own}${wasHeard(agents) ? '' : agents}`),
  }
}

function placeOf({ home }: YardDeps, { task, plan }: OpenRun): PlaceOfWork {
  const { check, mayChange, expect } = plan
  const worktree = plan.worktree === null ? undefined : recallWorktree(home, task)
  return { worktree: worktree ?? null, check: check === null ? null : sayCommand(check), mayChange, expect }
}

function reviewOf({ board }: YardDeps, { task, spec }: Claim, { plan }: OpenRun): string {
  const author = plan.reviewOf === null ? undefined : board.readRun(plan.reviewOf.run)
  return composeReview({
    task,
    text: workText(spec),
    author,
    change: author === undefined ? undefined : board.changeOf(author.id),
    comments: board.comments(task.id),
  })
}
