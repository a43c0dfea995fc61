import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { isFields, nearestName, suggestName } from '../index.ts'
import type { Path } from './fault.ts'

/** One place where a value does not fit its schema. */
export interface ShapeFault {
  readonly path: Path
  readonly says: string
  readonly fix: string
  /** `fix` could only list what may stand there, because no name is near. */
  readonly lists?: 'all_known'
}

/**
 * Every place where `value` does not fit `schema`, in words for the person who wrote it: unknown keys with the nearest
 * known one, fields of later parts by name (`x-not-yet`), a wrong value with what may stand there. Of alternatives the
 * one that was probably meant is checked. Leaves are checked by TypeBox; objects, lists and alternatives are walked
 * here, because "must match a schema in anyOf" helps nobody.
 */
export function checkShape(schema: TSchema, value: unknown): readonly ShapeFault[] {
  return walk(schema as Shape, value, [])
}

/** Keyword under which a schema carries names that a later part will bring: keys of an object, words of an enum. */
export const notYetKeyword = 'x-not-yet'

/** Keyword of a schema whose values are or may hide secrets: messages never repeat them. */
export const secretKeyword = 'x-secret'

/** The part of JSON Schema that our schemas use. */
interface Shape {
  readonly type?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly minItems?: number
  readonly minProperties?: number
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly not?: Shape
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly [notYetKeyword]?: readonly string[]
  readonly [secretKeyword]?: boolean
}

type Fields = Readonly<Record<string, unknown>>

function walk(shape: Shape, value: unknown, path: Path): ShapeFault[] {
  if (shape.anyOf !== undefined) return walkAlternatives(shape, shape.anyOf, value, path)
  if (shape.type === 'object' && isFields(value)) return walkObject(shape, value, path)
  if (shape.type === 'array' && Array.isArray(value)) return walkList(shape, value, path)
  if (Value.Check(shape as TSchema, value)) return []
  if (isNotYet(shape, value)) return [notYet(path, `${value}`)]
  if (typeof value === 'string' && [...value].length > (shape.maxLength ?? Number.POSITIVE_INFINITY)) {
    const says = `has ${[...value].length} characters, and at most ${shape.maxLength} may stand there`
    return [{ path, says, fix: 'shorten it' }]
  }
  return [{ path, says: `must be ${describe(shape)}, not ${show(value)}`, fix: fixFor(shape, value) }]
}

function walkAlternatives(shape: Shape, alternatives: readonly Shape[], value: unknown, path: Path): ShapeFault[] {
  if (alternatives.some((one) => walk(one, value, path).length === 0)) return []
  const sameKind = alternatives.filter((one) => kindOfShape(one) === kindOf(value))
  const later = sameKind.find((one) => isNotYet(one, value))
  if (later !== undefined) return [notYet(path, `${value}`)]
  if (sameKind.length === 1 || isFields(value)) {
    const meant = sameKind.toSorted((a, b) => sharedKeys(b, value) - sharedKeys(a, value))[0]
    if (meant !== undefined && (meant.type === 'object' || meant.type === 'array')) {
      const others = sameKind.filter((one) => one !== meant)
      return walk(meant, value, path).map((fault) => notTogether(fault, { meant, others, value, path }))
    }
  }
  const got = shape[secretKeyword] === true ? 'what is written there' : show(value)
  const says = `must be ${alternatives.map(describe).join(', or ')}, not ${got}`
  return [{ path, says, fix: fixFor({ enum: alternatives.flatMap((one) => one.enum ?? []) }, value) }]
}

interface Mixed {
  readonly meant: Shape
  readonly others: readonly Shape[]
  readonly value: unknown
  readonly path: Path
}

/** A key that another form of the map knows is not unknown: the two do not go together. */
function notTogether(fault: ShapeFault, { meant, others, value, path }: Mixed): ShapeFault {
  const key = fault.path.at(-1)
  const isHere = fault.path.length === path.length + 1 && typeof key === 'string' && shapeOf(meant, key) === undefined
  const other = isHere ? others.find((one) => shapeOf(one, key) !== undefined) : undefined
  if (other === undefined || !isFields(value)) return fault
  const own = Object.keys(value).filter((one) => shapeOf(meant, one) !== undefined && shapeOf(other, one) === undefined)
  return { path: fault.path, says: `does not go with ${own.join(', ')}`, fix: 'keep one of them' }
}

function walkObject(shape: Shape, value: Fields, path: Path): ShapeFault[] {
  const faults: ShapeFault[] = []
  for (const [key, child] of Object.entries(value)) {
    const childShape = shapeOf(shape, key)
    if (childShape !== undefined) faults.push(...walk(childShape, child, [...path, key]))
    else if (shape[notYetKeyword]?.includes(key)) faults.push(notYet([...path, key]))
    else faults.push(unknownKey(shape, key, [...path, key]))
  }
  const refused = faults.length
  for (const key of shape.required ?? []) {
    if (!(key in value) && refused === 0) faults.push(missing(shape, key, path))
  }
  return [...faults, ...exclusions(shape, value, path), ...tooFew(shape.minProperties, Object.keys(value), path)]
}

function walkList(shape: Shape, value: readonly unknown[], path: Path): ShapeFault[] {
  const inner = shape.items ?? {}
  return [
    ...value.flatMap((entry, index) => walk(inner, entry, [...path, index])),
    ...tooFew(shape.minItems, value, path),
  ]
}

