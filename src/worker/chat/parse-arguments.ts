import { parseId, type RunId, runId } from '../../kernel/index.ts'
import type { ChatSettings } from '../../runs/index.ts'
import { type ChatFlag, type ChatFlagName, chatFlags } from './flags.ts'
import { readAmount } from './read-amount.ts'
import { readFlags, shorten, type TypedFlags } from './read-flags.ts'

/** What the command line says. Undefined: it says nothing of it, and settings or our defaults hold. */
export interface WrittenOptions {
  /** `-`: it is to be read from stdin. */
  readonly query: string | undefined
  readonly promptFile: string | undefined
  readonly systemFile: string | undefined
  readonly continues: string | undefined
  readonly cwd: string | undefined
  readonly lane: string | undefined
  readonly settingsFile: string | undefined
  readonly models: readonly string[]
  readonly baseUrl: string | undefined
  readonly api: ChatSettings['api'] | undefined
  readonly keyless: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly temperature: number | undefined
  readonly reasoning: ChatSettings['reasoning'] | undefined
  readonly maxOutputTokens: number | undefined
  readonly contextTokens: number | undefined
  readonly output: 'text' | 'json'
  readonly outputSchemaFile: string | undefined
  readonly transcriptFile: string | undefined
  readonly tools: readonly string[] | undefined
  readonly sandbox: ChatSettings['sandbox'] | undefined
  readonly maxTurns: number | undefined
  readonly runMs: number | undefined
  readonly budget: { readonly tokens: number | undefined; readonly usd: number | undefined }
  readonly commandTimeoutMs: number
  readonly limits: {
    readonly firstByteMs: number | undefined
    readonly firstEventMs: number | undefined
    readonly idleMs: number | undefined
    readonly wholeCallMs: number | undefined
  }
  readonly retry: { readonly retries: number; readonly longestWaitMs: number; readonly allWaitsMs: number }
  readonly board: BoardIdentity | undefined
}

/** Which run a board worker speaks for, and where. */
export interface BoardIdentity {
  readonly reportFile: string
  readonly run: RunId
  readonly fence: number
}

export type ParsedArguments =
  | { readonly kind: 'help' }
  /** `faults`: all that are found so far; those of the settings come on top, in `resolveSettings`. */
  | { readonly kind: 'written'; readonly written: WrittenOptions; readonly faults: readonly string[] }

/** Reads what stands after `chat`. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  const { typed, faults } = readFlags(args)
  if (typed.help !== undefined) return { kind: 'help' }
  const text = (name: ChatFlagName) => typed[name]?.[0]
  const amount = (name: ChatFlagName) => takeAmount(name, text(name), faults)
  const preset = (name: ChatFlagName) => takeAmount(name, text(name) ?? presetOf(name), faults) ?? 0
  const word = <Word extends string>(name: ChatFlagName) => takeWord(name, text(name), faults) as Word | undefined
  const written: WrittenOptions = {
    query: text('query'),
    promptFile: takeText('promptFile', typed, faults),
    systemFile: takeText('system', typed, faults),
    continues: takeText('continue', typed, faults),
    cwd: takeText('cwd', typed, faults),
    lane: takeText('lane', typed, faults),
    settingsFile: takeText('settings', typed, faults),
    models: takeModels(typed, faults),
    baseUrl: takeText('baseUrl', typed, faults),
    api: word<ChatSettings['api']>('api'),
    keyless: typed.noKey !== undefined,
    headers: readHeaders(typed.header ?? [], faults),
    temperature: amount('temperature'),
    reasoning: word<NonNullable<ChatSettings['reasoning']>>('reasoning'),
    maxOutputTokens: amount('outputTokens'),
    contextTokens: amount('contextTokens'),
    output: typed.json === undefined ? 'text' : 'json',
    outputSchemaFile: takeText('outputSchema', typed, faults),
    transcriptFile: takeText('transcript', typed, faults),
    tools: readTools(text('tools'), faults),
    sandbox: word<ChatSettings['sandbox']>('sandbox'),
    maxTurns: amount('maxTurns'),
    runMs: amount('runTimeout'),
    budget: { tokens: amount('tokenBudget'), usd: amount('usdBudget') },
    commandTimeoutMs: preset('commandTimeout'),
    limits: {
      firstByteMs: amount('firstByteTimeout'),
      firstEventMs: amount('firstEventTimeout'),
      idleMs: amount('idleTimeout'),
      wholeCallMs: amount('callTimeout'),
    },
    retry: { retries: preset('retries'), longestWaitMs: preset('longestWait'), allWaitsMs: preset('allWaits') },
    board: readBoard(typed, faults),
  }
  return { kind: 'written', written, faults: [...faults, ...crossFaults(written)] }
}

/** What is wrong with the address of a server, by where it was said. A credential in it is not repeated. */
export function faultsOfAddress(from: string, address: string | undefined): readonly string[] {
  if (address === undefined) return []
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return [`${from} ${address} is no http or https address`]
  if (url.username === '' && url.password === '') return []
  return [`${from} holds a credential, which everybody could read: the key comes from YARDMASTER_API_KEY`]
}

