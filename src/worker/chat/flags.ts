import { chatApis, chatSandboxes, reasoningWords } from '../../kernel/index.ts'

/** One flag of `yardmaster chat`: help and parser are both made of this row. */
export interface ChatFlag {
  readonly name: string
  readonly short?: string
  /** What stands after it; absent for a switch. */
  readonly value?: ChatFlagValue
  readonly means: string
  readonly byDefault?: string
  /** For numbers, amounts and durations (in milliseconds). */
  readonly least?: number
  readonly most?: number
  /** The only words that are taken. */
  readonly oneOf?: readonly string[]
  /** May be given more than once. */
  readonly repeats?: true
  /** Heading under which the help shows it. */
  readonly of: keyof typeof chatFlagHeadings
}

type ChatFlagValue =
  | 'TEXT'
  | 'FILE'
  | 'DIR'
  | 'NAME'
  | 'NAMES'
  | 'URL'
  | 'WORD'
  | 'NUMBER'
  | 'DECIMAL'
  | 'TOKENS'
  | 'USD'
  | 'DURATION'
  | 'NAME=VALUE'
  | 'R981'

export const chatFlagHeadings = {
  ask: 'What to do',
  model: 'Whom to ask',
  answer: 'How to answer',
  may: 'What it may do and take',
  watch: 'How long a provider may take (servers of your own network get five times that)',
  board: 'For workers of a board',
} as const

const aDayMs = 24 * 3_600_000
/** Each time is finite and at least this long: 0 would mean "at once" to one reader and "never" to another. */
const time = { value: 'DURATION', least: 1, most: aDayMs } as const
const mostTokens = 1_000_000_000_000

