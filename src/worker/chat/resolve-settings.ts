import { builtInTokens, suggestName, toolNames } from '../../kernel/index.ts'
import type { ChatSettings } from '../../runs/index.ts'
import type { ModelSettings } from '../provider/model-call.ts'
import { chatFlags } from './flags.ts'
import { type BoardIdentity, faultsOfAddress, type WrittenOptions } from './parse-arguments.ts'

/** Everything that holds for one `chat -q`, decided: flags over settings over a person's environment over our defaults. Frozen. */
export interface ChatOptions {
  /** Undefined where only a file was given; `-`: it is to be read from stdin. */
  readonly query: string | undefined
  readonly promptFile: string | undefined
  readonly systemFile: string | undefined
  /** Transcript that it goes on from. */
  readonly continues: string | undefined
  /** The first is asked; the next where the one before is not there or is overloaded. At least one. */
  readonly models: readonly string[]
  readonly baseUrl: string
  readonly api: ChatSettings['api']
  readonly keyless: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly settings: ModelSettings
  readonly contextTokens: number | null
  /** Names of the tools that it may use; null: all. */
  readonly tools: readonly string[] | null
  readonly toolsOff: readonly string[]
  readonly sandbox: ChatSettings['sandbox']
  readonly hidden: ChatSettings['hidden']
  readonly deniedCommands: ChatSettings['deniedCommands']
  readonly approvalCommands: ChatSettings['approvalCommands']
  readonly heartbeatMs: number
  readonly maxTurns: number
  /** Null: no limit is known. */
  readonly runMs: number | null
  readonly budget: ChatSettings['budget']
  readonly prices: ChatSettings['prices']
  readonly grants: ChatSettings['grants']
  /** Where the transcript goes; null: none is kept. */
  readonly transcriptFile: string | null
  readonly output: 'text' | 'json'
  readonly outputSchemaFile: string | undefined
  readonly commandTimeoutMs: number
  readonly limits: WatchLimits
  readonly retry: { readonly retries: number; readonly longestWaitMs: number; readonly allWaitsMs: number }
  /** Present for a worker of a board. */
  readonly board: BoardIdentity | undefined
  /** Reason that the attempt before this one reported; null: none. */
  readonly lastReason: string | null
}

/** The watchdogs of one call. Null: by the size of the conversation and by where the server stands (`planLimits`). */
export interface WatchLimits {
  readonly firstByteMs: number | null
  readonly firstEventMs: number | null
  readonly idleMs: number | null
  readonly wholeCallMs: number | null
}

export interface SettingsInput {
  readonly written: WrittenOptions
  /** What was found wrong with the command line. */
  readonly faults: readonly string[]
  /** Of `--settings` or `--lane`; undefined: neither is given, or it has faults. */
  readonly settings: ChatSettings | undefined
  /** A person's own default server, from the environment. */
  readonly personsBaseUrl: string | undefined
}

/** Of a command that runs. */
const heartbeatMs = 60_000

