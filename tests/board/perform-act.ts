import { expect } from 'vitest'
import { runId, taskId } from '../../src/kernel/index.ts'
import { agree } from './agree.ts'
import { isOver, type Model, type ModelTask } from './model.ts'
import { ann, newTask, spec, startMs, type TestBoard } from './open-test-board.ts'
import { performOfRun } from './perform-act-of-run.ts'
import type { Act } from './random-act.ts'

/** Does it to both. What the model allows must succeed; what it does not must be refused by a known error. */
export function perform(yard: TestBoard, model: Model, one: Act) {
  const { board, clock } = yard
  const tasks = [...model.tasks.values()]
  const task = 'pick' in one ? pickTask(tasks, one) : undefined
  const id = taskId(task?.id ?? 0)

  switch (one.do) {
    case 'add':
      return add(yard, model, one)
    case 'ready':
      if (task === undefined) return
      return agree(
        model,
        ['triage', 'todo', 'ready'].includes(task.status),
        () => board.readyTask(id, ann),
        () => {
          if (task.status === 'triage') task.status = model.openNeeds(task) > 0 ? 'todo' : 'ready'
        },
      )
    case 'block':
      if (task === undefined) return
      // Blocking what is blocked gives it the new reason.
      return agree(
        model,
        task.status !== 'running' && !isOver(task.status),
        () => board.blockTask(id, 'why', ann),
        () => model.block(task),
      )
    case 'unblock':
      if (task === undefined) return
      return agree(
        model,
        task.status === 'blocked',
        () => board.unblockTask(id, ann),
        () => model.reopen(task, 'where_it_was'),
      )
    case 'answer':
      if (task === undefined) return
      return agree(
        model,
        task.status === 'blocked' && task.lastEnd === 'asked',
        () => board.answerTask(id, 'blue', ann),
        () => model.reopen(task, 'where_it_was'),
      )
    case 'approve':
      if (task === undefined) return
      return agree(
        model,
        task.status === 'review',
        () => board.approveTask(id, null, ann),
        () => {
          task.status = 'done'
          task.failures = 0
          task.rejections = 0
          task.reviewFailures = 0
        },
      )
    case 'reject':
      if (task === undefined) return
      return agree(
        model,
        task.status === 'review',
        () => board.rejectTask(id, 'shorter', ann),
        () => {
          task.status = model.openNeeds(task) > 0 ? 'todo' : 'ready'
          task.dueMs = null
          task.reviewFailures = 0
        },
      )
    case 'archive':
      if (task === undefined) return
      return agree(
        model,
        model.mayArchive(task, one.children),
        () => board.archiveTask(id, one.children, ann),
        () => model.archive(task, one.children),
      )
    case 'unarchive':
      if (task === undefined) return
      return agree(
        model,
        true,
        () => board.unarchiveTask(id, ann),
        () => {
          task.archived = false
        },
      )
    case 'retry': {
      if (task === undefined) return
      const isOpenAgain = isOver(task.status) && model.holderOf(task.board, task.key) !== undefined
      const may = isOver(task.status) || task.status === 'blocked' || (task.status === 'ready' && task.dueMs !== null)
      return agree(
        model,
        may && !isOpenAgain,
        () => board.retryTask(id, null, ann),
        () => {
          if (task.status === 'ready')
            task.dueMs = null // the wait is what the person ends; failures still count
          else model.reopen(task, 'author')
        },
      )
    }
    case 'cancel':
      if (task === undefined) return
      return agree(
        model,
        task.status !== 'done' && task.status !== 'failed',
        () => board.cancelTask(id, ann),
        () => {
          if (task.status === 'running') task.wish = 'cancel'
          else if (task.status !== 'cancelled') {
            task.status = 'cancelled'
            task.dueMs = null
            task.fromReview = false
            task.reviewFailures = 0
          }
        },
      )
    case 'stop':
      if (task === undefined) return
      return agree(
        model,
        true,
        () => board.stopTask(id, null, ann),
        () => {
          if (task.status === 'running') task.wish ??= 'stop'
          else if (!isOver(task.status)) model.block(task)
        },
      )
    case 'edit':
      return edit(yard, model, task, one)
    case 'unlink': {
      const on = [...(task?.needs.keys() ?? [])][0]
      if (task === undefined || on === undefined) return
      const unlink = () => board.editTask(id, { removeNeeds: [taskId(on)] }, ann)
      return agree(model, task.status !== 'running', unlink, () => {
        task.needs.delete(on)
      })
    }
    case 'claim':
    case 'exit':
    case 'settle':
    case 'release':
    case 'call':
    case 'stage':
    case 'over':
    case 'hub':
      return performOfRun(yard, model, one)
    case 'hold':
    case 'lift': {
      const name = one.scope === 'all' ? null : one.scope === 'lane' ? 'claude' : 'a'
      if (one.do === 'hold') board.setHold({ scope: one.scope, name, kind: 'pause', text: null }, ann)
      else board.liftHold(one.scope, name, ann)
      model.holds[one.do === 'hold' ? 'add' : 'delete'](name === null ? 'all' : `${one.scope} ${name}`)
      return
    }
    case 'wall': {
      const run = [...model.runs.keys()][0]
      if (run === undefined) return
      clock.atMs += 1
      board.closeGate({ account: 'claude', untilMs: startMs + 1e9, reason: 'limit', byRun: runId(run), doublings: 0 })
      const openedAtMs = board.readGate('claude')?.openedAtMs ?? 0
      if ((board.readRun(runId(run))?.claimedAtMs ?? 0) >= openedAtMs) model.gateClosed = true
      return
    }
    case 'serve':
      clock.atMs += 1
      board.openGate('claude', 'served', ann)
      model.gateClosed = false
      return
    case 'wait': {
      clock.atMs += one.ms
      board.openDue()
      for (const due of tasks)
        if (
          (due.status === 'ready' || (due.status === 'review' && due.reviewLane !== null)) &&
          (due.dueMs ?? clock.atMs + 1) <= clock.atMs
        )
          due.dueMs = null
      return
    }
  }
}

