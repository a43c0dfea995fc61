import { type Board, type Run, readNeed } from '../../board/index.ts'
import { formatRunId, type RunId } from '../../kernel/index.ts'
import type { RunAnswerView, RunCommentView, RunNewsView, RunOwnView } from '../contract/index.ts'
import { isoTime } from './time.ts'

type Deps = { readonly board: Board }

/** What is answered to everything that an attempt says: where it stands. */
export function viewRunAnswer({ board }: Deps, id: RunId): RunAnswerView {
  const run = board.readRun(id)
  return { run: id, call: run?.call?.kind ?? null, stop: run === undefined ? null : stopOf({ board }, run) }
}

const mostNeeds = 100
const mostComments = 100

/** What an attempt may know of itself: its task in full, what came before, what was said since, and whether it is to end. */
export function viewRunOwn({ board }: Deps, run: Run, { after }: { readonly after: number | undefined }): RunOwnView {
  const task = board.readTask(run.task)
  const spec = board.readSpec(run.task)
  if (task === undefined || spec === undefined) throw new Error(`the task of R${run.id} is gone`)
  const needs = board.needsOf(task.id)
  return {
    ...viewRunAnswer({ board }, run.id),
    attempt: run.attempt,
    task: {
      id: task.id,
      board: task.board,
      title: task.title,
      kind: task.kind,
      lane: task.lane,
      priority: task.priority,
      labels: task.labels,
      prompt: spec.prompt ?? null,
      run: spec.run ?? null,
    },
    needs: needs.slice(0, mostNeeds).map((need) => {
      const { left, last } = readNeed({ board }, need)
      return { ...left, data: last?.data == null ? null : (JSON.parse(last.data) as unknown) }
    }),
    needs_not_shown: Math.max(0, needs.length - mostNeeds),
    comments: since(board.comments(run.task), run, after).slice(-mostComments),
  }
}

/** What was said to it by others, and whether it is to end: all that a worker must hear of while it works. */
export function viewRunNews({ board }: Deps, run: Run, { after }: { readonly after: number | undefined }): RunNewsView {
  const all = board.comments(run.task)
  const own = formatRunId(run.id)
  return {
    ...viewRunAnswer({ board }, run.id),
    last: all.length,
    comments: since(all, run, after)
      .filter(({ by }) => by !== own)
      .slice(-mostComments),
  }
}

/** Those after a number, or that came since it was claimed. */
function since(all: ReturnType<Board['comments']>, run: Run, after: number | undefined): readonly RunCommentView[] {
  return all
    .map(({ atMs, by, text }, index) => ({ n: index + 1, atMs, by, text }))
    .filter(({ n, atMs }) => (after === undefined ? atMs >= run.claimedAtMs : n > after))
    .map(({ n, atMs, by, text }) => ({ n, at: isoTime(atMs), by, text }))
}

/** A wish stands before the stop that follows from it is on record. */
function stopOf({ board }: Deps, run: Run): RunAnswerView['stop'] {
  if (run.stop !== null) return { kind: run.stop.kind, text: run.stop.text }
  const task = board.readTask(run.task)
  return task?.wish == null ? null : { kind: task.wish, text: task.wishText ?? '' }
}
