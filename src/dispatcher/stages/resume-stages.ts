import type { Board, Run } from '../../board/index.ts'
import { type JudgedWork, parseJudged } from '../decided-end.ts'
import type { DueStep, OpenRun } from '../open-runs.ts'

/**
 * Of an attempt that an earlier hub left: what its work came to, and what is due when its tree is gone. What was begun and not put
 * on record is done again.
 */
export function resumeStages({ board }: { readonly board: Pick<Board, 'stagesOf'> }, open: OpenRun, run: Run): void {
  open.judged = judgedOf(run)
  open.due = dueOf(board, open, run)
}

/** Its report says nothing more: what it could lower is decided. */
function judgedOf({ judged }: Run): JudgedWork | null {
  return judged === null ? null : { ...parseJudged(judged), report: null }
}

function dueOf(board: Pick<Board, 'stagesOf'>, { plan, isBetween }: OpenRun, run: Run): DueStep {
  if (run.phase === 'exited') return dueAtEnd(plan, run)
  if (!isBetween) return 'nothing'
  switch (run.stage) {
    case 'prepare':
      return board.stagesOf(run.id).findLast(({ kind }) => kind === 'prepare')?.exitCode === 0
        ? 'start_work'
        : 'prepare'
    case 'work':
      return 'record'
    case 'check':
      return 'check'
  }
}

function dueAtEnd({ worktree, reviewOf }: OpenRun['plan'], run: Run): DueStep {
  if (run.pid === null || run.stage === 'prepare') return 'nothing'
  // Artifacts are put on record after the changes, and are there without a worktree, too.
  if (reviewOf === null && run.stage === 'work') return 'record'
  return worktree === null ? 'nothing' : 'put_back'
}
