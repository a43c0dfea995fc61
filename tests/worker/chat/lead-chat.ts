import { systemClock, systemRandom } from '../../../src/kernel/index.ts'
import type { BoardEnd, BoardLink, BoardNews } from '../../../src/worker/board/board-link.ts'
import { type ChatEnd, type ChatProgress, noProgress } from '../../../src/worker/chat/chat-end.ts'
import type { ChatInput, LoopOptions } from '../../../src/worker/chat/chat-input.ts'
import { runChat } from '../../../src/worker/chat/run-chat.ts'
import { parseScenario, type RecordedCall, startRehearsalServer } from '../../../src/worker/index.ts'
import type { TranscriptLine } from '../../../src/worker/record/transcript.ts'
import type { Tool, ToolArguments, ToolOrder, ToolResult } from '../../../src/worker/tools/tool.ts'

/** A tool of the test's own: `run` is told of each call. */
export function tool(
  name: string,
  effect: Tool['effect'],
  run: (args: ToolArguments, order: ToolOrder) => ToolResult | Promise<ToolResult>,
  fields: Tool['fields'] = [{ name: 'n', type: 'json', means: 'anything', required: false }],
): Tool {
  return { name, effect, means: name, fields, run: async (args, order) => run(args, order) }
}

export const ok = (text: string, rest: Partial<ToolResult> = {}): ToolResult => ({
  text,
  summary: 'ran',
  outcome: 'ok',
  ...rest,
})
export const bad = (text: string, rest: Partial<ToolResult> = {}): ToolResult =>
  ok(text, { outcome: 'failed', ...rest })

/** Says how the run ends, as the board's own tools do. */
export const ending = (
  call: 'complete' | 'block' | 'review',
  delivery: 'acknowledged' | 'board_unreachable' = 'acknowledged',
) =>
  tool(
    call,
    'writes',
    ({ result, text, data }) => ok('heard', { ends: { call, text: String(result ?? text), data, delivery } }),
    [
      { name: 'result', type: 'string', means: 'what', required: false },
      { name: 'data', type: 'json', means: 'what', required: false },
      { name: 'text', type: 'string', means: 'what', required: false },
    ],
  )

/** A board at hand: news, stops and lost claims come when the test says so. */
export class BoardAtHand implements BoardLink {
  progressed = 0
  readonly #ended = new AbortController()
  #end: BoardEnd | undefined
  #news: BoardNews[] = []
  #listener: () => void = () => {}

  say(text: string): void {
    this.#news.push({ by: 'ann', at: '2026-01-02T03:04:05Z', text })
    this.#listener()
  }
  endBy(end: BoardEnd): void {
    this.#end = end
    this.#ended.abort()
  }
  takeNews(): readonly BoardNews[] {
    return this.#news.splice(0)
  }
  onNews(_: AbortSignal, listener: () => void): void {
    this.#listener = listener
  }
  get ended(): AbortSignal {
    return this.#ended.signal
  }
  endedBy(): BoardEnd | undefined {
    return this.#end
  }
  noteProgress(): void {
    this.progressed += 1
  }
  async finish(): Promise<never> {
    throw new Error('the tools of this test end the run themselves')
  }
}

/** What a conversation was, and how it ended. */
export interface Led {
  readonly end: ChatEnd
  readonly progress: ChatProgress
  readonly calls: readonly RecordedCall[]
  readonly lines: readonly TranscriptLine[]
  /** What was sent last, each message as it went over the wire. */
  readonly messages: readonly Sent[]
}

export interface Sent {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly unknown[]
  readonly tool_call_id?: string
}

export interface HowLed extends Partial<Omit<ChatInput, 'options'>> {
  readonly options?: Partial<LoopOptions>
  readonly onCall?: (call: RecordedCall) => void
}

/** Leads a conversation with a provider that plays this scenario (YAML), on a real socket. */
export async function lead(script: string, how: HowLed = {}): Promise<Led> {
  const parsed = parseScenario(script, 'scenario.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const calls: RecordedCall[] = []
  const onCall = (call: RecordedCall) => {
    calls.push(call)
    how.onCall?.(call)
  }
  const server = await startRehearsalServer({ scenario: parsed.scenario, port: 0, onCall })
  try {
    return { ...(await leadAt(server.baseUrl, how)), calls, messages: messagesOf(calls.at(-1)?.body) }
  } finally {
    await server.stop()
  }
}

/** The same with a provider of the test's own. */
export async function leadAt(
  baseUrl: string,
  { options, onCall: _, ...how }: HowLed = {},
): Promise<Pick<Led, 'end' | 'progress' | 'lines'>> {
  const progress = noProgress()
  const lines: TranscriptLine[] = []
  const end = await runChat(
    {
      clock: systemClock,
      random: systemRandom,
      log: () => {},
      transcript: { write: (line) => void lines.push(line) },
      redact: (text) => text.replaceAll('canary', '[secret]'),
      maskKnown: (text) => text.replaceAll('canary', '[secret]'),
    },
    {
      endpoint: { baseUrl, apiKey: 'k', api: 'chat_completions', headers: {} },
      system: 'You work.',
      prompt: 'do it',
      tools: [],
      startedMs: systemClock.monotonicMs(),
      signal: new AbortController().signal,
      progress,
      ...how,
      options: {
        models: ['m'],
        maxTurns: 90,
        limits: {},
        retry: { retries: 0, longestWaitMs: 0, allWaitsMs: 0 },
        settings: { temperature: null, reasoning: null, maxOutputTokens: null },
        contextTokens: null,
        runMs: null,
        budget: { tokens: null, usd: null },
        prices: {},
        ...options,
      },
    },
  )
  return { end, progress, lines }
}

export const messagesOf = (body: unknown): readonly Sent[] =>
  (body as { messages?: Sent[] } | undefined)?.messages ?? []
