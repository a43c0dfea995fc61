import { optionMeanings } from './option-meanings.ts'

/** The parts of JSON Schema that our schemas use. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

/** A table row for every key below an object schema: where it stands, what it takes, what it means. */
export function schemaTable(schema: unknown): string {
  const rows = keysOf('', schema as Schema).map(([path, key]) => {
    return `| \`${path}\` | ${cell(takes(key))} | ${cell(meaningOf(path, key))} |`
  })
  return ['| key | takes | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Our own words where there are some, else those of the schema. */
export function meaningOf(path: string, { description = '' }: { readonly description?: string }): string {
  return optionMeanings[path] ?? optionMeanings[path.replace(/^(defaults|tasks\.NAME)\./, 'task.')] ?? description
}

function keysOf(prefix: string, schema: Schema): readonly (readonly [path: string, schema: Schema])[] {
  const fixed = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => below(`${prefix}${name}`, inner))
  const named = Object.values(schema.patternProperties ?? {}).flatMap((inner) => below(`${prefix}NAME`, inner))
  return [...fixed, ...named]
}

function below(path: string, schema: Schema): readonly (readonly [path: string, schema: Schema])[] {
  const inner = keysOf(`${path}.`, schema)
  const alternatives = (schema.anyOf ?? []).flatMap((each) => keysOf(`${path}.`, each))
  const entries = schema.items === undefined ? [] : keysOf(`${path}[].`, schema.items)
  return [[path, schema], ...inner, ...alternatives, ...entries]
}

/** `text`, `whole number 1…1000`, `one of a, b`, `list of text`, and so on. */
function takes(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(takes))].join(' or ')
  switch (schema.type) {
    case 'integer':
      return `whole number${range(schema)}`
    case 'number':
      return `number${range(schema)}`
    case 'string':
      return 'text'
    case 'boolean':
      return '`true` or `false`'
    case 'array':
      return `list of ${schema.items === undefined ? 'values' : takes(schema.items)}`
    case 'object':
      return 'a map'
    case 'null':
      return 'nothing'
    default:
      return 'a value'
  }
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return ''
  return maximum === undefined ? ` from ${minimum}` : ` ${minimum}…${maximum}`
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
