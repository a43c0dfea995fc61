import type { FastifyInstance } from 'fastify'
import { bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { readBoardFile } from '../bodies/board-file.ts'
import { mostBoardFileBytes } from '../body-limit.ts'
import { ExportQuery, ImportBody, type ImportView } from '../contract/index.ts'
import { serveSse } from '../live/serve-sse.ts'
import { viewBoardFileHeader, viewBoardFileTask } from '../views/board-file-view.ts'
import { actorOf, type RouteDeps } from './route-deps.ts'

/** Lines in one message: some hundred kilobytes of usual tasks, and a moment for everybody else after each. */
const linesAtOnce = 50

/** A board as a file, out and in. */
export function addBoardFileRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, clock, mask } = deps

  app.get('/export', async (request, reply) => {
    const { board: name } = queryOrThrow(ExportQuery, request.query)
    await deps.learnSecrets?.()
    const copy = board.copyBoard(name)
    await serveSse(deps, reply, async (send, signal) => {
      const header = viewBoardFileHeader({ board: name, tasks: copy.count, nowMs: clock.nowMs() })
      let lines = [JSON.stringify(header)]
      let at = 0
      for (const card of copy.tasks) {
        if (signal.aborted) return
        lines.push(JSON.stringify(viewBoardFileTask({ mask }, card)))
        if (lines.length < linesAtOnce) continue
        await send({ event: 'lines', data: { at, lines } })
        at += lines.length
        lines = []
        await new Promise((next) => setImmediate(next))
      }
      await send({ event: 'lines', data: { at, lines } })
      await send({ event: 'end', data: {} })
    })
  })

  app.post('/import', { bodyLimit: mostBoardFileBytes }, async (request, reply) => {
    const { board: name, text } = bodyOrThrow(ImportBody, request.body)
    const file = await readBoardFile(text)
    const input = { board: name ?? file.board, into: name === undefined ? 'new' : 'any', tasks: file.tasks } as const
    const imported = await board.queue((board) => board.importTasks(input, actorOf(request)))
    const view: ImportView = {
      board: input.board,
      tasks: imported.map(({ from, task: { id, title, status }, note }) => ({ from, id, title, status, note })),
    }
    return reply.code(201).send(view)
  })
}
