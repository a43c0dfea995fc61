import { join } from 'node:path'
import type { SetupSpec } from '../../board/index.ts'
import { crashPoint, YardError } from '../../kernel/index.ts'
import { createRunDirectory } from '../../runs/index.ts'
import {
  isSetupDue,
  type MadeWorktree,
  makeWorktree,
  markSetupDone,
  type PutBack,
  putBack,
  recallWorktree,
  restoreSetup,
  storeSetup,
  type Worktree,
} from '../../workspaces/index.ts'
import { createRunMask } from '../known-secrets.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { placeAttachments } from '../place-attachments.ts'
import { readSecrets } from '../read-secret.ts'
import type { ReadyClaim } from '../ready-claim.ts'
import { recordUnstarted } from '../record-unstarted.ts'
import type { WorktreePlan } from '../run-plan.ts'
import { faultOfThrown, noteUnstarted, startRuns } from '../start-runs.ts'
import { faultOfRefusal, type LaunchFault } from '../unstarted.ts'
import { watchProbe } from '../watch-probe.ts'
import { launchStage } from './launch-stage.ts'

/**
 * Makes ready beside the loop what a claimed attempt needs, its worktree and the files of its card, then starts its setup where that is
 * due, else its work. The claim holds its slot meanwhile; who is stopped, or finds the hub leaving, has run nothing and goes back.
 */
export async function startBeside(loop: Loop, one: ReadyClaim, signal: AbortSignal): Promise<void> {
  const { open } = one
  try {
    await makeReady(loop, one, signal)
  } catch (fault) {
    // With a process at its gate the end of that says it, else nothing ever would.
    const isToldElse = open.phase !== 'claimed' || loop.supervisor.standing(open.id) !== 'unknown'
    if (isOver(loop, open, signal) || isToldElse) throw fault
    if (open.stop !== null) loop.state.unstarted.set(open, 'given back')
    else noteUnstarted(loop, open, faultOfThrown(loop, open, fault))
  }
  recordUnstarted(loop)
}

async function makeReady(loop: Loop, one: ReadyClaim, signal: AbortSignal): Promise<void> {
  const { open } = one
  if (!open.hasDirectory) createRunDirectory(loop.home, open.id)
  open.hasDirectory = true
  const made = open.plan.worktree === null ? undefined : await make(loop, open, { asked: open.plan.worktree, signal })
  if (isOver(loop, open, signal)) return
  crashPoint('workspace.made')
  if (!loop.mayStart() || open.stop !== null) loop.state.unstarted.set(open, 'given back')
  else if (made === undefined) await startWork(loop, one, signal)
  else if (!made.ok) noteUnstarted(loop, open, { says: sayFault(made), fault: made.fault })
  else {
    for (const note of made.notes) loop.log.info('workspace.note', { run: open.id, note })
    await startPrepared(loop, one, { worktree: made.worktree, signal })
  }
}

/** Whether it cannot start within a turn of the loop: a worktree is to be made, or files of its card to be copied. */
export const startsBeside = ({ board }: Pick<Loop, 'board'>, { plan, task }: OpenRun): boolean =>
  plan.worktree !== null || board.attachmentsOf(task).some(({ run }) => run === null)

async function make(
  loop: Loop,
  open: OpenRun,
  { asked, signal }: { readonly asked: WorktreePlan; readonly signal: AbortSignal },
): Promise<MadeWorktree> {
  const { board } = loop
  const { reviewOf } = open.plan
  const { repo, ref, depth, copy, copyFrom, fresh } = asked
  return await makeWorktree(await loop.workspaceDeps(orStopped(open, signal)), {
    task: open.task,
    title: board.readTask(open.task)?.title ?? '',
    repo,
    ref,
    depth,
    copy,
    copyFrom,
    attempts: fresh && reviewOf === null ? 'fresh' : 'keep',
    savePatchTo: join(open.runDir, 'before.diff'),
  })
}

function sayFault(made: MadeWorktree & { ok: false }): string {
  return `${made.error.message}; ${made.error.fix}`
}

async function startPrepared(
  loop: Loop,
  one: ReadyClaim,
  { worktree, signal }: { readonly worktree: Worktree; readonly signal: AbortSignal },
): Promise<void> {
  const { open } = one
  const { reviewOf } = open.plan
  const setup = open.plan.worktree?.setup ?? null
  if (reviewOf?.commit != null) {
    // A person may have worked there since.
    const { commit } = reviewOf
    const deps = await loop.workspaceDeps(orStopped(open, signal))
    const answer = await putBack(deps, { worktree, commit, saveTo: join(open.runDir, 'before.diff') })
    // What the author has not made is nothing to give a verdict on.
    if (!answer.ok && open.stop === null && !isOver(loop, open, signal)) {
      return noteUnstarted(loop, open, faultOfPutBack(commit, answer))
    }
  } else if (setup !== null && (await needsSetup(loop, { worktree, setup, signal: orStopped(open, signal) }))) {
    if (isOver(loop, open, signal)) return
    if (open.stop !== null) return void loop.state.unstarted.set(open, 'given back')
    const fault = launchStage(loop, open, 'prepare')
    if (fault === undefined) keepForWork(loop, one)
    else noteUnstarted(loop, open, fault)
    return
  }
  if (!isOver(loop, open, signal)) await startWork(loop, one, signal)
}

