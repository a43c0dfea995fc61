import type { FastifyInstance } from 'fastify'
import { formatTaskId, taskId } from '../../kernel/index.ts'
import { badRequest, bodyOrThrow } from '../bodies/bad-request.ts'
import { CleanBody, type CleanedView, type CleanView } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import type { CleanedWorkspace } from '../yard-view.ts'
import { actorOf, type RouteDeps } from './route-deps.ts'

/** Workspaces of tasks that are over: which may go, and away with them. */
export function addCleanRoutes(app: FastifyInstance, { board, yard, stop }: RouteDeps): void {
  app.post('/clean', async (request): Promise<CleanView> => {
    const { tasks, when = 'kept_over', dry_run: isDry = false } = bodyOrThrow(CleanBody, request.body)
    if (when === 'now' && tasks === undefined) throw badRequest(namedOnly)
    const unknown = tasks?.find((id) => board.readTask(taskId(id)) === undefined)
    if (unknown !== undefined) throw apiError('API_NOT_FOUND', { what: `task ${formatTaskId(taskId(unknown))}` })
    const asked = {
      tasks: tasks?.map(taskId) ?? null,
      asked: when === 'now' ? 'person' : 'time',
      act: isDry ? 'look' : 'remove',
      actor: actorOf(request),
    } as const
    return { workspaces: (await yard.clean(asked, stop)).map(viewCleaned) }
  })
}

const namedOnly = {
  path: '/tasks',
  says: 'is missing, and `when: now` is for named tasks',
  fix: 'name them, or take `when: kept_over`',
}

function viewCleaned({ path, done, ...one }: CleanedWorkspace): CleanedView {
  return { ...one, folder: path, done: done === 'would go' ? 'would_go' : done }
}
