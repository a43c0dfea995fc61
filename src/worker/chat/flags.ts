/** One flag of `yardmaster chat`: help and parser are both made of this row. */
export interface ChatFlag {
  readonly name: string
  readonly short?: string
  /** What stands after it; absent for a switch. */
  readonly value?: 'TEXT' | 'FILE' | 'NAME' | 'URL' | 'NUMBER' | 'DURATION' | 'R981'
  readonly means: string
  readonly byDefault?: string
  /** For numbers and durations (in milliseconds). */
  readonly least?: number
  readonly most?: number
}

const aDayMs = 24 * 3_600_000

/** Numbers are those of worker-facts a.6, b.8 and c.11. */
export const chatFlags = {
  query: { name: 'query', short: 'q', value: 'TEXT', means: 'the prompt' },
  promptFile: { name: 'prompt-file', value: 'FILE', means: 'a file that goes after the prompt, of any length' },
  model: { name: 'model', value: 'NAME', means: 'model to ask' },
  baseUrl: {
    name: 'base-url',
    value: 'URL',
    means: 'OpenAI-compatible server, up to and with /v1',
    byDefault: 'https://api.openai.com/v1',
  },
  noKey: { name: 'no-key', means: 'the server needs no API key' },
  system: { name: 'system', value: 'FILE', means: 'system prompt instead of the built-in one' },
  report: { name: 'report', value: 'FILE', means: 'board worker: write the run report here' },
  run: { name: 'run', value: 'R981', means: 'board worker: the run it speaks for' },
  fence: { name: 'fence', value: 'NUMBER', means: "board worker: the run's fence", least: 0 },
  maxTurns: {
    name: 'max-turns',
    value: 'NUMBER',
    means: 'calls of the model at most, repeats not counted',
    byDefault: '90',
    least: 1,
    most: 10_000,
  },
  commandTimeout: {
    name: 'command-timeout',
    value: 'DURATION',
    means: 'how long a command may run where the model says nothing',
    byDefault: '180s',
    least: 1,
    most: aDayMs,
  },
  firstByteTimeout: {
    name: 'first-byte-timeout',
    value: 'DURATION',
    means: 'from sending a call to its headers',
    byDefault: '120s',
    least: 1,
    most: aDayMs,
  },
  idleTimeout: {
    name: 'idle-timeout',
    value: 'DURATION',
    means: 'between two events of the model; comments do not count',
    byDefault: '180s',
    least: 1,
    most: aDayMs,
  },
  callTimeout: {
    name: 'call-timeout',
    value: 'DURATION',
    means: 'a whole call, whatever arrives',
    byDefault: '15m',
    least: 1,
    most: aDayMs,
  },
  retries: {
    name: 'retries',
    value: 'NUMBER',
    means: 'repeats of a call that met a wall',
    byDefault: '2',
    least: 0,
    most: 20,
  },
  longestWait: {
    name: 'longest-wait',
    value: 'DURATION',
    means: 'longest single wait for a provider; a longer hint ends the worker',
    byDefault: '30s',
    least: 0,
    most: aDayMs,
  },
  allWaits: {
    name: 'all-waits',
    value: 'DURATION',
    means: 'all waits for the provider together',
    byDefault: '120s',
    least: 0,
    most: aDayMs,
  },
  help: { name: 'help', short: 'h', means: 'this text' },
} as const satisfies Readonly<Record<string, ChatFlag>>

export type ChatFlagName = keyof typeof chatFlags

/** `yardmaster chat --help`. */
export function chatHelp(): string {
  const rows = Object.values<ChatFlag>(chatFlags).map((flag) => {
    const written = `${flag.short === undefined ? '    ' : `-${flag.short}, `}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`
    const byDefault = flag.byDefault === undefined ? '' : ` (${flag.byDefault})`
    return `  ${written.padEnd(34)}${flag.means}${byDefault}`
  })
  return `${[
    'yardmaster chat -q TEXT --model NAME [flags]',
    '',
    'One task, worked on in the current folder to its end. The answer goes to stdout, the log to stderr.',
    'The key comes from YARDMASTER_API_KEY, or OPENAI_API_KEY; the server also from OPENAI_BASE_URL.',
    '',
    ...rows,
    '',
    'Exit: 0 done · 1 failed or not finished · 75 try later (board workers only) · 130 interrupted',
  ].join('\n')}\n`
}
