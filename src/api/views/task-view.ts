import type { Board, Task } from '../../board/index.ts'
import type { Redactor } from '../../kernel/index.ts'
import type { TaskDetail, TaskView } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { viewRun } from './run-view.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

export interface TaskViewDeps {
  readonly board: Board
  readonly yard: YardView
  readonly mask: Redactor
}

/** A card with its newest attempt. */
export function viewTask(deps: TaskViewDeps, task: Task): TaskView {
  const newest = task.runs === 0 ? undefined : deps.board.lastRun(task.id)
  return {
    id: task.id,
    board: task.board,
    batch: task.batch,
    key: task.rowKey ?? task.key,
    title: task.title,
    kind: task.kind,
    lane: task.lane,
    status: task.status,
    priority: task.priority,
    labels: task.labels,
    failures: task.failures,
    attempts: attemptsOf(deps.yard, task),
    runs: task.runs,
    open_needs: task.openNeeds,
    open_run: task.openRun,
    last_run: newest === undefined ? null : viewRun(deps, newest),
    hold: viewHold(task),
    not_before: isoTimeOrNull(task.notBeforeMs),
    wish: task.wish,
    created_by: task.createdBy,
    created_at: isoTime(task.createdAtMs),
    changed_at: isoTime(task.changedAtMs),
    settled_at: isoTimeOrNull(task.settledAtMs),
  }
}

/** All that is known of a card: its texts, links, attempts and comments. */
export function viewTaskDetail(deps: TaskViewDeps, task: Task): TaskDetail {
  const { board } = deps
  const spec = board.readSpec(task.id)
  return {
    ...viewTask(deps, task),
    prompt: spec?.prompt ?? null,
    run: spec?.run ?? null,
    dir: spec?.dir ?? '',
    needs: board.needsOf(task.id).map(({ task: on, title, status, when }) => ({ task: on, title, status, when })),
    children: board.childrenOf(task.id),
    all_runs: board.runsOf(task.id).map((run) => viewRun(deps, run)),
    comments: board.comments(task.id).map(({ atMs, by, text }) => ({ at: isoTime(atMs), by, text })),
  }
}

/** How often it may fail. While its lane is not configured, only the built-in number is known. */
function attemptsOf(yard: YardView, task: Task): number {
  return yard.settingsOf(task)?.attempts.value ?? (task.kind === 'prompt' ? 2 : 1)
}

function viewHold({ holdCode, holdText, holdBy }: Task): TaskView['hold'] {
  return holdCode === null ? null : { code: holdCode, text: holdText ?? '', by: holdBy }
}
