import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { batchFromBody } from '../bodies/batch-from-body.ts'
import { boardAround } from '../bodies/board-around.ts'
import {
  type BatchView,
  ListBatchesQuery,
  NewBatchBody,
  type PageView,
  type SubmittedBatchView,
  TextBody,
} from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { composeBatchReport } from '../views/batch-report-view.ts'
import { viewBatch } from '../views/batch-view.ts'
import { actorOf, batchOf, type RouteDeps } from './route-deps.ts'

const rowsByDefault = 50

export function addBatchRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard, clock } = deps

  app.post('/batches', async (request, reply) => {
    const body = bodyOrThrow(NewBatchBody, request.body)
    const name = body.board ?? boardAround(yard, body)
    const batch = batchFromBody({ yard, nowMs: clock.nowMs() }, body, name)
    const submitted = await board.queue((board) => board.submitBatch({ board: name, batch }, actorOf(request)))
    const { how, changedDone } = submitted
    const view: SubmittedBatchView = { batch: viewBatch(deps, submitted.batch), how, changed_done: changedDone }
    return reply.code(how === 'created' ? 201 : 200).send(view)
  })

  app.get('/batches', (request): PageView<BatchView> => {
    const { limit = rowsByDefault, after } = queryOrThrow(ListBatchesQuery, request.query)
    const page = board.listBatches({ limit, ...(after === undefined ? {} : { after }) })
    return { rows: page.rows.map((batch) => viewBatch(deps, batch)), next: page.next ?? null }
  })

  app.get('/batches/:ref', (request) => viewBatch(deps, batchOf(deps, request)))

  app.get('/batches/:ref/report', async (request, reply) => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const pieces = await composeBatchReport(deps, batchOf(deps, request), left.signal)
    return reply.type('application/json; charset=utf-8').send(Readable.from(pieces))
  })

  app.post('/batches/:ref/cancel', async (request) => {
    bodyOrThrow(TextBody, request.body)
    const batch = batchOf(deps, request)
    const alive = yard.dispatcher === undefined ? openRunOf(deps, batch.id) : undefined
    if (alive !== undefined) throw apiError('API_RUN_MAY_BE_ALIVE', { run: alive })
    return viewBatch(deps, await board.queue((board) => board.cancelBatch(batch.id, actorOf(request))))
  })
}

/** A run of the batch that may have a process. */
function openRunOf({ board }: RouteDeps, batch: number) {
  return board.openRuns().find((run) => board.readTask(run.task)?.batch === batch)?.id
}
