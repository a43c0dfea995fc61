import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallAnswer, NewCall, Run, TokenHolder } from '../../board/index.ts'
import { assertNever, formatRunId, type RunId, taskId, YardError } from '../../kernel/index.ts'
import { keepArtifacts, recordRefusal } from '../attachments/keep-artifacts.ts'
import { fileNameOf, receiveFile } from '../attachments/receive-file.ts'
import type { Caller } from '../auth/admit.ts'
import { bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { callDataFromBody } from '../bodies/call-data-from-body.ts'
import { mostRunBodyBytes } from '../body-limit.ts'
import {
  type RunAnswerView,
  RunBlockBody,
  RunCommentBody,
  RunCompleteBody,
  RunHeartbeatBody,
  RunOwnQuery,
  RunReviewBody,
  RunWaitBody,
} from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { maskOf } from '../logs/run-mask.ts'
import { viewAttachment } from '../views/attachment-view.ts'
import { viewRunAnswer, viewRunOwn } from '../views/run-own-view.ts'
import { refuseTooMany, takeAnyBody } from './attachments.ts'
import type { RouteDeps } from './route-deps.ts'

export interface RunCallDeps extends RouteDeps {
  /** Who was let in with this request. */
  callerOf(request: FastifyRequest): Caller | undefined
}

/**
 * What an attempt says and asks in its own name. Its token names it and carries its fence, so nothing here takes an id.
 * What it says is masked with the secrets that it was given before it is kept.
 */
export function addRunCallRoutes(app: FastifyInstance, deps: RunCallDeps): void {
  const { board } = deps
  const bounded = { bodyLimit: mostRunBodyBytes }

  app.get('/run', (request) => {
    const holder = holderOf(deps, request, 'show')
    const { after } = queryOrThrow(RunOwnQuery, request.query)
    return viewRunOwn(deps, readRun(deps, holder), { after })
  })

  app.post('/run/heartbeat', bounded, async (request): Promise<RunAnswerView> => {
    const holder = holderOf(deps, request, 'heartbeat')
    bodyOrThrow(RunHeartbeatBody, request.body)
    return answer(deps, holder.run, await board.queue((board) => board.recordHeartbeat(holder), 'normal'))
  })

  app.post('/run/comment', bounded, async (request): Promise<RunAnswerView> => {
    const holder = holderOf(deps, request, 'comment')
    const { text } = bodyOrThrow(RunCommentBody, request.body)
    const mask = await maskFor(deps, holder)
    return answer(deps, holder.run, await board.queue((board) => board.recordRemark(holder, mask(text))))
  })

  /**
   * Not queued: its commit and the judgement of its end must not pass each other within one turn, or a call would be
   * answered as recorded and not be looked at.
   */
  const call = async (
    holder: TokenHolder,
    made: Omit<NewCall, 'data'> & { data?: unknown },
  ): Promise<RunAnswerView> => {
    const mask = await maskFor(deps, holder)
    const data = callDataFromBody(mask, made.data)
    return answer(deps, holder.run, board.recordCall(holder, { ...made, text: mask(made.text), data }))
  }

  app.post('/run/complete', bounded, async (request) => {
    const holder = holderOf(deps, request, 'complete')
    const { result = '', data, artifacts = [] } = bodyOrThrow(RunCompleteBody, request.body)
    await keepArtifacts(deps, { run: readRun(deps, holder), paths: artifacts, mask: await maskFor(deps, holder) })
    return call(holder, { kind: 'complete', code: null, text: result, data, onTask: null })
  })

  app.register(async (raw) => {
    const track = takeAnyBody(raw)
    raw.post('/run/attach', async (request, reply) => {
      const holder = holderOf(deps, request, 'attach')
      const { task, run } = holder
      const name = (await maskFor(deps, holder))(fileNameOf(request))
      refuseTooMany(board.attachmentsOf(task), { run, name })
      const file = await track(receiveFromRun(deps, holder, { request, name }))
      if (!isOpen(readRun(deps, holder))) throw lateCall(deps, holder, 'attach') // it ended while it sent
      const added = await board.queue((board) => {
        refuseTooMany(board.attachmentsOf(task), { run, name })
        return board.addAttachment({ ...file, task, run }, { by: formatRunId(run) })
      })
      return reply.code(201).send(viewAttachment(added))
    })
  })

  app.post('/run/block', bounded, (request) => {
    const holder = holderOf(deps, request, 'block')
    const { text, code = 'needs_input', data } = bodyOrThrow(RunBlockBody, request.body)
    return call(holder, { kind: 'block', code, text, data, onTask: null })
  })

  app.post('/run/review', bounded, (request) => {
    const holder = holderOf(deps, request, 'review')
    const { text, data } = bodyOrThrow(RunReviewBody, request.body)
    return call(holder, { kind: 'review', code: null, text, data, onTask: null })
  })

  app.post('/run/wait', bounded, (request) => {
    const holder = holderOf(deps, request, 'wait')
    const { task, text = '' } = bodyOrThrow(RunWaitBody, request.body)
    return call(holder, { kind: 'wait', code: null, text, onTask: taskId(task) })
  })
}

/** The run behind the token; what it asks for when it is over is put on record and refused. */
function holderOf(deps: RunCallDeps, request: FastifyRequest, act: string): TokenHolder {
  const caller = deps.callerOf(request)
  if (caller?.kind !== 'run') throw apiError('API_ONLY_FOR_RUNS', { method: request.method, path: request.url })
  const { holder } = caller
  if (isOpen(holder)) return holder
  throw lateCall(deps, holder, act)
}

const isOpen = ({ phase }: Pick<TokenHolder, 'phase'>): boolean => phase === 'claimed' || phase === 'started'

async function receiveFromRun(
  deps: RunCallDeps,
  holder: TokenHolder,
  { request, name }: { readonly request: FastifyRequest; readonly name: string },
) {
  try {
    return await receiveFile({ home: deps.yard.home, clock: deps.clock }, { request, name })
  } catch (fault) {
    if (fault instanceof YardError && fault.code === 'API_ATTACHMENT_TOO_LARGE') {
      const bad = [{ path: name, why: 'too_large' }] as const
      recordRefusal(deps, { run: readRun(deps, holder), says: 'handed a file back that was not taken', bad })
    }
    throw fault
  }
}

function lateCall(deps: RunCallDeps, holder: TokenHolder, act: string): Error {
  deps.board.recordLateCall(holder, act)
  return runOver(deps, holder.run)
}

function readRun({ board }: RunCallDeps, { run }: TokenHolder): Run {
  const row = board.readRun(run)
  if (row === undefined) throw new Error(`the run ${run} of a token that was let in is gone`)
  return row
}

async function maskFor(deps: RunCallDeps, holder: TokenHolder) {
  await deps.learnSecrets?.()
  return maskOf(deps, readRun(deps, holder))
}

function answer(deps: RunCallDeps, run: RunId, said: CallAnswer): RunAnswerView {
  switch (said.kind) {
    case 'recorded':
      return viewRunAnswer(deps, run)
    case 'over':
      throw runOver(deps, run)
    case 'called':
      throw apiError('API_RUN_HAS_CALLED', { run, before: said.before.kind })
    case 'stopping':
      throw apiError('API_RUN_STOPPING', { run, kind: said.stop.kind, by: said.stop.by, text: said.stop.text })
    default:
      return assertNever(said)
  }
}

function runOver({ board }: RunCallDeps, run: RunId): Error {
  return apiError('API_RUN_OVER', { run, outcome: board.readRun(run)?.outcome ?? null })
}
