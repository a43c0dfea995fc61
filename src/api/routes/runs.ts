import type { FastifyInstance } from 'fastify'
import { isImported, type Run, type StageKind } from '../../board/index.ts'
import { type RunId, sayMoment } from '../../kernel/index.ts'
import { composeRunFiles, composeStageDirectory } from '../../runs/index.ts'
import { queryOrThrow } from '../bodies/bad-request.ts'
import { LogQuery } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { streamLog } from '../live/log-stream.ts'
import { serveSse } from '../live/serve-sse.ts'
import { isLogOpen } from '../logs/is-log-open.ts'
import { readLogPiece } from '../logs/read-piece.ts'
import { logMaskOf } from '../logs/run-mask.ts'
import { sendPatch } from '../patches/send-patch.ts'
import { viewRun } from '../views/run-view.ts'
import { type RouteDeps, runOf } from './route-deps.ts'

/** Masking takes 20 ms for a megabyte, in which nobody else is served. */
const pieceBytes = 256 * 1024

export function addRunRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { yard, board, clock } = deps
  const logOf = (run: RunId, stage: StageKind) => composeRunFiles(composeStageDirectory(yard.runDir(run), stage)).log

  app.get('/runs/:id', (request) => viewRun(deps, runOf(deps, request)))

  app.get('/runs/:id/log', async (request, reply) => {
    const run = withFiles(runOf(deps, request))
    await deps.learnSecrets?.()
    const { stage = 'work', from = 0, limit = pieceBytes } = queryOrThrow(LogQuery, request.query)
    const open = isLogOpen(board, { run: run.id, stage })
    const asked = { from, limit, open, nowMs: clock.nowMs() }
    const piece = readLogPiece({ mask: logMaskOf(deps, run) }, logOf(run.id, stage), asked)
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('x-log-from', piece.from)
      .header('x-log-next', piece.next)
      .header('x-log-size', piece.size)
      .header('x-log-open', String(open))
      .header('x-log-gone', piece.gone)
      .send(piece.text)
  })

  app.get('/runs/:id/patch', (request, reply) => sendPatch(deps, runOf(deps, request), reply))

  app.get('/runs/:id/log/follow', async (request, reply) => {
    const run = withFiles(runOf(deps, request))
    const { stage = 'work', from = 0 } = queryOrThrow(LogQuery, request.query)
    await deps.learnSecrets?.()
    const mask = logMaskOf(deps, run)
    await serveSse(deps, reply, (send, signal) =>
      streamLog({ board, clock, mask }, { run: run.id, stage, file: logOf(run.id, stage), from }, send, signal),
    )
  })
}

/** A log that was removed, or never was here, is no empty log. */
function withFiles(run: Run): Run {
  if (run.prunedAtMs === null) return run
  if (isImported(run)) throw apiError('API_LOG_ELSEWHERE', { run: run.id })
  throw apiError('API_LOG_PRUNED', { run: run.id, at: sayMoment(run.prunedAtMs) })
}
