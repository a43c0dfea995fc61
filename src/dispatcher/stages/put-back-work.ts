import { crashPoint } from '../../kernel/index.ts'
import { putBack, recallWorktree } from '../../workspaces/index.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { placeForDiff } from './place-for-diff.ts'

/**
 * A check or a reviewer works in the worktree of the author: what it left there is saved as a patch in its run directory and taken
 * out again, so that the next attempt goes on from what the author made. A worktree that cannot be put back stays as it is: what is
 * in it then is part of the next attempt, and never thrown away.
 */
export async function putBackWork(loop: Loop, open: OpenRun, signal: AbortSignal): Promise<void> {
  const { board, home, log } = loop
  const commit = open.plan.reviewOf === null ? board.changeOf(open.id)?.headCommit : open.plan.reviewOf.commit
  const worktree = recallWorktree(home, open.task)
  if (commit != null && worktree !== undefined) {
    const answer = await putBack(await loop.workspaceDeps(signal), {
      worktree,
      commit,
      saveTo: placeForDiff(loop, open, 'after.diff'),
    })
    if (signal.aborted) return
    if (!answer.ok) log.warn('run.not_put_back', { run: open.id, why: answer.why })
  }
  crashPoint('workspace.put_back')
  open.due = 'nothing'
}