/** Rules between flags. */
function crossFaults({ query, promptFile, baseUrl, lane, settingsFile, board }: WrittenOptions): readonly string[] {
  const faults: string[] = []
  if (query === undefined && promptFile === undefined) {
    faults.push('nothing to do: give -q TEXT, --prompt-file FILE or both')
  }
  if (query?.trim() === '') faults.push('-q is empty')
  if (query === '-' && board !== undefined) faults.push('-q - is for people: a worker of a board has no stdin')
  faults.push(...faultsOfAddress('--base-url', baseUrl))
  if (lane !== undefined && settingsFile !== undefined)
    faults.push('--lane and --settings both say everything: leave one out')
  if (lane !== undefined && board !== undefined)
    faults.push('--lane is for people: a worker of a board has its --settings')
  return faults
}

const presetOf = (name: ChatFlagName): string | undefined => (chatFlags[name] as ChatFlag).byDefault

function takeAmount(name: ChatFlagName, text: string | undefined, faults: string[]): number | undefined {
  if (text === undefined) return undefined
  const read = readAmount(chatFlags[name], text)
  if (typeof read === 'number') return read
  faults.push(read.fault)
  return undefined
}

function takeWord(name: ChatFlagName, text: string | undefined, faults: string[]): string | undefined {
  const { name: flag, oneOf = [] }: ChatFlag = chatFlags[name]
  if (text === undefined || oneOf.includes(text)) return text
  faults.push(`--${flag} must be one of ${oneOf.join(', ')}, not ${shorten(text)}`)
  return undefined
}

/** An empty one comes of a variable that was not set; taken for "not given" it would have something else done. */
function takeText(name: ChatFlagName, typed: TypedFlags, faults: string[]): string | undefined {
  const text = typed[name]?.[0]
  if (text?.trim() !== '') return text
  faults.push(sayEmpty(name))
  return undefined
}

function takeModels({ model = [] }: TypedFlags, faults: string[]): readonly string[] {
  if (model.some((name) => name.trim() === '')) faults.push(sayEmpty('model'))
  return model
}

const sayEmpty = (name: ChatFlagName): string => `--${chatFlags[name].name} is empty`

/** Credentials travel by the environment only: arguments are there for every user of the machine to read. */
const credentialHeader = /^(authorization|proxy-authorization|cookie|x-api-key|api-key)$/i

function readHeaders(texts: readonly string[], faults: string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const text of texts) {
    const [, name = '', value = ''] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([\t\x20-\x7e]*)$/.exec(text) ?? []
    if (name === '') faults.push(`--header ${shorten(text)} is not NAME=VALUE in plain characters`)
    else if (credentialHeader.test(name))
      faults.push(`--header ${name} would show a secret: the key comes from YARDMASTER_API_KEY`)
    else headers[name] = value
  }
  return headers
}

function readTools(text: string | undefined, faults: string[]): readonly string[] | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return []
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => /^[a-z][a-z0-9_]*$/.test(name))) return [...new Set(names)]
  faults.push(`--tools must be names such as read,search, or none, not ${shorten(text)}`)
  return undefined
}

/** The three belong together: a report without a run says nothing, a run without a report cannot speak. */
function readBoard(typed: TypedFlags, faults: string[]): BoardIdentity | undefined {
  const given = (['report', 'run', 'fence'] as const).filter((name) => typed[name] !== undefined)
  if (given.length === 0) return undefined
  const [report, run, fence] = [typed.report?.[0], typed.run?.[0], takeAmount('fence', typed.fence?.[0], faults)]
  const id = run === undefined ? undefined : parseId('R', run)
  if (run !== undefined && id === undefined) faults.push(`--run ${shorten(run)} is no run such as R981`)
  if (given.length < 3) faults.push('--report, --run and --fence go together')
  if (report === undefined || id === undefined || fence === undefined) return undefined
  return { reportFile: report, run: runId(id), fence }
}