/** All faults at once, or what holds. */
export function resolveSettings({
  written,
  faults: before,
  settings,
  personsBaseUrl,
}: SettingsInput):
  | { readonly ok: true; readonly options: ChatOptions }
  | { readonly ok: false; readonly faults: readonly string[] } {
  const models = written.models.length > 0 ? written.models : (settings?.models ?? [])
  const baseUrl = written.baseUrl ?? settings?.baseUrl ?? personsBaseUrl ?? chatFlags.baseUrl.byDefault
  const usd = written.budget.usd ?? settings?.budget.usd ?? null
  const prices = settings?.prices ?? {}
  // What could not be read may well have named one: its own fault says enough.
  const isElsewhere = settings === undefined && (written.lane ?? written.settingsFile) !== undefined
  const faults = [
    ...before,
    ...(models.length === 0 && !isElsewhere ? ['--model NAME is missing'] : []),
    ...(personsBaseUrl === baseUrl ? faultsOfAddress('OPENAI_BASE_URL', baseUrl) : []),
    ...(usd === null ? [] : unpriced(models, prices)),
    ...unknownTools([...(written.tools ?? settings?.tools ?? []), ...(settings?.toolsOff ?? [])]),
  ]
  if (faults.length > 0) return { ok: false, faults }
  const { query, promptFile, output, outputSchemaFile, commandTimeoutMs, retry, board } = written
  const options: ChatOptions = {
    query,
    promptFile,
    systemFile: written.systemFile ?? settings?.system ?? undefined,
    continues: written.continues ?? settings?.continues ?? undefined,
    models,
    baseUrl,
    api: written.api ?? settings?.api ?? chatFlags.api.byDefault,
    keyless: written.keyless || settings?.keyless === true,
    headers: { ...settings?.headers, ...written.headers },
    settings: {
      temperature: written.temperature ?? settings?.temperature ?? null,
      reasoning: written.reasoning ?? settings?.reasoning ?? null,
      maxOutputTokens: written.maxOutputTokens ?? settings?.maxOutputTokens ?? null,
    },
    contextTokens: written.contextTokens ?? settings?.contextTokens ?? null,
    tools: written.tools ?? settings?.tools ?? null,
    toolsOff: settings?.toolsOff ?? [],
    sandbox: written.sandbox ?? settings?.sandbox ?? chatFlags.sandbox.byDefault,
    hidden: settings?.hidden ?? [],
    deniedCommands: settings?.deniedCommands ?? [],
    approvalCommands: settings?.approvalCommands ?? [],
    heartbeatMs: settings?.heartbeatMs ?? heartbeatMs,
    maxTurns: written.maxTurns ?? settings?.maxTurns ?? Number(chatFlags.maxTurns.byDefault),
    runMs: written.runMs ?? settings?.runMs ?? null,
    // Settings without a limit mean it.
    budget: { tokens: written.budget.tokens ?? (settings === undefined ? builtInTokens : settings.budget.tokens), usd },
    prices,
    grants: settings?.grants ?? [],
    transcriptFile: transcriptOf(written, settings),
    output,
    outputSchemaFile,
    commandTimeoutMs,
    limits: limitsOf(written, settings),
    retry,
    board,
    lastReason: settings?.lastReason ?? null,
  }
  return { ok: true, options: freezeDeep(options) }
}

function limitsOf({ limits }: WrittenOptions, settings: ChatSettings | undefined): WatchLimits {
  const timeouts = settings?.timeouts
  return {
    firstByteMs: limits.firstByteMs ?? timeouts?.firstByteMs ?? null,
    firstEventMs: limits.firstEventMs ?? timeouts?.firstEventMs ?? null,
    idleMs: limits.idleMs ?? timeouts?.idleMs ?? null,
    wholeCallMs: limits.wholeCallMs ?? timeouts?.callMs ?? null,
  }
}

/** A model whose price nobody knows would spend without the budget ever noticing. */
function unpriced(models: readonly string[], prices: ChatSettings['prices']): readonly string[] {
  const missing = models.filter((model) => prices[model] === undefined)
  return missing.length === 0
    ? []
    : [
        `a budget in USD needs prices, and none is known of ${missing.join(', ')}: use --token-budget, or name prices in the account`,
      ]
}

/** One that only some workers have is none: a lane names them for all of its own. Any other would allow, or forbid, nothing without a word. */
function unknownTools(names: readonly string[]): readonly string[] {
  const known: readonly string[] = toolNames
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `there is no tool ${name}: ${suggestName(name, known)}`)
}

/** A worker of a board keeps one beside its report; a person's chat only where it is asked for. */
function transcriptOf({ transcriptFile, board }: WrittenOptions, settings: ChatSettings | undefined): string | null {
  if (transcriptFile !== undefined) return transcriptFile
  if (board === undefined || settings?.transcript === 'off') return null
  return board.reportFile.replace(/[^/]*$/, 'transcript.jsonl')
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null)
    for (const part of Object.values(Object.freeze(value))) freezeDeep(part)
  return value
}
