import type { Turn } from './scenario-schema.ts'

export interface ReplyHead {
  readonly id: string
  readonly model: string
}

/** How an interface of a provider writes a scripted turn. */
export interface Dialect {
  /** The stream, step by step: what is in one step is sent together, and a fault falls between two. */
  steps(head: ReplyHead, turn: Turn): readonly (readonly unknown[])[]
  /** The same turn as one document, for a request that asks for no stream. */
  whole(head: ReplyHead, turn: Turn): unknown
  /** An error as an event of the stream. */
  error(told: object): unknown
  /** What a stream that went well ends with. */
  readonly end: string
}

/** Chat Completions. */
export const chatDialect: Dialect = {
  steps: (head, turn) => composeEvents(head, turn).map((event) => [event]),
  whole: composeWhole,
  error: (told) => ({ error: told }),
  end: 'data: [DONE]\n\n',
}

/** Characters of one text event: small enough that a short answer is several, so that a cut has somewhere to fall. */
const pieceChars = 12

function composeEvents({ id, model }: ReplyHead, turn: Turn): readonly unknown[] {
  const event = (delta: object, finish: string | null = null) => ({
    id,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const usage = usageOf(turn)
  return [
    event({ role: 'assistant', content: '' }),
    ...piecesOf(turn.think ?? '').map((piece) => event({ reasoning_content: piece })),
    ...piecesOf(turn.say ?? '').map((piece) => event({ content: piece })),
    ...piecesOf(turn.refuse ?? '').map((piece) => event({ refusal: piece })),
    ...scriptedCalls(id, turn).flatMap((call, index) => [
      event({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...piecesOf(call.arguments).map((piece) => event({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    event({}, finishOf(turn)),
    ...(usage === null ? [] : [{ id, object: 'chat.completion.chunk', created: 0, model, choices: [], usage }]),
  ]
}

function composeWhole({ id, model }: ReplyHead, turn: Turn): unknown {
  const calls = scriptedCalls(id, turn).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  const usage = usageOf(turn)
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: turn.say ?? null,
          refusal: turn.refuse ?? null,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: finishOf(turn),
      },
    ],
    ...(usage === null ? {} : { usage }),
  }
}

/** The calls of a turn, each with an id that the script alone decides. */
export function scriptedCalls(id: string, { call = [] }: Turn) {
  return call.map((asked, index) => ({
    id: `call_${id}_${index}`,
    name: asked.tool,
    arguments: typeof asked.with === 'string' ? asked.with : JSON.stringify(asked.with),
  }))
}

const finishOf = ({ finish, call }: Turn): string => finish ?? (call === undefined ? 'stop' : 'tool_calls')

/** Without numbers in the script: a made-up count that depends on the script alone, so that every playing is the same. */
export function scriptedUsage(turn: Turn) {
  if (turn.usage === 'none') return null
  const { input, cached = 0, output } = turn.usage ?? { input: 100, output: Math.ceil(JSON.stringify(turn).length / 4) }
  return { input, cached, output }
}

function usageOf(turn: Turn) {
  const usage = scriptedUsage(turn)
  if (usage === null) return null
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  }
}

/** A text in the pieces in which it is streamed. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text]
  const cut: string[] = []
  for (let at = 0; at < characters.length; at += pieceChars) cut.push(characters.slice(at, at + pieceChars).join(''))
  return cut
}