/** Until its work starts, or it ends before that: there is a secret in it. */
function keepForWork({ state }: Loop, one: ReadyClaim): void {
  const { id, over } = one.open
  state.prepared.set(id, one)
  over.signal.addEventListener('abort', () => state.prepared.delete(id), { once: true })
}

function faultOfPutBack(commit: string, { fault, why }: PutBack & { ok: false }): LaunchFault {
  const says = `what is to be reviewed (${commit.slice(0, 12)}) could not be checked out: ${why}`
  return { says, fault: fault === 'gone' ? 'task' : fault }
}

/** Gives it the files of its card, then starts it. */
async function startWork(loop: Loop, one: ReadyClaim, signal: AbortSignal): Promise<void> {
  const { open } = one
  const fault = await giveFiles(loop, open)
  if (isOver(loop, open, signal)) return
  if (fault !== undefined) return noteUnstarted(loop, open, fault)
  loop.state.prepared.delete(open.id)
  loop.state.swept.delete(open.id)
  startRuns(loop, [one])
  if (open.phase === 'started' && open.stage === 'work') watchProbe(loop, open)
}

/** Why it cannot have them: one is gone from the store, which only a person can mend, or there is no room. */
async function giveFiles(loop: Loop, { id, task, runDir }: OpenRun): Promise<LaunchFault | undefined> {
  try {
    await placeAttachments(loop, { task, runDir })
    return undefined
  } catch (fault) {
    loop.log.error('run.not_given_files', { run: id, fault: String(fault) })
    if (fault instanceof YardError) return { says: `${fault.message}; ${fault.fix}`, fault: 'task' }
    return {
      says: `its files could not be copied for it: ${String(fault)}`,
      fault: faultOfRefusal((fault as NodeJS.ErrnoException).code),
    }
  }
}

/** Nobody waits for files to be copied for an attempt that is not to begin. */
const orStopped = ({ halt }: OpenRun, signal: AbortSignal): AbortSignal => AbortSignal.any([signal, halt.signal])

const isOver = ({ state }: Loop, open: OpenRun, signal: AbortSignal): boolean =>
  signal.aborted || state.open.get(open.id) !== open

/** Not where it was done before, and not where what it makes can be copied from another worktree. */
async function needsSetup(
  loop: Loop,
  { worktree, setup, signal }: { readonly worktree: Worktree; readonly setup: SetupSpec; readonly signal: AbortSignal },
): Promise<boolean> {
  const deps = await loop.workspaceDeps(signal)
  if (!(await isSetupDue(deps, { worktree, setup }))) return false
  if (setup.key === undefined || (await restoreSetup(deps, { worktree, setup })) === 'none') return true
  return false
}

/** The setup is done: that is noted, kept for other worktrees where it may be, and the work starts. */
export async function goOnToWork(loop: Loop, open: OpenRun, signal: AbortSignal): Promise<void> {
  const { home, state } = loop
  const worktree = recallWorktree(home, open.task)
  const setup = open.plan.worktree?.setup ?? null
  if (worktree !== undefined && setup !== null) {
    await markSetupDone(await loop.workspaceDeps(signal), { worktree, setup })
    const deps = await loop.workspaceDeps(orStopped(open, signal))
    if (setup.key !== undefined) await storeSetup(deps, { worktree, setup })
  }
  const one = state.prepared.get(open.id) ?? (await claimAgain(loop, open))
  if (isOver(loop, open, signal) || open.stop !== null) return // ended by the loop's next look
  if (one !== undefined) await startWork(loop, one, signal)
  recordUnstarted(loop)
}

/** Its setup was begun by an earlier hub: token and secret are had anew. Undefined where that cannot be; then it is in `unstarted`. */
async function claimAgain(loop: Loop, open: OpenRun): Promise<ReadyClaim | undefined> {
  const read = await readSecrets(loop, open.plan)
  if (!read.ok) {
    noteUnstarted(loop, open, { says: read.says, fault: 'lane' })
    return undefined
  }
  const claim = loop.board.claimOf(open.id)
  if (claim === undefined) {
    loop.state.unstarted.set(open, 'given back')
    return undefined
  }
  open.redact = createRunMask(loop, open.plan, read.secrets)
  return { claim, open, secrets: read.secrets }
}
