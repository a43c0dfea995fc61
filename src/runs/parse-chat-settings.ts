import {
  allGrants,
  builtInTokens,
  chatApis,
  chatSandboxes,
  isFields,
  type ModelPrice,
  reasoningWords,
  suggestName,
} from '../kernel/index.ts'
import { builtInChatPlan } from './chat-plan.ts'
import type { ChatSettings } from './chat-settings.ts'

/** Settings, or every fault of the text in words: `models: must be a list of names, at least one`. */
export type ParsedChatSettings =
  | { readonly ok: true; readonly settings: ChatSettings }
  | { readonly ok: false; readonly faults: readonly string[] }

/**
 * Reads what `formatChatSettings` wrote, or what a person did. What is absent is built in; only `schema`, `models` and
 * `baseUrl` have to be there. By hand and without a schema library: it is read at the start of every worker.
 */
export function parseChatSettings(text: string): ParsedChatSettings {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (fault) {
    return { ok: false, faults: [`it is not JSON: ${(fault as Error).message}`] }
  }
  if (!isFields(value)) return { ok: false, faults: ['it is no map of fields'] }
  const faults = faultsOf(value)
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, settings: { ...builtIn, ...value } as unknown as ChatSettings }
}

/** Of what may be absent. */
const builtIn: Omit<ChatSettings, 'schema' | 'models' | 'baseUrl'> = {
  ...builtInChatPlan,
  keyless: false,
  runMs: null,
  budget: { tokens: builtInTokens, usd: null },
  grants: [],
  continues: null,
}

interface Rule {
  /** What must stand there, for the sentence. */
  readonly must: string
  readonly fits: (value: unknown) => boolean
  readonly needed?: 'needed'
}

const longestMs = 30 * 24 * 3_600_000
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('\0')
const isNumber = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && isNumber(value, 1, Number.MAX_SAFE_INTEGER)

const oneOf = (words: readonly string[]): Rule => ({
  must: `one of ${words.join(', ')}`,
  fits: (value) => words.includes(value as string),
})
const orNull = ({ must, fits }: Rule): Rule => ({
  must: `${must}, or null`,
  fits: (value) => value === null || fits(value),
})
const count: Rule = { must: 'a whole number, at least 1', fits: isCount }
const millis: Rule = {
  must: `milliseconds, more than 0 and at most ${longestMs}`,
  fits: (value) => isNumber(value, Number.MIN_VALUE, longestMs),
}
const names: Rule = { must: 'a list of names', fits: (value) => Array.isArray(value) && value.every(isText) }
const commands: Rule = { must: 'a list of commands, * for any text', fits: names.fits }
const text: Rule = { must: 'text', fits: isText }

const fields: Readonly<Record<keyof ChatSettings, Rule>> = {
  schema: { must: '1', fits: (value) => value === 1, needed: 'needed' },
  models: {
    must: 'a list of names, at least one',
    fits: (value) => names.fits(value) && (value as unknown[]).length > 0,
    needed: 'needed',
  },
  baseUrl: { must: 'an http or https address', fits: isHttpAddress, needed: 'needed' },
  api: oneOf(chatApis),
  keyless: { must: 'true or false', fits: (value) => typeof value === 'boolean' },
  system: orNull(text),
  headers: { must: 'a map of texts on one line', fits: (value) => isMapOf(value, isHeaderValue) },
  temperature: orNull({ must: 'a number from 0 to 2', fits: (value) => isNumber(value, 0, 2) }),
  reasoning: orNull(oneOf(reasoningWords)),
  maxOutputTokens: orNull(count),
  contextTokens: orNull(count),
  tools: orNull(names),
  toolsOff: names,
  sandbox: oneOf(chatSandboxes),
  hidden: { must: 'a list of paths', fits: names.fits },
  deniedCommands: commands,
  approvalCommands: commands,
  heartbeatMs: orNull({
    must: 'milliseconds, 0 or at least 60000',
    fits: (value) => value === 0 || isNumber(value, 60_000, longestMs),
  }),
  maxTurns: orNull(count),
  timeouts: {
    must: `a map of firstByteMs, firstEventMs, idleMs and callMs, each ${millis.must}, or null`,
    fits: (value) => hasOnly(value, Object.keys(builtIn.timeouts), orNull(millis).fits),
  },
  runMs: orNull(millis),
  budget: {
    must: 'a map of tokens and usd, each a number of at least 0, or null',
    fits: (value) => hasOnly(value, ['tokens', 'usd'], (part) => part === null || isNumber(part, 0, Number.MAX_VALUE)),
  },
  prices: { must: 'a map of { in, out, cached } by model', fits: (value) => isMapOf(value, isPrice) },
  transcript: oneOf(['on', 'off']),
  grants: {
    must: `a list of ${allGrants.join(', ')}`,
    fits: (value) => Array.isArray(value) && value.every((one) => (allGrants as readonly unknown[]).includes(one)),
  },
  continues: orNull(text),
  lastReason: orNull(text),
}

function faultsOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  const known = Object.keys(fields)
  const unknown = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is not known: ${suggestName(name, known)}`)
  const wrong = Object.entries(fields).flatMap(([name, { must, fits, needed }]) => {
    if (!Object.hasOwn(value, name)) return needed === undefined ? [] : [`${name} is missing: ${must}`]
    return fits(value[name]) ? [] : [`${name} must be ${must}`]
  })
  return [...unknown, ...wrong]
}

function isHttpAddress(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false
  const { protocol } = new URL(value)
  return protocol === 'http:' || protocol === 'https:'
}

const isHeaderValue = (value: unknown): boolean => isText(value) && !/[\r\n]/.test(value)

/** All of `names` are there and nothing else. */
function hasOnly(value: unknown, names: readonly string[], fits: (part: unknown) => boolean): boolean {
  if (!isFields(value)) return false
  return Object.keys(value).length === names.length && names.every((name) => name in value && fits(value[name]))
}

function isMapOf(value: unknown, fits: (part: unknown) => boolean): boolean {
  return isFields(value) && Object.values(value).every(fits)
}

function isPrice(value: unknown): value is ModelPrice {
  if (!isFields(value)) return false
  const { in: input, out, cached, ...others } = value
  const isAmount = (amount: unknown) => isNumber(amount, 0, Number.MAX_VALUE)
  return (
    Object.keys(others).length === 0 && isAmount(input) && isAmount(out) && (cached === undefined || isAmount(cached))
  )
}
