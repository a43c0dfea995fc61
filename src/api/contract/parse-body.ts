import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { checkShape, formatPath } from '../../kernel/config/index.ts'
import { type BodyFault, firstFaults } from './body-fault.ts'

/** More faults than this help nobody; the last one then says how many were left out. */
const mostFaults = 100

export type ParsedBody<Body> =
  | { readonly kind: 'body'; readonly body: Body }
  | { readonly kind: 'faults'; readonly faults: readonly BodyFault[] }

/**
 * `value` as the type of `schema`, or everything that is wrong with it at once (the first 100 faults). JSON Schema
 * alone decides whether it is right; `checkShape` explains why it is not, in the words that configuration and batch
 * files get, too.
 */
export function parseBody<Schema extends TSchema>(schema: Schema, value: unknown): ParsedBody<Static<Schema>> {
  if (Check(schema, value)) return { kind: 'body', body: value as Static<Schema> }
  return { kind: 'faults', faults: explain(schema, value) }
}

function explain(schema: TSchema, value: unknown): readonly BodyFault[] {
  const faults = checkShape(schema, value).map(({ path, says, fix }) => ({ path: formatPath(path), says, fix }))
  if (faults.length === 0) return [{ path: '', says: 'does not have the documented form', fix: 'see docs/options.md' }]
  return firstFaults(faults, mostFaults)
}

/**
 * The same for a query string, where everything arrives as text: fields that the schema calls whole numbers are
 * read as such first.
 */
export function parseQuery<Schema extends TSchema>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): ParsedBody<Static<Schema>> {
  const { properties } = schema as { properties?: Readonly<Record<string, { readonly type?: string }>> }
  const read = Object.entries(query).map(([name, value]) => {
    const isNumber = properties?.[name]?.type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    return [name, isNumber ? Number(value) : value] as const
  })
  return parseBody(schema, Object.fromEntries(read))
}