function shapeOf(shape: Shape, key: string): Shape | undefined {
  if (shape.properties !== undefined && Object.hasOwn(shape.properties, key)) return shape.properties[key]
  for (const [pattern, child] of Object.entries(shape.patternProperties ?? {})) {
    if (new RegExp(pattern).test(key)) return child
  }
  return undefined
}

function unknownKey(shape: Shape, key: string, path: Path): ShapeFault {
  if (shape.patternProperties !== undefined) {
    return { path, says: 'is no name that may stand here', fix: shape.description ?? nameRule(shape) }
  }
  const known = Object.keys(shape.properties ?? {})
  const later = shape[notYetKeyword] ?? []
  const near = nearestName(key, [...known, ...later])
  if (near !== undefined && later.includes(near)) {
    return { path, says: 'is not known', fix: `did you mean ${near}? It is not available yet` }
  }
  const fault = { path, says: 'is not known', fix: suggestName(key, known) }
  return near === undefined && known.length > 0 ? { ...fault, lists: 'all_known' } : fault
}

const nameRule = (shape: Shape): string => `a name matches ${Object.keys(shape.patternProperties ?? {}).join(' or ')}`

function notYet(path: Path, word?: string): ShapeFault {
  const says = word === undefined ? 'is not available yet' : `says ${word}, which is not available yet`
  return { path, says, fix: 'take it out; a later version brings it' }
}

function missing(shape: Shape, key: string, path: Path): ShapeFault {
  const child = shape.properties?.[key]
  return {
    path,
    says: `has no ${key}`,
    fix: child === undefined ? `write ${key}` : `write ${key}: ${describe(child)}`,
  }
}

/** `oneOf` and `not` of plain `required` lists: keys of which exactly one, or not all, may be there. */
function exclusions(shape: Shape, value: Fields, path: Path): ShapeFault[] {
  const choices = shape.oneOf?.flatMap((one) => one.required ?? []) ?? []
  const chosen = choices.filter((key) => key in value)
  if (choices.length > 0 && chosen.length === 0) {
    return [{ path, says: `has neither ${choices.join(' nor ')}`, fix: `write one of them` }]
  }
  const both = chosen.length > 1 ? chosen : (shape.not?.required ?? [])
  if (both.length > 1 && both.every((key) => key in value)) {
    return [{ path, says: `has both ${both.join(' and ')}`, fix: 'keep one of them' }]
  }
  return []
}

function tooFew(least: number | undefined, entries: readonly unknown[], path: Path): ShapeFault[] {
  if (least === undefined || entries.length >= least) return []
  return [{ path, says: 'is empty', fix: `write at least ${least}, or take the key out` }]
}

function isNotYet(shape: Shape, value: unknown): boolean {
  return typeof value === 'string' && shape.type !== 'object' && (shape[notYetKeyword]?.includes(value) ?? false)
}

/** Of an empty map the form that needs no key was meant, if there is one. */
function sharedKeys(shape: Shape, value: unknown): number {
  if (isFields(value) && Object.keys(value).length === 0) return -(shape.required?.length ?? 0)
  const known = [...Object.keys(shape.properties ?? {}), ...(shape[notYetKeyword] ?? [])]
  return isFields(value) ? Object.keys(value).filter((key) => known.includes(key)).length : 0
}

function kindOfShape(shape: Shape): string {
  if (shape.type === 'integer') return 'number'
  return shape.type ?? typeof (shape.enum?.[0] ?? shape.const)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

/** What may stand there, as the schema's author said it, else from its keywords. */
function describe(shape: Shape): string {
  if (shape.enum !== undefined) return shape.enum.map(String).join(' | ')
  if (shape.const !== undefined) return String(shape.const)
  if (shape.description !== undefined && shape.type === 'string') return shape.description
  if (shape.type === 'integer' || shape.type === 'number') return describeNumber(shape)
  if (shape.type === 'array') return shape.items === undefined ? 'a list' : `a list of ${describe(shape.items)}`
  if (shape.type === 'object') return describeMap(shape)
  if (shape.type === 'boolean') return 'true or false'
  if (shape.type === 'null') return shape.description ?? 'nothing'
  return 'text'
}

function describeNumber({ type, minimum, maximum }: Shape): string {
  const number = type === 'integer' ? 'a whole number' : 'a number'
  if (minimum !== undefined && maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER) {
    return `${number} from ${minimum} to ${maximum}`
  }
  return minimum === undefined ? number : `${number}, at least ${minimum}`
}

function describeMap(shape: Shape): string {
  const keys = Object.keys(shape.properties ?? {})
  return keys.length === 0 || keys.length > 6 ? 'a map of keys' : `a map with ${keys.join(', ')}`
}

function fixFor(shape: Shape, value: unknown): string {
  const words = (shape.enum ?? []).map(String)
  const near = typeof value === 'string' && words.length > 0 ? nearestName(value, words) : undefined
  if (near !== undefined) return `did you mean ${near}?`
  const wasUnquoted = shape.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')
  if (wasUnquoted && (shape.pattern === undefined || new RegExp(shape.pattern).test(String(value))))
    return 'put it in quotes'
  return 'change it'
}

const longestShown = 60

/** A value for a message: short, on one line. */
export function show(value: unknown): string {
  if (isFields(value)) return 'a map'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (value === null || value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}… (${text.length} characters)`
}
