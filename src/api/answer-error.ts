import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Random, YardError } from '../kernel/index.ts'
import { mostBodyBytes } from './body-limit.ts'
import type { BodyFault, ErrorView } from './contract/index.ts'
import { apiError } from './errors.ts'

/** Where surprises are written down, each under the reference that the answer carries. */
export interface SurpriseLog {
  error(event: string, data: Readonly<Record<string, unknown>>): void
}

/** Answers an error: what is in a catalogue with code, message and fix; anything else with a reference number only. */
export function answerError(
  { random, log }: { readonly random: Random; readonly log: SurpriseLog },
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, view } = tellError({ random, log }, error, request)
  return reply.code(status).send(view)
}

/** The same for an answer that has begun already: what is told of the error, once a surprise is written down. */
export function tellError(
  { random, log }: { readonly random: Random; readonly log: SurpriseLog },
  error: unknown,
  request: FastifyRequest,
): { readonly status: number; readonly view: ErrorView } {
  const known = error instanceof YardError ? error : requestError(error, request)
  if (known !== undefined && known.status < 500) return { status: known.status, view: viewError(known) }
  const reference = random.hex(6)
  log.error('request.failed', { reference, err: error, method: request.method, path: request.url.slice(0, 200) })
  const told = known ?? apiError('API_SURPRISE', { reference }, error)
  return { status: told.status, view: viewError(told, reference) }
}

/** An error in the form in which it travels. */
export function viewError(error: YardError, reference?: string): ErrorView {
  const faults = error.values.faults as readonly BodyFault[] | undefined
  return {
    error: {
      code: error.code,
      message: error.message,
      fix: error.fix,
      ...(faults === undefined ? {} : { faults }),
      ...(reference === undefined ? {} : { reference }),
    },
  }
}

/** What the framework refuses before a handler runs, in our words; undefined for everything else. */
function requestError(error: unknown, { method, url, routeOptions }: FastifyRequest): YardError | undefined {
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return apiError('API_BODY_TOO_LARGE', { mostBytes: routeOptions?.bodyLimit ?? mostBodyBytes })
  }
  if (code === 'FST_ERR_BAD_URL') return apiError('API_NO_ROUTE', { method, path: url.slice(0, 200) })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return apiError('API_NOT_JSON', { why: message ?? 'it is malformed' }, error)
  }
  return undefined
}
