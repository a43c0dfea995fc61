import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../board/index.ts'
import { assertNever, runId } from '../../kernel/index.ts'
import { composeBackup, makeBackupFolder } from '../backup-name.ts'
import { bodyOrThrow } from '../bodies/bad-request.ts'
import { ArchiveBody, type ArchivedView, BackupBody, type BackupView, ReleaseBody } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { viewTask } from '../views/task-view.ts'
import { isoTime } from '../views/time.ts'
import { actorOf, type RouteDeps, taskOf } from './route-deps.ts'

/** What keeps a yard in order: out of sight, let go, copied away. */
export function addKeepRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard, clock } = deps

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

  async function backup(asked: string | undefined, actor: Actor): Promise<BackupView> {
    const file = asked ?? composeBackup(yard.home, clock.nowMs())
    if (dirname(file) === join(yard.home, 'backups')) makeBackupFolder(dirname(file))
    const at = isoTime(clock.nowMs())
    const { bytes } = await board.backup(file, actor)
    const tasks = Object.values(board.counts()).reduce((sum, n) => sum + n, 0)
    return { file, bytes, at, tasks }
  }

  let before: Promise<unknown> = Promise.resolve()
  app.post('/backup', (request): Promise<BackupView> => {
    const { file } = bodyOrThrow(BackupBody, request.body)
    // One after another: a name is free until the copy that bears it is whole.
    const made = before.then(() => backup(file, actorOf(request)))
    before = made.catch(() => {}) // told to whom it was made for
    return made
  })

  app.post('/tasks/:id/release', (request) => {
    const task = taskOf(deps, request)
    const run = runId(bodyOrThrow(ReleaseBody, request.body).run)
    if (task.openRun !== run) throw apiError('API_NOT_ITS_ATTEMPT', { task: task.id, run, open: task.openRun })
    if (yard.dispatcher === undefined) throw apiError('API_RUN_MAY_BE_ALIVE', { run })
    const answer = yard.dispatcher.release(run, actorOf(request))
    switch (answer) {
      case 'released':
        return viewTask(deps, board.readTask(task.id) ?? task)
      case 'alive':
        throw apiError('API_RUN_ALIVE', { task: task.id, run })
      case 'ending':
        throw apiError('API_RUN_NOT_HELD', { task: task.id, run })
      case 'over':
        throw apiError('API_NOT_ITS_ATTEMPT', { task: task.id, run, open: null })
      default:
        return assertNever(answer)
    }
  })
}
