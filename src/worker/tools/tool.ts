import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions'
import type { Clock, Redactor } from '../../kernel/index.ts'

/** One argument of a tool. The schema that the model sees and the check of what it sends are made of the same row. */
export interface ToolField {
  readonly name: string
  readonly type: 'string' | 'integer'
  readonly means: string
  readonly required: boolean
  /** For integers. */
  readonly least?: number
  readonly most?: number
}

export type ToolArguments = Readonly<Record<string, string | number | undefined>>

/** What every tool works with. */
export interface ToolDeps {
  readonly clock: Clock
  /** Real path of the folder that the worker may change. */
  readonly workspace: string
  /** Real path of the folder with files that people gave; readable, too. Undefined where there are none. */
  readonly given?: string | undefined
  /** Real paths of what was handed back so far; undefined where nobody takes files. */
  readonly handedBack?: string[] | undefined
  /** The worker's own environment, keys already taken out of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A worker of a board: its environment was made for it by name. A person's own is not passed on. */
  readonly boardWorker: boolean
  readonly knownSecrets: readonly string[]
  /** Masks known values only: a model that sees masked fixtures would repair them. */
  readonly maskKnown: Redactor
  readonly commandTimeoutMs: number
  /** Fires when the worker is told to stop. */
  readonly signal: AbortSignal
}

export interface ToolResult {
  /** What the model reads. */
  readonly text: string
  /** One line for the log. */
  readonly summary: string
}

export interface Tool {
  readonly name: string
  readonly means: string
  readonly fields: readonly ToolField[]
  run(deps: ToolDeps, args: ToolArguments): Promise<ToolResult>
}

/** The tool as the model is told of it. */
export function describeTool({ name, means, fields }: Tool): ChatCompletionFunctionTool {
  const properties = fields.map(({ name, type, means, least, most }) => [
    name,
    {
      type,
      description: means,
      ...(least === undefined ? {} : { minimum: least }),
      ...(most === undefined ? {} : { maximum: most }),
    },
  ])
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
  return { type: 'function', function: { name, description: means, parameters } }
}

/** The arguments of a call, or a sentence for the model that says what to mend. Nothing is run on a guess. */
export function parseToolArguments(
  { name, fields }: Tool,
  text: string,
): { readonly ok: true; readonly args: ToolArguments } | { readonly ok: false; readonly says: string } {
  const sent = parseRecord(text)
  if (sent === undefined)
    return { ok: false, says: `the arguments of ${name} are not a JSON object: ${text.slice(0, 200)}` }
  const known = new Set(fields.map((field) => field.name))
  const faults = [
    ...Object.keys(sent)
      .filter((key) => !known.has(key))
      .map((key) => `${name} knows no argument ${key}; it takes ${[...known].join(', ')}`),
    ...fields.flatMap((field) => faultsOf(field, sent[field.name])),
  ]
  if (faults.length > 0) return { ok: false, says: faults.join('; ') }
  return { ok: true, args: sent as ToolArguments }
}

function faultsOf({ name, type, required, least, most }: ToolField, value: unknown): readonly string[] {
  if (value === undefined || value === null) return required ? [`${name} is missing`] : []
  if (type === 'string') {
    if (typeof value !== 'string') return [`${name} must be text`]
    return required && value === '' && name !== 'content' ? [`${name} is empty`] : []
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return [`${name} must be a whole number`]
  const tooSmall = least !== undefined && value < least
  const tooLarge = most !== undefined && value > most
  return tooSmall || tooLarge ? [`${name} must be from ${least ?? '…'} to ${most ?? '…'}, not ${value}`] : []
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text === '' ? '{}' : text)
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined
  } catch {
    return undefined // the model is told, and may try again
  }
}
