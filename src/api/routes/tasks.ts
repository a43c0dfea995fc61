import type { FastifyInstance } from 'fastify'
import type { Actor, Board, Task } from '../../board/index.ts'
import { assertNever } from '../../kernel/index.ts'
import { badRequest, bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { boardAround } from '../bodies/board-around.ts'
import { patchFromBody } from '../bodies/patch-from-body.ts'
import { taskFilterFromQuery } from '../bodies/task-filter.ts'
import { taskFromBody } from '../bodies/task-from-body.ts'
import {
  type CreatedTaskView,
  EditTaskBody,
  ListTasksQuery,
  NewTaskBody,
  type PageView,
  type TaskVerb,
  type TaskView,
  TextBody,
  taskVerbs,
} from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { viewSettings } from '../views/settings-view.ts'
import { viewTask, viewTaskDetail, viewTasks } from '../views/task-view.ts'
import { viewWhy } from '../views/why-view.ts'
import { actorOf, paramOf, type RouteDeps, taskOf } from './route-deps.ts'

const rowsByDefault = 100

export function addTaskRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard, clock } = deps

  app.post('/tasks', async (request, reply) => {
    const body = bodyOrThrow(NewTaskBody, request.body)
    const name = body.board ?? boardAround(yard, body)
    const task = taskFromBody({ yard, nowMs: clock.nowMs() }, body, name)
    const [made] = await board.queue((board) => board.createTasks({ board: name, tasks: [task] }, actorOf(request)))
    if (made === undefined) throw new Error('the board answered no task for the one it was given')
    const view: CreatedTaskView = { task: viewTask(deps, made.task), created: made.created }
    return reply.code(made.created ? 201 : 200).send(view)
  })

  app.get('/tasks', (request): PageView<TaskView> => {
    const { limit = rowsByDefault, after, ...filter } = queryOrThrow(ListTasksQuery, request.query)
    const page = board.listTasks(taskFilterFromQuery(filter), { limit, ...(after === undefined ? {} : { after }) })
    return { rows: viewTasks(deps, page.rows), next: page.next ?? null }
  })

  app.get('/tasks/:id', (request) => viewTaskDetail(deps, taskOf(deps, request)))

  app.patch('/tasks/:id', async (request) => {
    const { id } = taskOf(deps, request)
    const body = bodyOrThrow(EditTaskBody, request.body)
    const edited = await board.queue((board) => {
      // Read anew: an edit of the same turn may have gone before.
      const task = taskOf({ board }, request)
      const spec = board.readSpec(id)
      if (spec === undefined) throw new Error('a card without texts')
      const defaults = task.batch === null ? null : (board.readBatch(task.batch)?.defaults ?? null)
      const patch = patchFromBody({ yard, nowMs: clock.nowMs() }, body, { task, spec, defaults })
      return board.editTask(id, patch, actorOf(request))
    })
    return viewTask(deps, edited)
  })

  app.get('/tasks/:id/why', (request) => viewWhy(deps, taskOf(deps, request).id))

  app.get('/tasks/:id/settings', async (request) => {
    const task = taskOf(deps, request)
    const resolved = yard.settingsOf(task)
    if (resolved === undefined)
      throw apiError('API_NOT_FOUND', { what: `lane ${task.lane} in the configuration any more` })
    // Only variables are masked; `add` asks for the settings of every card that it makes.
    if (Object.keys(resolved.env.value).length > 0) await deps.learnSecrets?.()
    return [...viewSettings(deps, { task, resolved }), ...(yard.laneSettings?.(task.lane) ?? [])]
  })

  app.post('/tasks/:id/:verb', async (request) => {
    const verb = verbOf(paramOf(request, 'verb'), request.url)
    const task = taskOf(deps, request)
    const { text } = bodyOrThrow(TextBody, request.body)
    if (yard.dispatcher === undefined && mayTouchProcess[verb] && task.openRun !== null) {
      throw apiError('API_RUN_MAY_BE_ALIVE', { run: task.openRun })
    }
    await board.queue((board) => act(board, { task, verb, text: text ?? null, actor: actorOf(request) }))
    return viewTask(deps, board.readTask(task.id) ?? task)
  })
}

/** Refused without a hub while the task has an open run: the store alone can neither look at a process nor end it. */
const mayTouchProcess: Readonly<Record<TaskVerb, boolean>> = {
  ready: false,
  block: true,
  unblock: false,
  answer: true,
  approve: true,
  reject: true,
  retry: true,
  stop: true,
  cancel: true,
  comment: false,
}

function verbOf(text: string, path: string): TaskVerb {
  const verb = taskVerbs.find((known) => known === text)
  if (verb !== undefined) return verb
  throw apiError('API_NO_ROUTE', { method: 'POST', path })
}

interface Act {
  readonly task: Task
  readonly verb: TaskVerb
  readonly text: string | null
  readonly actor: Actor
}

function act(board: Board, { task: { id }, verb, text, actor }: Act): unknown {
  switch (verb) {
    case 'ready':
      return board.readyTask(id, actor)
    case 'block':
      return board.blockTask(id, textOrThrow(text), actor)
    case 'unblock':
      return board.unblockTask(id, actor)
    case 'answer':
      return board.answerTask(id, textOrThrow(text), actor)
    case 'approve':
      return board.approveTask(id, text, actor)
    case 'reject':
      return board.rejectTask(id, textOrThrow(text), actor)
    case 'retry':
      return board.retryTask(id, text, actor)
    case 'stop':
      return board.stopTask(id, text, actor)
    case 'cancel':
      return board.cancelTask(id, actor)
    case 'comment':
      return board.comment(id, textOrThrow(text), actor)
    default:
      return assertNever(verb)
  }
}

function textOrThrow(text: string | null): string {
  if (text !== null && text.trim() !== '') return text
  throw badRequest({ path: 'text', says: 'is missing', fix: 'say it in a sentence' })
}
