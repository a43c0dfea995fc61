import { isFields } from '../../kernel/index.ts'

/**
 * References that lead nowhere, or round in a circle without ever reaching a keyword. Nothing is fetched: a schema that
 * names another file would be checked by half.
 */
export function findBadReferences(schema: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set(referencesIn(schema))].flatMap((ref) => {
    if (!ref.startsWith('#')) return [`$ref ${ref} is not in this file`]
    const seen = new Set<string>()
    for (let at: string | undefined = ref; at !== undefined; ) {
      if (seen.has(at)) return [`$ref ${ref} refers to itself`]
      seen.add(at)
      const target = follow(schema, at)
      if (target === undefined) return [`$ref ${ref} leads nowhere`]
      at = isFields(target) && typeof target.$ref === 'string' ? target.$ref : undefined
    }
    return []
  })
}

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isFields(value)) return []
  const own = typeof value.$ref === 'string' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(referencesIn)]
}

/** By JSON pointer, or by an anchor anywhere in it. */
function follow(schema: Readonly<Record<string, unknown>>, ref: string): unknown {
  const pointer = decodeURIComponent(ref.slice(1))
  if (pointer === '') return schema
  if (!pointer.startsWith('/')) return findAnchor(schema, pointer)
  const steps = pointer.slice(1).split('/')
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as Readonly<Record<string, unknown>>)[name]
      : undefined
  }, schema)
}

function findAnchor(value: unknown, anchor: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const { $anchor, $dynamicAnchor, $id } = value as Readonly<Record<string, unknown>>
  if ([$anchor, $dynamicAnchor, $id].includes(anchor) || $id === `#${anchor}`) return value
  for (const part of Object.values(value)) {
    const found = findAnchor(part, anchor)
    if (found !== undefined) return found
  }
  return undefined
}
