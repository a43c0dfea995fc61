import type { FastifyInstance } from 'fastify'
import { bodyOrThrow } from '../bodies/bad-request.ts'
import { ArchiveBody, type ArchivedView } from '../contract/index.ts'
import { viewTask } from '../views/task-view.ts'
import { actorOf, type RouteDeps, taskOf } from './route-deps.ts'

/** What keeps a yard in order: out of sight, let go, copied away. */
export function addKeepRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board } = deps

  app.post('/tasks/:id/archive', async (request): Promise<ArchivedView> => {
    const { id } = taskOf(deps, request)
    const { children = null } = bodyOrThrow(ArchiveBody, request.body)
    const archived = await board.queue((board) => board.archiveTask(id, children, actorOf(request)))
    return { task: viewTask(deps, archived.task), children: archived.children }
  })

  app.post('/tasks/:id/unarchive', async (request) => {
    const { id } = taskOf(deps, request)
    return viewTask(deps, await board.queue((board) => board.unarchiveTask(id, actorOf(request))))
  })
}