/** Numbers are those of worker-facts a.6, b.8 and c.11. */
export const chatFlags = {
  query: { name: 'query', short: 'q', value: 'TEXT', of: 'ask', means: 'the prompt; - reads it from stdin' },
  promptFile: {
    name: 'prompt-file',
    value: 'FILE',
    of: 'ask',
    means: 'a file that goes after the prompt, of any length',
  },
  system: { name: 'system', value: 'FILE', of: 'ask', means: 'system prompt instead of the built-in one' },
  continue: {
    name: 'continue',
    value: 'FILE',
    of: 'ask',
    means: 'go on from a transcript of before; the prompt is the next thing said',
  },
  cwd: { name: 'cwd', value: 'DIR', of: 'ask', means: 'work in this folder; the current one without it' },
  lane: {
    name: 'lane',
    value: 'NAME',
    of: 'model',
    means: 'take account, model and all else from this lane of the yard',
  },
  settings: { name: 'settings', value: 'FILE', of: 'model', means: 'take them from this file; flags win over it' },
  model: {
    name: 'model',
    value: 'NAME',
    of: 'model',
    repeats: true,
    means: 'model to ask; given again: the next, where one is not there or is overloaded',
  },
  baseUrl: {
    name: 'base-url',
    value: 'URL',
    of: 'model',
    means: 'OpenAI-compatible server, up to and with /v1',
    byDefault: 'https://api.openai.com/v1',
  },
  api: {
    name: 'api',
    value: 'WORD',
    of: 'model',
    oneOf: chatApis,
    means: 'which of its two interfaces',
    byDefault: 'chat_completions',
  },
  noKey: { name: 'no-key', of: 'model', means: 'the server needs no API key: none is sent' },
  header: {
    name: 'header',
    value: 'NAME=VALUE',
    of: 'model',
    repeats: true,
    means: 'sent with every call; no secrets',
  },
  temperature: {
    name: 'temperature',
    value: 'DECIMAL',
    of: 'model',
    least: 0,
    most: 2,
    means: 'how freely it answers',
  },
  reasoning: {
    name: 'reasoning',
    value: 'WORD',
    of: 'model',
    oneOf: reasoningWords,
    means: 'how long it thinks first, for models that do',
  },
  outputTokens: {
    name: 'output-tokens',
    value: 'TOKENS',
    of: 'model',
    least: 1,
    most: mostTokens,
    means: 'longest single reply, in tokens',
  },
  contextTokens: {
    name: 'context-tokens',
    value: 'TOKENS',
    of: 'model',
    least: 1_000,
    most: mostTokens,
    means: 'what the model can take; else 128k, until its server says otherwise',
  },
  json: { name: 'json', of: 'answer', means: 'one JSON object on stdout, however it ends' },
  outputSchema: {
    name: 'output-schema',
    value: 'FILE',
    of: 'answer',
    means: 'JSON Schema that the answer must fit; printed as JSON',
  },
  transcript: {
    name: 'transcript',
    value: 'FILE',
    of: 'answer',
    means: 'record every step here, masked; see --continue',
  },
  tools: {
    name: 'tools',
    value: 'NAMES',
    of: 'may',
    means: 'only these of terminal, process, read, write, patch, search; or none',
  },
  sandbox: {
    name: 'sandbox',
    value: 'WORD',
    of: 'may',
    oneOf: chatSandboxes,
    means: 'bwrap: commands see a read-only system; refused where that is not there',
    byDefault: 'none',
  },
  maxTurns: {
    name: 'max-turns',
    value: 'NUMBER',
    of: 'may',
    means: 'calls of the model at most, repeats not counted',
    byDefault: '90',
    least: 1,
    most: 10_000,
  },
  runTimeout: { name: 'run-timeout', ...time, of: 'may', means: 'how long all of it may take' },
  tokenBudget: {
    name: 'token-budget',
    value: 'TOKENS',
    of: 'may',
    least: 1,
    most: mostTokens,
    means: 'tokens for all calls together, cached input not counted',
    byDefault: '5M',
  },
  usdBudget: {
    name: 'usd-budget',
    value: 'USD',
    of: 'may',
    least: 0.000_001,
    most: 1_000_000,
    means: 'the same in USD, where prices are known (--lane, --settings)',
  },
  commandTimeout: {
    name: 'command-timeout',
    ...time,
    of: 'may',
    means: 'how long a command may run where the model says nothing',
    byDefault: '180s',
  },
  firstByteTimeout: {
    name: 'first-byte-timeout',
    ...time,
    of: 'watch',
    means: 'from sending a call to its headers',
    byDefault: '120s',
  },
  firstEventTimeout: {
    name: 'first-event-timeout',
    ...time,
    of: 'watch',
    means: 'from there to the first event',
    byDefault: '90s to 240s, by size',
  },
  idleTimeout: {
    name: 'idle-timeout',
    ...time,
    of: 'watch',
    means: 'between two events, comments not counted',
    byDefault: '180s to 300s, by size',
  },
  callTimeout: {
    name: 'call-timeout',
    ...time,
    of: 'watch',
    means: 'a whole call, whatever arrives; never longer than the run has left',
    byDefault: '15m',
  },
  retries: {
    name: 'retries',
    value: 'NUMBER',
    of: 'watch',
    means: 'repeats of a call that met a wall',
    byDefault: '2',
    least: 0,
    most: 20,
  },
  longestWait: {
    name: 'longest-wait',
    value: 'DURATION',
    of: 'watch',
    means: 'longest single wait for a provider; a longer hint ends the worker',
    byDefault: '30s',
    least: 0,
    most: aDayMs,
  },
  allWaits: {
    name: 'all-waits',
    value: 'DURATION',
    of: 'watch',
    means: 'all waits for the provider together',
    byDefault: '120s',
    least: 0,
    most: aDayMs,
  },
  report: { name: 'report', value: 'FILE', of: 'board', means: 'write the run report here' },
  run: { name: 'run', value: 'R981', of: 'board', means: 'the run it speaks for' },
  fence: { name: 'fence', value: 'NUMBER', of: 'board', means: "the run's fence", least: 0 },
  help: { name: 'help', short: 'h', of: 'ask', means: 'this text' },
} as const satisfies Readonly<Record<string, ChatFlag>>

export type ChatFlagName = keyof typeof chatFlags
