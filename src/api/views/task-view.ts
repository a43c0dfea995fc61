import type { BoardReader, RunSummary, Task } from '../../board/index.ts'
import type { Redactor } from '../../kernel/index.ts'
import type { TaskDetail, TaskView } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { viewAttachment } from './attachment-view.ts'
import { viewRun, viewRunSummary } from './run-view.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

export interface TaskViewDeps {
  readonly board: BoardReader
  readonly yard: YardView
  readonly mask: Redactor
}

/** A card with its newest attempt. */
export function viewTask(deps: TaskViewDeps, task: Task): TaskView {
  const [view] = viewTasks(deps, [task])
  if (view === undefined) throw new Error(`no view of T${task.id}`)
  return view
}

/** Cards of a list: a few questions for all of them, and no texts are read. */
export function viewTasks(deps: TaskViewDeps, tasks: readonly Task[]): readonly TaskView[] {
  const { board } = deps
  const attempts = board.attemptsOf(tasks)
  const lastRuns = board.lastRuns(tasks.filter(({ runs }) => runs > 0).map(({ id }) => id))
  return tasks.map((task) =>
    viewTaskWith(deps, task, { attempts: attempts.get(task.id), lastRun: lastRuns.get(task.id) }),
  )
}

interface OfTask {
  /** How often it may fail. */
  readonly attempts: number | undefined
  readonly lastRun: RunSummary | undefined
}

/** A card whose attempts were read already. */
export function viewTaskWith(deps: TaskViewDeps, task: Task, { attempts, lastRun }: OfTask): TaskView {
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
    attempts: attempts ?? 0,
    runs: task.runs,
    open_needs: task.openNeeds,
    open_run: task.openRun,
    last_run: lastRun === undefined ? null : viewRunSummary(deps, lastRun),
    hold: viewHold(task),
    not_before: isoTimeOrNull(task.notBeforeMs),
    wish: task.wish,
    created_by: task.createdBy,
    created_at: isoTime(task.createdAtMs),
    changed_at: isoTime(task.changedAtMs),
    settled_at: isoTimeOrNull(task.settledAtMs),
    archived_at: isoTimeOrNull(task.archivedAtMs),
    archived_by: task.archivedBy,
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
    attachments: board.attachmentsOf(task.id).map(viewAttachment),
    all_runs: board.runsOf(task.id).map((run) => viewRun(deps, run)),
    comments: board.comments(task.id).map(({ atMs, by, text }) => ({ at: isoTime(atMs), by, text })),
  }
}

function viewHold({ holdCode, holdText, holdBy }: Task): TaskView['hold'] {
  return holdCode === null ? null : { code: holdCode, text: holdText ?? '', by: holdBy }
}
