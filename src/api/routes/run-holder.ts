import type { FastifyRequest } from 'fastify'
import type { CallAnswer, Run, Task, TokenHolder } from '../../board/index.ts'
import { assertNever, formatTaskId, type Grant, type RunId, taskId, type YardError } from '../../kernel/index.ts'
import type { Caller } from '../auth/admit.ts'
import type { RunAnswerView } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { maskOf } from '../logs/run-mask.ts'
import { viewRunAnswer } from '../views/run-own-view.ts'
import type { RouteDeps } from './route-deps.ts'

export interface RunCallDeps extends RouteDeps {
  /** Who was let in with this request. */
  callerOf(request: FastifyRequest): Caller | undefined
}

/** The run behind the token; what it asks for when it is over is put on record and refused. */
export function holderOf(deps: RunCallDeps, request: FastifyRequest, act: string): TokenHolder {
  const caller = deps.callerOf(request)
  if (caller?.kind !== 'run') throw apiError('API_ONLY_FOR_RUNS', { method: request.method, path: request.url })
  const { holder } = caller
  if (isOpen(holder)) return holder
  throw lateCall(deps, holder, act)
}

export const isOpen = ({ phase }: Pick<TokenHolder, 'phase'>): boolean => phase === 'claimed' || phase === 'started'

export function lateCall(deps: RunCallDeps, holder: TokenHolder, act: string): Error {
  deps.board.recordLateCall(holder, act)
  return runOver(deps, holder.run)
}

export function runOver({ board }: RunCallDeps, run: RunId): Error {
  return apiError('API_RUN_OVER', { run, outcome: board.readRun(run)?.outcome ?? null })
}

export function readRun({ board }: RunCallDeps, { run }: TokenHolder): Run {
  const row = board.readRun(run)
  if (row === undefined) throw new Error(`the run ${run} of a token that was let in is gone`)
  return row
}

/** What a run says is masked with the secrets that it was given before it is kept. */
export async function maskFor(deps: RunCallDeps, holder: TokenHolder) {
  await deps.learnSecrets?.()
  return maskOf(deps, readRun(deps, holder))
}

/** Throws `API_NOT_GRANTED`, with the refusal on record, for what its lane did not grant when the run was claimed (C118). */
export function needGrant(deps: RunCallDeps, run: Run, { grant, act }: { grant: Grant; act: string }): void {
  if (deps.yard.rightsOf(run).grants.includes(grant)) return
  throw refused(deps, run, act, apiError('API_NOT_GRANTED', { run: run.id, act, grant, lane: run.lane }))
}

/** Puts on record what a run wanted to do and may not, and answers the error. */
export function refused({ board }: RunCallDeps, { id: run, fence }: Run, act: string, fault: YardError): YardError {
  board.recordRefusal({ run, fence }, { act, why: fault.message })
  return fault
}

/** The task of a run itself. */
export function ownTask({ board }: RunCallDeps, { task }: Pick<Run, 'task'>): Task {
  const own = board.readTask(task)
  if (own === undefined) throw new Error(`${formatTaskId(task)} of an open run is gone`)
  return own
}

/** A task that a run names: of its own board, or none that it is told of. Throws `API_NOT_FOUND`. */
export function taskOnBoard({ board }: RunCallDeps, { board: name }: Pick<Task, 'board'>, id: number): Task {
  const task = board.readTask(taskId(id))
  if (task?.board === name) return task
  throw apiError('API_NOT_FOUND', { what: `task ${formatTaskId(taskId(id))} on board ${name}` })
}

export function answerRun(deps: RunCallDeps, run: RunId, said: CallAnswer): RunAnswerView {
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
