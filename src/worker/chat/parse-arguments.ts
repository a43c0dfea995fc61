import { parseDuration, parseId, type RunId, runId, suggestName } from '../../kernel/index.ts'
import { type ChatFlag, type ChatFlagName, chatFlags } from './flags.ts'

/** Everything that was asked of one `chat -q`. */
export interface ChatOptions {
  /** Undefined where only a file was given. */
  readonly query: string | undefined
  readonly promptFile: string | undefined
  readonly systemFile: string | undefined
  readonly model: string
  /** Undefined where none was given. */
  readonly baseUrl: string | undefined
  readonly keyless: boolean
  /** Present for a worker of a board. */
  readonly board: BoardIdentity | undefined
  readonly maxTurns: number
  readonly commandTimeoutMs: number
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number; readonly wholeCallMs: number }
  readonly retry: { readonly retries: number; readonly longestWaitMs: number; readonly allWaitsMs: number }
}

/** Which run a board worker speaks for, and where. */
export interface BoardIdentity {
  readonly reportFile: string
  readonly run: RunId
  readonly fence: number
}

export type ParsedArguments =
  | { readonly kind: 'options'; readonly options: ChatOptions }
  | { readonly kind: 'help' }
  /** All faults at once. `board`: where to say so, if that much could be read. */
  | { readonly kind: 'faults'; readonly faults: readonly string[]; readonly board: BoardIdentity | undefined }

type Written = Partial<Record<ChatFlagName, string>>

/** Reads what stands after `chat`. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  const { written, faults } = readFlags(args)
  if (written.help !== undefined) return { kind: 'help' }
  const text = (name: ChatFlagName) => written[name]
  const number = (name: ChatFlagName) => readNumber(name, written, faults)
  const board = readBoard(written, number('fence'), faults)
  if (text('query') === undefined && text('promptFile') === undefined) {
    faults.push('nothing to do: give -q TEXT, --prompt-file FILE or both')
  }
  if (text('query')?.trim() === '') faults.push('-q is empty')
  const model = text('model')
  if (model === undefined || model === '') faults.push('--model NAME is missing')
  const baseUrl = text('baseUrl')
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) faults.push(`--base-url ${baseUrl} is no http or https address`)
  const options: ChatOptions = {
    query: text('query'),
    promptFile: text('promptFile'),
    systemFile: text('system'),
    model: model ?? '',
    baseUrl,
    keyless: written.noKey !== undefined,
    board,
    maxTurns: number('maxTurns'),
    commandTimeoutMs: number('commandTimeout'),
    limits: {
      firstByteMs: number('firstByteTimeout'),
      idleMs: number('idleTimeout'),
      wholeCallMs: number('callTimeout'),
    },
    retry: { retries: number('retries'), longestWaitMs: number('longestWait'), allWaitsMs: number('allWaits') },
  }
  return faults.length === 0 ? { kind: 'options', options } : { kind: 'faults', faults, board }
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function readFlags(args: readonly string[]): { written: Written; faults: string[] } {
  const written: Written = {}
  const faults: string[] = []
  const rest = [...args]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, dashes = '', name = '', inline] = /^(--?)([A-Za-z0-9-]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    const found = dashes === '' ? undefined : findFlag(dashes, name)
    if (found === undefined) {
      faults.push(
        dashes === '' ? `${shorten(word)} belongs to no flag; put the prompt after -q` : unknownFlag(word, name),
      )
      continue
    }
    const [key, flag] = found
    const value = flag.value === undefined ? '' : (inline ?? rest.shift())
    if (value === undefined) faults.push(`--${flag.name} needs ${flag.value}`)
    else if (key in written) faults.push(`--${flag.name} is given twice`)
    else written[key] = value
  }
  return { written, faults }
}

function findFlag(dashes: string, name: string): readonly [ChatFlagName, ChatFlag] | undefined {
  const rows = Object.entries(chatFlags) as [ChatFlagName, ChatFlag][]
  return rows.find(([, flag]) => (dashes === '--' ? flag.name === name : flag.short === name))
}

function unknownFlag(word: string, name: string): string {
  const near = suggestName(
    name,
    Object.values(chatFlags).map((flag) => flag.name),
  )
  return `${shorten(word)} is not known: ${near}`
}

function readNumber(name: ChatFlagName, written: Written, faults: string[]): number {
  const flag: ChatFlag = chatFlags[name]
  const text = written[name] ?? flag.byDefault ?? String(flag.least ?? 0)
  const isDuration = flag.value === 'DURATION'
  const value = isDuration ? parseDuration(text) : /^\d{1,15}$/.test(text) ? Number(text) : undefined
  if (value === undefined) {
    faults.push(
      `--${flag.name} must be ${isDuration ? 'a duration such as 30s' : 'a whole number'}, not ${shorten(text)}`,
    )
    return 0
  }
  if (value < (flag.least ?? 0) || value > (flag.most ?? Number.MAX_SAFE_INTEGER)) {
    faults.push(`--${flag.name} ${shorten(text)} is out of range`)
  }
  return value
}

/** The three belong together: a report without a run says nothing, a run without a report cannot speak. */
function readBoard(written: Written, fence: number, faults: string[]): BoardIdentity | undefined {
  const given = (['report', 'run', 'fence'] as const).filter((name) => written[name] !== undefined)
  if (given.length === 0) return undefined
  const { report, run } = written
  const id = run === undefined ? undefined : parseId('R', run)
  if (run !== undefined && id === undefined) faults.push(`--run ${shorten(run)} is no run such as R981`)
  if (given.length < 3) faults.push('--report, --run and --fence go together')
  if (report === undefined || id === undefined || written.fence === undefined) return undefined
  return { reportFile: report, run: runId(id), fence }
}

const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)
