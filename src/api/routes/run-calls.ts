import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { NewCall, Run, TokenHolder } from '../../board/index.ts'
import { formatRunId, taskId, YardError } from '../../kernel/index.ts'
import { readVerdictLine } from '../../runs/index.ts'
import { keepArtifacts, recordRefusal } from '../attachments/keep-artifacts.ts'
import { fileNameOf, receiveFile } from '../attachments/receive-file.ts'
import { bodyOrThrow, queryOrThrow } from '../bodies/bad-request.ts'
import { callDataFromBody } from '../bodies/call-data-from-body.ts'
import { refuseBadTasks } from '../bodies/refuse-bad-tasks.ts'
import { mostRunBodyBytes } from '../body-limit.ts'
import {
  type RunAnswerView,
  RunBlockBody,
  RunCompleteBody,
  RunHeartbeatBody,
  RunOwnQuery,
  RunReviewBody,
  RunWaitBody,
} from '../contract/index.ts'
import { viewAttachment } from '../views/attachment-view.ts'
import { viewRunOwn } from '../views/run-own-view.ts'
import { refuseTooMany, takeAnyBody } from './attachments.ts'
import { addRunBoardRoutes } from './run-board.ts'
import {
  answerRun,
  holderOf,
  isOpen,
  lateCall,
  maskFor,
  ownTask,
  type RunCallDeps,
  readRun,
  refused,
} from './run-holder.ts'
import { addRunNewsRoute } from './run-news.ts'

/**
 * What an attempt says and asks in its own name. Its token names it and carries its fence, so nothing here takes an id.
 * What it says is masked with the secrets that it was given before it is kept.
 */
export function addRunCallRoutes(app: FastifyInstance, deps: RunCallDeps): void {
  const { board } = deps
  const bounded = { bodyLimit: mostRunBodyBytes }
  addRunNewsRoute(app, deps)
  addRunBoardRoutes(app, deps)

  app.get('/run', (request) => {
    const holder = holderOf(deps, request, 'show')
    const { after } = queryOrThrow(RunOwnQuery, request.query)
    return viewRunOwn(deps, readRun(deps, holder), { after })
  })

  app.post('/run/heartbeat', bounded, async (request): Promise<RunAnswerView> => {
    const holder = holderOf(deps, request, 'heartbeat')
    const { note } = bodyOrThrow(RunHeartbeatBody, request.body)
    if (note === undefined) {
      return answerRun(deps, holder.run, await board.queue((board) => board.recordHeartbeat(holder), 'normal'))
    }
    const text = `says how far it is: ${(await maskFor(deps, holder))(note)}`
    const said = await board.queue((board) => {
      const said = board.recordAct(holder, { act: 'note', text })
      return said.kind === 'recorded' ? board.recordHeartbeat(holder) : said
    })
    return answerRun(deps, holder.run, said)
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
    return answerRun(deps, holder.run, board.recordCall(holder, { ...made, text: mask(made.text), data }))
  }

  app.post('/run/complete', bounded, async (request) => {
    const holder = holderOf(deps, request, 'complete')
    const { result = '', data, artifacts = [], created = [] } = bodyOrThrow(RunCompleteBody, request.body)
    const run = readRun(deps, holder)
    refuseLies(deps, run, { created, data })
    await keepArtifacts(deps, { run, paths: artifacts, mask: await maskFor(deps, holder) })
    const verdict = run.claimedFrom === 'review' ? readVerdictLine(result) : null
    const code = verdict === null ? null : verdict.decision === 'approve' ? 'approved' : 'changes_requested'
    return call(holder, { kind: 'complete', code, text: verdict?.text ?? result, data, onTask: null })
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

/** A repeat of what was taken is not asked again: its answer was lost on the way. */
function refuseLies(
  deps: RunCallDeps,
  run: Run,
  named: { readonly created: readonly number[]; readonly data: unknown },
) {
  if (run.call !== null) return
  try {
    refuseBadTasks(deps, { run, own: ownTask(deps, run), ...named })
  } catch (fault) {
    throw fault instanceof YardError ? refused(deps, run, 'complete', fault) : fault
  }
}

async function receiveFromRun(
  deps: RunCallDeps,
  holder: TokenHolder,
  { request, name }: { readonly request: FastifyRequest; readonly name: string },
) {
  try {
    return await receiveFile({ home: deps.yard.home }, { request, name })
  } catch (fault) {
    if (fault instanceof YardError && fault.code === 'API_ATTACHMENT_TOO_LARGE') {
      const bad = [{ path: name, why: 'too_large' }] as const
      recordRefusal(deps, { run: readRun(deps, holder), says: 'handed a file back that was not taken', bad })
    }
    throw fault
  }
}
