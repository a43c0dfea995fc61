import type { Static, TSchema } from 'typebox'
import type { YardError } from '../../kernel/index.ts'
import { type BodyFault, type ParsedBody, parseBody, parseQuery } from '../contract/index.ts'
import { apiError } from '../errors.ts'

export const badRequest = (...faults: readonly BodyFault[]): YardError => apiError('API_BAD_REQUEST', { faults })

/** The body as its type; throws `API_BAD_REQUEST` with every fault. A missing body counts as an empty one. */
export function bodyOrThrow<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  return orThrow(parseBody(schema, value ?? {}))
}

export function queryOrThrow<Schema extends TSchema>(schema: Schema, query: unknown): Static<Schema> {
  return orThrow(parseQuery(schema, (query ?? {}) as Readonly<Record<string, unknown>>))
}

function orThrow<Body>(parsed: ParsedBody<Body>): Body {
  if (parsed.kind === 'faults') throw badRequest(...parsed.faults)
  return parsed.body
}