/** Where an act is lawful: most are aimed there, so that they come to something; the others find out what is refused. */
const aim: Readonly<Partial<Record<Act['do'], (task: ModelTask) => boolean>>> = {
  ready: ({ status }) => status === 'triage',
  unblock: ({ status }) => status === 'blocked',
  answer: ({ status, lastEnd }) => status === 'blocked' && lastEnd === 'asked',
  approve: ({ status }) => status === 'review',
  reject: ({ status }) => status === 'review',
  archive: ({ status }) => isOver(status),
  unarchive: ({ archived }) => archived,
  stop: ({ status }) => status === 'running',
}

function pickTask(
  tasks: readonly ModelTask[],
  { do: act, pick }: { do: Act['do']; pick: number },
): ModelTask | undefined {
  const aimed = pick % 4 === 0 ? [] : tasks.filter((task) => aim[act]?.(task) ?? true)
  const rows = aimed.length > 0 ? aimed : tasks
  return rows[pick % Math.max(1, rows.length)]
}

function add(yard: TestBoard, model: Model, one: Extract<Act, { do: 'add' }>): void {
  const tasks = [...model.tasks.values()]
  const needs = new Map<number, 'done' | 'always'>()
  if (tasks.length > 0) {
    for (const { pick: at, when: on } of one.needs) {
      const id = tasks[at % tasks.length]?.id ?? 0
      if (needs.get(id) !== 'done') needs.set(id, on)
    }
  }
  const dueMs = one.waitMs > 0 ? yard.clock.atMs + one.waitMs : null
  const [made] = yard.board.createTasks(
    {
      board: one.board,
      tasks: [
        newTask({
          lane: one.lane,
          priority: one.priority,
          draft: one.draft,
          spec: spec(one.folder === '' ? {} : { workspace: { kind: 'dir', path: one.folder, shared: false } }),
          needs: [...needs].map(([on, end]) => ({ on: taskId(on), when: end })),
          ...(one.key === null ? {} : { key: one.key }),
          ...(dueMs === null ? {} : { notBeforeMs: dueMs }),
        }),
      ],
    },
    ann,
  )
  const holder = model.holderOf(one.board, one.key)
  expect(made?.created).toBe(holder === undefined)
  if (holder !== undefined) return
  const { board, priority: rank, lane: by, key, folder } = one
  const common = { wish: null, failures: 0, runs: 0, status: 'ready' as const, archived: false, lastEnd: null }
  const review = { reviewLane: null, fromReview: false, reviewFailures: 0, rejections: 0 }
  const task: ModelTask = {
    id: tasks.length + 1,
    board,
    priority: rank,
    lane: by,
    key,
    folder,
    needs,
    dueMs,
    ...common,
    ...review,
  }
  model.tasks.set(task.id, task)
  task.status = one.draft ? 'triage' : model.openNeeds(task) > 0 ? 'todo' : 'ready'
}

function edit(yard: TestBoard, model: Model, task: ModelTask | undefined, one: Extract<Act, { do: 'edit' }>): void {
  if (task === undefined) return
  const on = one.need % 2 === 0 ? undefined : [...model.tasks.keys()][one.need % model.tasks.size]
  const closes = on !== undefined && model.reaches(on, task.id)
  const addNeeds = on === undefined ? [] : [{ task: taskId(on), when: one.when }]
  const patch = { priority: one.priority, lane: one.lane, addNeeds }
  agree(
    model,
    task.status !== 'running' && !closes,
    () => yard.board.editTask(taskId(task.id), patch, ann),
    () => {
      task.priority = one.priority
      task.lane = one.lane
      if (on !== undefined) task.needs.set(on, one.when)
      model.follow()
    },
  )
}
