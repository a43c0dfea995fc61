import type { Change } from '../../board/index.ts'
import { crashPoint, formatRunId } from '../../kernel/index.ts'
import { collectArtifacts, sayBadArtifacts, storePatch } from '../../runs/index.ts'
import { harvest, recallForHarvest } from '../../workspaces/index.ts'
import { readReportOf } from '../end-runs.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { recordEnd } from './end-between.ts'
import { judgeLeft, type Left } from './judge-left.ts'
import { placeForDiff } from './place-for-diff.ts'

/**
 * Puts on record what an attempt left: commits and left-overs in its worktree with their patch, and its artifacts. Whatever its
 * outcome, before anything of it is cleaned up. What that says of work that was called done is decided after it: no change
 * where one is expected, a file that it may not touch, an artifact that is not there.
 */
export async function recordWork(loop: Loop, open: OpenRun, signal: AbortSignal): Promise<void> {
  const left = { ...(await recordChange(loop, open, signal)), bad: await storeArtifacts(loop, open) }
  if (signal.aborted || loop.state.open.get(open.id) !== open) return
  const judged = open.isBetween ? judgeLeft(open, left) : undefined
  if (judged !== undefined) recordEnd(loop, open, judged)
  else open.due = open.isBetween ? 'check' : 'nothing'
}

async function recordChange(loop: Loop, open: OpenRun, signal: AbortSignal): Promise<Pick<Left, 'change' | 'missing'>> {
  const { board, home } = loop
  if (open.plan.worktree === null) return { change: undefined, missing: undefined }
  const known = board.changeOf(open.id)
  if (known !== undefined) return { change: known, missing: undefined }
  const worktree = recallForHarvest(home, open.task)
  if (worktree === undefined) return { change: undefined, missing: 'its worktree is not on record any more' }
  const into = placeForDiff(loop, open, 'changes.diff')
  const taken = await harvest(await loop.workspaceDeps(signal), {
    worktree,
    run: open.id,
    title: board.readTask(open.task)?.title ?? '',
    mayChange: open.plan.mayChange,
    into,
  })
  if (!taken.ok) {
    if (taken.fault === 'short' && !signal.aborted) waitForRoom(open, taken.why)
    return { change: undefined, missing: taken.why }
  }
  crashPoint('changes.taken')
  const patch = taken.patchBytes !== null ? await storePatch(home, into) : null
  if (patch?.ok === false) {
    waitForRoom(open, 'no room for its patch')
    return { change: undefined, missing: 'there was no room on the disk for its patch' }
  }
  const change: Change = {
    ...taken.change,
    // What it is called may hold a secret; the patch itself is the work, and stays what git takes.
    files: taken.change.files.map((file) => ({ ...file, path: open.redact(file.path) })),
    run: open.id,
    patch: patch === null ? null : { sha256: patch.sha256, bytes: patch.bytes },
  }
  if (signal.aborted) return { change, missing: undefined }
  board.recordChange({ fence: open.fence, ...change })
  crashPoint('change.recorded')
  return { change, missing: undefined }
}

async function storeArtifacts({ board, home }: Loop, open: OpenRun): Promise<string | undefined> {
  const read = readReportOf(open)
  const named = read.kind === 'report' ? (read.report.artifacts ?? []) : []
  if (named.length === 0) return undefined
  const { stored, bad } = await collectArtifacts(
    { home },
    { runDir: open.runDir, folder: open.plan.folder, artifacts: named },
  )
  if (bad.some(({ why }) => why === 'short')) waitForRoom(open, 'no room for its artifacts')
  for (const file of stored) {
    const name = open.redact(file.name)
    board.addAttachment({ task: open.task, run: open.id, ...file, name }, { by: formatRunId(open.id) })
  }
  return bad.length === 0 ? undefined : open.redact(sayBadArtifacts(bad))
}

/** About a minute, while others may give room back. */
const mostShortTries = 12

/**
 * Throws, so that the step is taken again a little later: what there is no room for says nothing about the work. Not for ever, and not
 * where somebody waits for the attempt to end: then it is told as its end.
 */
function waitForRoom(open: OpenRun, why: string): void {
  open.shortTries += 1
  if (open.stop === null && open.shortTries <= mostShortTries) throw new Error(`${formatRunId(open.id)}: ${why}`)
}
