import type { FastifyRequest } from 'fastify'
import type { Actor, Batch, Board, Run, Task } from '../../board/index.ts'
import {
  batchId,
  type Clock,
  formatBatchId,
  formatRunId,
  formatTaskId,
  parseId,
  type Redactor,
  runId,
  taskId,
} from '../../kernel/index.ts'
import { type ErrorView, normaliseTitle } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import type { YardView } from '../yard-view.ts'

/** What the routes work with. */
export interface RouteDeps {
  readonly board: Board
  readonly yard: YardView
  readonly mask: Redactor
  /** See `ApiDeps`. */
  readonly knownSecrets: () => readonly string[]
  /** See `ApiDeps`. */
  readonly learnSecrets?: () => Promise<void>
  readonly clock: Clock
  /** Fires when the API stops: streams end. */
  readonly stop: AbortSignal
  /** What is told of a fault in the middle of a stream. */
  readonly tellFault: (fault: unknown, request: FastifyRequest) => ErrorView
}

const longestActor = 64

/** Who acts: the name that the client gives itself, one line of at most 64 characters, or `admin`. No proof, a record. */
export function actorOf(request: FastifyRequest): Actor {
  const given = request.headers['x-yardmaster-by']
  const name = normaliseTitle(decoded(typeof given === 'string' ? given : ''))
  return { by: name === '' ? 'admin' : [...name].slice(0, longestActor).join('') }
}

/** Header values are ASCII; a person's name is not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not encoded: taken as it is
  }
}

/** The task of `/tasks/:id` (`5`, `T5`); throws `API_NOT_FOUND`. */
export function taskOf({ board }: Pick<RouteDeps, 'board'>, request: FastifyRequest): Task {
  const text = paramOf(request, 'id')
  const id = parseId('T', text)
  const task = id === undefined ? undefined : board.readTask(taskId(id))
  if (task !== undefined) return task
  throw apiError('API_NOT_FOUND', {
    what: id === undefined ? `task ${quote(text)}` : `task ${formatTaskId(taskId(id))}`,
  })
}

/** The run of `/runs/:id`; throws `API_NOT_FOUND`. */
export function runOf({ board }: Pick<RouteDeps, 'board'>, request: FastifyRequest): Run {
  const text = paramOf(request, 'id')
  const id = parseId('R', text)
  const run = id === undefined ? undefined : board.readRun(runId(id))
  if (run !== undefined) return run
  throw apiError('API_NOT_FOUND', {
    what: id === undefined ? `attempt ${quote(text)}` : `attempt ${formatRunId(runId(id))}`,
  })
}

/** The batch of `/batches/:ref`, by number, else the newest of that name; throws `API_NOT_FOUND`. */
export function batchOf({ board }: Pick<RouteDeps, 'board'>, request: FastifyRequest): Batch {
  const text = paramOf(request, 'ref')
  const id = parseId('B', text)
  const batch = (id === undefined ? undefined : board.readBatch(batchId(id))) ?? board.findBatch(text)
  if (batch !== undefined) return batch
  throw apiError('API_NOT_FOUND', {
    what: id === undefined ? `batch ${quote(text)}` : `batch ${formatBatchId(batchId(id))}`,
  })
}

export function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string | undefined>>)[name] ?? ''
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 100))
