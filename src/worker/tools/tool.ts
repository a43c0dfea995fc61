import { assertNever, cutAtWord, isFields } from '../../kernel/index.ts'
import type { ToolDescription } from '../provider/model-call.ts'

/** One argument of a tool. The schema that the model sees and the check of what it sends are made of the same row. */
export interface ToolField {
  readonly name: string
  /** `strings`: a list of texts. `json`: anything. */
  readonly type: 'string' | 'integer' | 'boolean' | 'strings' | 'json'
  readonly means: string
  readonly required: boolean
  /** For texts: the only ones that are taken. */
  readonly oneOf?: readonly string[]
  /** For texts that are required: whether one without a character is taken, too. */
  readonly mayBeEmpty?: boolean
  /** For integers. */
  readonly least?: number
  readonly most?: number
}

/** What a model sent, checked against the tool's fields. A field that was null counts as not sent. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** What a tool is told of one call, besides its arguments. */
export interface ToolOrder {
  readonly callId: string
  /**
   * Fires when the worker is told to stop, or with the reason `run` when its time is up: then nothing is begun, and what
   * runs is ended.
   */
  readonly signal: AbortSignal
  /**
   * Fires when somebody wants the model's attention, as a person who has commented: what takes long goes on in the
   * background, and the tool answers at once.
   */
  readonly attention: AbortSignal
}

export interface ToolResult {
  /** What the model reads: known secrets masked, within the tool's own caps. */
  readonly text: string
  /** One line for the log. */
  readonly summary: string
  /** failed: what was asked for did not happen, or it ended with a code other than 0. The loop guards count these. */
  readonly outcome: 'ok' | 'failed'
  /** What was looked at has moved on since the last look, as a command whose output grows: looking again is no loop. */
  readonly moved?: boolean
  /** It says that nothing has changed, in place of what it said the last time. */
  readonly unchanged?: boolean
  /** It has taken its time on purpose, waiting for something that still runs: asked again it is no loop, and no progress. */
  readonly waited?: boolean
  /** What the run's counters count of it, as `edit_exact`; see record/counters.ts. */
  readonly counts?: readonly string[]
  /** The call was the run's last: how it ends is told to the board, and the loop ends with this. */
  readonly ends?: ToolEnd
}

/** How a call of a board tool ended the run. */
export interface ToolEnd {
  readonly call: 'complete' | 'block' | 'review' | 'wait'
  /** Of `complete`: the result. Of the others: what was said. */
  readonly text: string
  /** Of a `complete` that could not be told: its report has to. */
  readonly data?: unknown
  /** board_unreachable: it could not be told for as long as it was tried. */
  readonly delivery: 'acknowledged' | 'board_unreachable'
}

/** One thing that a model may ask for. Made by a factory that is given what this tool works with and no more. */
export interface Tool {
  readonly name: string
  /** For the model, short: all tools together have a budget of tokens (see tests/worker/tools/tool-budget.test.ts). */
  readonly means: string
  readonly fields: readonly ToolField[]
  /** Calls that only read run side by side. One that writes waits for all before it, and all after it wait for it. */
  readonly effect: 'reads' | 'writes'
  /** Answers also for what went wrong. What it throws is a fault of ours, told to the model as one sentence. */
  run(args: ToolArguments, order: ToolOrder): Promise<ToolResult>
}

export function describeTool({ name, means, fields }: Tool): ToolDescription {
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
  return { name, means, parameters }
}

function schemaOf({ type, means, least, most, oneOf }: ToolField): Readonly<Record<string, unknown>> {
  const shape = type === 'json' ? {} : type === 'strings' ? { type: 'array', items: { type: 'string' } } : { type }
  return {
    ...shape,
    description: means,
    ...(oneOf === undefined ? {} : { enum: oneOf }),
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
  }
}

/** The arguments of a call, or a sentence for the model that says what to mend. Nothing is run on a guess. */
export function parseToolArguments(
  { name, fields }: Pick<Tool, 'name' | 'fields'>,
  text: string,
): { readonly ok: true; readonly args: ToolArguments } | { readonly ok: false; readonly says: string } {
  const sent = parseRecord(text)
  if (sent === undefined) {
    return { ok: false, says: `the arguments of ${name} are not a JSON object: ${cutAtWord(text, 200)}` }
  }
  const known = new Set(fields.map((field) => field.name))
  const faults = [
    ...Object.keys(sent)
      .filter((key) => !known.has(key))
      .slice(0, mostFaults)
      .map(
        (key) =>
          `${name} knows no argument ${cutAtWord(key, mostNameChars)}; it takes ${[...known].join(', ') || 'none'}`,
      ),
    ...fields.flatMap((field) => faultsOf(field, sent[field.name])),
  ]
  if (faults.length > 0) return { ok: false, says: faults.join('; ') }
  const args = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  return { ok: true, args }
}

/** More of them say nothing new, and the model pays for each. */
const mostFaults = 10
const mostNameChars = 100

function faultsOf(
  { name, type, required, oneOf, mayBeEmpty, least, most }: ToolField,
  value: unknown,
): readonly string[] {
  if (value === undefined || value === null) return required ? [`${name} is missing`] : []
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return [`${name} must be text`]
      if (oneOf !== undefined && !oneOf.includes(value)) return [`${name} must be one of ${oneOf.join(', ')}`]
      return required && value === '' && mayBeEmpty !== true ? [`${name} is empty`] : []
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${name} must be true or false`]
    case 'strings': {
      const fits = Array.isArray(value) && value.every((part) => typeof part === 'string')
      return fits ? [] : [`${name} must be a list of texts`]
    }
    case 'json':
      return []
    case 'integer': {
      if (typeof value !== 'number' || !Number.isInteger(value)) return [`${name} must be a whole number`]
      const tooSmall = least !== undefined && value < least
      const tooLarge = most !== undefined && value > most
      return tooSmall || tooLarge ? [`${name} must be from ${least ?? '…'} to ${most ?? '…'}, not ${value}`] : []
    }
    default:
      return assertNever(type)
  }
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text === '' ? '{}' : text)
    return isFields(json) ? json : undefined
  } catch {
    return undefined // the model is told, and may try again
  }
}
