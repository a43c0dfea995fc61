import type { FastifyInstance } from 'fastify'
import type { Actor, Run, Task } from '../../board/index.ts'
import { formatRunId, formatTaskId, type Redactor, taskId } from '../../kernel/index.ts'
import { bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { withoutUndefined } from '../bodies/settings-from-body.ts'
import { taskFilterFromQuery } from '../bodies/task-filter.ts'
import { taskFromBody } from '../bodies/task-from-body.ts'
import { mostRunBodyBytes } from '../body-limit.ts'
import {
  type RunAnswerView,
  RunCommentBody,
  RunCreateBody,
  RunLinkBody,
  RunTasksQuery,
  type RunTasksView,
  type RunTaskView,
} from '../contract/index.ts'
import {
  answerRun,
  holderOf,
  maskFor,
  needGrant,
  ownTask,
  type RunCallDeps,
  readRun,
  runOver,
  taskOnBoard,
} from './run-holder.ts'

const rowsByDefault = 30

/**
 * What an attempt sees and does on its own board besides its own task. Reading needs nothing; the rest is granted by its lane,
 * stands on record with the attempt as who did it, and is limited in number.
 */
export function addRunBoardRoutes(app: FastifyInstance, deps: RunCallDeps): void {
  const { board, yard, clock } = deps
  const bounded = { bodyLimit: mostRunBodyBytes }

  app.get('/run/tasks', (request): RunTasksView => {
    const run = readRun(deps, holderOf(deps, request, 'list'))
    const { limit = rowsByDefault, after, ...filter } = queryOrThrow(RunTasksQuery, request.query)
    const asked = taskFilterFromQuery({ ...filter, board: ownTask(deps, run).board })
    const page = board.listTasks(asked, { limit, ...(after === undefined ? {} : { after }) })
    return { rows: page.rows.map((task) => viewRow(run, task)), next: page.next ?? null }
  })

  app.post('/run/comment', bounded, async (request): Promise<RunAnswerView> => {
    const holder = holderOf(deps, request, 'comment')
    const { text, task: named } = bodyOrThrow(RunCommentBody, request.body)
    const mask = await maskFor(deps, holder)
    if (named === undefined || named === holder.task) {
      return answerRun(deps, holder.run, await board.queue((board) => board.recordRemark(holder, mask(text))))
    }
    const run = readRun(deps, holder)
    needGrant(deps, run, { grant: 'comment', act: 'comment on other tasks' })
    const task = taskOnBoard(deps, ownTask(deps, run), named)
    const act = { act: 'comment', text: `makes a remark on ${formatTaskId(task.id)}`, data: { on: task.id } } as const
    const said = await board.queue((board) => {
      const said = board.recordAct(holder, act)
      if (said.kind === 'recorded') board.comment(task.id, mask(text), actorOf(run))
      return said
    })
    return answerRun(deps, holder.run, said)
  })

  app.post('/run/create', bounded, async (request, reply) => {
    const holder = holderOf(deps, request, 'create')
    const body = bodyOrThrow(RunCreateBody, request.body)
    const run = readRun(deps, holder)
    const { lane = run.lane } = body
    needGrant(deps, run, { grant: 'create', act: 'create tasks' })
    const mask = await maskFor(deps, holder)
    if (lane !== run.lane) needGrant(deps, run, { grant: 'any_lane', act: `create tasks for lane ${mask(lane)}` })
    const own = ownTask(deps, run)
    const card = masked(mask, { ...body, lane })
    const needs = (body.needs ?? []).map((id) => ({ task: taskOnBoard(deps, own, id).id, when: 'done' as const }))
    const draft = !yard.rightsOf(run).agentsMayStart
    const task = taskFromBody(
      { yard, nowMs: clock.nowMs() },
      { ...card, ...folderOf(deps, run), needs, draft },
      own.board,
    )
    const { title } = task.spec
    const act = {
      act: 'create',
      text: `makes a ${draft ? 'draft' : 'task'} for lane ${lane}: ${title}`,
      data: { lane, title },
    } as const
    const made = await board.queue((board) => {
      const said = board.recordAct(holder, act)
      if (said.kind !== 'recorded') return said
      const [made] = board.createTasks({ board: own.board, tasks: [task] }, actorOf(run))
      return made
    })
    if (made === undefined) throw new Error('the board answered no task for the one it was given')
    if (!('task' in made)) throw runOver(deps, run.id)
    return reply.code(201).send(viewRow(run, made.task))
  })

  app.post('/run/link', bounded, async (request): Promise<RunAnswerView> => {
    const holder = holderOf(deps, request, 'link')
    const { task, needs, when = 'done' } = bodyOrThrow(RunLinkBody, request.body)
    const run = readRun(deps, holder)
    needGrant(deps, run, { grant: 'link', act: 'link tasks' })
    const own = ownTask(deps, run)
    const [waiting, first] = [taskOnBoard(deps, own, task), taskOnBoard(deps, own, needs)]
    const text = `lets ${formatTaskId(waiting.id)} wait for ${formatTaskId(first.id)}`
    const said = await board.queue((board) => {
      const said = board.recordAct(holder, { act: 'link', text, data: { task, needs } })
      if (said.kind === 'recorded') {
        board.editTask(waiting.id, { addNeeds: [{ task: taskId(needs), when }] }, actorOf(run))
      }
      return said
    })
    return answerRun(deps, holder.run, said)
  })
}

const actorOf = ({ id }: Run): Actor => ({ by: formatRunId(id) })

/** It works where the task of the one who makes it works. */
function folderOf({ board }: RunCallDeps, { task }: Run) {
  const { dir, repo, repoBranch } = board.readSpec(task) ?? {}
  if (dir === undefined) throw new Error(`no texts of T${task}`)
  return { dir, ...withoutUndefined({ repo, repo_branch: repoBranch }) }
}

function masked(mask: Redactor, { prompt, title, lane, priority, labels }: RunCreateBody) {
  return {
    prompt: mask(prompt),
    ...withoutUndefined({ lane, priority, title: title === undefined ? undefined : mask(title) }),
    ...(labels === undefined ? {} : { labels: labels.map(mask) }),
  }
}

const viewRow = (run: Run, task: Task): RunTaskView => ({
  id: task.id,
  title: task.title,
  status: task.status,
  lane: task.lane,
  priority: task.priority,
  open_needs: task.openNeeds,
  own: task.createdBy === formatRunId(run.id),
})
