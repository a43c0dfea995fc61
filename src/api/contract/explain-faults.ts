import { nearestName } from '../../kernel/index.ts'
import type { BodyFault } from './body-fault.ts'
import { notYetKeyword } from './not-yet.ts'

/** More than this many faults help nobody; the last one then says how many were left out. */
const mostFaults = 100

/** The part of JSON Schema that our schemas use. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly { readonly required: readonly string[] }[]
  readonly not?: { readonly required: readonly string[] }
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly [notYetKeyword]?: readonly string[]
}

/** Everything that keeps `value` from fitting `schema`, in words; called only when it does not fit. */
export function explainFaults(schema: object, value: unknown): readonly BodyFault[] {
  const faults = explain(schema as Schema, value, '')
  if (faults.length === 0) return [{ path: '', says: 'does not have the documented form', fix: 'see docs/options.md' }]
  if (faults.length <= mostFaults) return faults
  const left = faults.length - mostFaults
  return [...faults.slice(0, mostFaults), { path: '', says: `and ${left} more faults`, fix: 'mend these first' }]
}

function explain(schema: Schema, value: unknown, path: string): BodyFault[] {
  if (schema.anyOf !== undefined) return explainChoice(schema.anyOf, value, path)
  if (schema.enum !== undefined) return explainWord(schema, schema.enum, value, path)
  if ('const' in schema) return schema.const === value ? [] : [mustBe(schema, value, path)]
  if (schema.type !== undefined && !hasType(schema.type, value)) return [mustBe(schema, value, path)]
  if (Array.isArray(value)) return explainList(schema, value, path)
  if (typeof value === 'object' && value !== null) return explainObject(schema, value as Fields, path)
  if (typeof value === 'string') return explainText(schema, value, path)
  if (typeof value === 'number') return explainNumber(schema, value, path)
  return []
}

/** Of several forms, the one that `value` comes nearest to is explained; one that fits ends the matter. */
function explainChoice(choices: readonly Schema[], value: unknown, path: string): BodyFault[] {
  const sameKind = choices.filter((choice) => fitsKind(choice, value))
  const explained = sameKind.map((choice) => explain(choice, value, path))
  if (explained.some((faults) => faults.length === 0)) return []
  const [only] = explained
  if (only !== undefined && explained.length === 1) return only
  const forms = choices.map(describe)
  return [{ path, says: `must be ${forms.join(', or ')}, not ${show(value)}`, fix: `write ${forms[0]}` }]
}

function explainWord(schema: Schema, words: readonly unknown[], value: unknown, path: string): BodyFault[] {
  if (words.includes(value)) return []
  if (typeof value === 'string' && schema[notYetKeyword]?.includes(value)) {
    return [notAvailable(path, `"${value}"`)]
  }
  const known = words.map(String)
  const nearest = typeof value === 'string' ? nearestName(value, known) : undefined
  const fix = nearest === undefined ? `write one of ${known.join(', ')}` : `did you mean ${nearest}?`
  return [{ path, says: `must be ${known.join(' or ')}, not ${show(value)}`, fix }]
}

type Fields = Readonly<Record<string, unknown>>

function explainObject(schema: Schema, fields: Fields, path: string): BodyFault[] {
  const { properties = {}, patternProperties = {} } = schema
  const faults: BodyFault[] = []
  for (const [name, value] of Object.entries(fields)) {
    const matching = Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(name))
    const inner = Object.hasOwn(properties, name) ? properties[name] : matching?.[1]
    if (inner !== undefined) faults.push(...explain(inner, value, pathTo(path, name)))
    else faults.push(unknownField(schema, name, path))
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(fields, name)) {
      faults.push({ path: pathTo(path, name), says: 'is missing', fix: `add "${name}"` })
    }
  }
  return [...faults, ...explainWhichFields(schema, fields, path)]
}

/** `prompt` or `run`, `code` or `output`: exactly one of them, or (in an edit) never both. */
function explainWhichFields({ oneOf, not }: Schema, fields: Fields, path: string): BodyFault[] {
  const isGiven = (name: string) => Object.hasOwn(fields, name)
  if (not?.required.every(isGiven)) {
    return [{ path, says: `has both ${not.required.join(' and ')}`, fix: 'keep one of them' }]
  }
  if (oneOf === undefined) return []
  const names = oneOf.flatMap(({ required }) => required)
  const given = names.filter(isGiven)
  if (given.length === 1) return []
  return given.length === 0
    ? [{ path, says: `has neither ${names.join(' nor ')}`, fix: `add one of ${names.join(', ')}` }]
    : [{ path, says: `has both ${given.join(' and ')}`, fix: 'keep one of them' }]
}

function unknownField(schema: Schema, name: string, path: string): BodyFault {
  const at = pathTo(path, name)
  if (schema[notYetKeyword]?.includes(name)) return notAvailable(at, `field "${name}"`)
  const known = Object.keys(schema.properties ?? {})
  if (known.length === 0) {
    return { path: at, says: `unknown name "${name}"`, fix: `allowed are ${schema.description ?? 'none'}` }
  }
  const nearest = nearestName(name, known)
  const fix = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean "${nearest}"?`
  return { path: at, says: `unknown field "${name}"`, fix }
}

function notAvailable(path: string, what: string): BodyFault {
  return { path, says: `${what} is not available yet`, fix: 'take it out; a later version brings it' }
}

function explainList(schema: Schema, list: readonly unknown[], path: string): BodyFault[] {
  if (list.length < (schema.minItems ?? 0)) {
    return [{ path, says: 'is an empty list', fix: `give at least ${schema.minItems}` }]
  }
  const { items } = schema
  return items === undefined ? [] : list.flatMap((value, index) => explain(items, value, `${path}[${index}]`))
}

function explainText(schema: Schema, text: string, path: string): BodyFault[] {
  const length = [...text].length
  if (length < (schema.minLength ?? 0)) return [{ path, says: 'is empty', fix: 'write something, or leave it out' }]
  if (length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) {
    const says = `has ${length} characters, at most ${schema.maxLength} are allowed`
    return [{ path, says, fix: 'shorten it' }]
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)) return [mustBe(schema, text, path)]
  return []
}

function explainNumber({ minimum, maximum }: Schema, value: number, path: string): BodyFault[] {
  if (value >= (minimum ?? value) && value <= (maximum ?? value)) return []
  const range = maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`
  return [{ path, says: `must be ${range}, not ${value}`, fix: `write a whole number ${range}` }]
}

const mustBe = (schema: Schema, value: unknown, path: string): BodyFault => ({
  path,
  says: `must be ${describe(schema)}, not ${show(value)}`,
  fix: `write ${describe(schema)}`,
})

const kinds: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

function describe(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.join(' or ')
  if ('const' in schema) return String(schema.const)
  if (schema.pattern !== undefined && schema.description !== undefined) return schema.description
  return kinds[schema.type ?? ''] ?? 'another value'
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return typeof value === type && value !== null && !Array.isArray(value)
}

function fitsKind(schema: Schema, value: unknown): boolean {
  const samples = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (samples !== undefined) return samples.some((sample) => typeof sample === typeof value)
  return schema.type === undefined || hasType(schema.type, value)
}

const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** The value as people would recognise it, at most 60 characters of it. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
