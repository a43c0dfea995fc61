import type { Turn } from './scenario-schema.ts'

interface ReplyHead {
  readonly id: string
  readonly model: string
}

/** Characters of one text event: small enough that a short answer is several, so that a cut has somewhere to fall. */
const pieceChars = 12

/** The events of a scripted turn, in the shape of streamed Chat Completions. */
export function composeEvents({ id, model }: ReplyHead, turn: Turn): readonly unknown[] {
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
    ...pieces(turn.think ?? '').map((piece) => event({ reasoning_content: piece })),
    ...pieces(turn.say ?? '').map((piece) => event({ content: piece })),
    ...pieces(turn.refuse ?? '').map((piece) => event({ refusal: piece })),
    ...toolCalls(id, turn).flatMap(({ index, call }) => [
      event({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...pieces(call.arguments).map((piece) => event({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    event({}, finishOf(turn)),
    ...(usage === null ? [] : [{ id, object: 'chat.completion.chunk', created: 0, model, choices: [], usage }]),
  ]
}

/** The same turn as one document, for a request that asks for no stream. */
export function composeWhole({ id, model }: ReplyHead, turn: Turn): unknown {
  const calls = toolCalls(id, turn).map(({ call }) => ({
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

function toolCalls(id: string, { call = [] }: Turn) {
  return call.map((asked, index) => ({
    index,
    call: {
      id: `call_${id}_${index}`,
      name: asked.tool,
      arguments: typeof asked.with === 'string' ? asked.with : JSON.stringify(asked.with),
    },
  }))
}

const finishOf = ({ finish, call }: Turn): string => finish ?? (call === undefined ? 'stop' : 'tool_calls')

/** Without numbers in the script: a made-up count that depends on the script alone, so that every playing is the same. */
function usageOf(turn: Turn) {
  if (turn.usage === 'none') return null
  const { input, cached = 0, output } = turn.usage ?? { input: 100, output: Math.ceil(JSON.stringify(turn).length / 4) }
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
}

function pieces(text: string): readonly string[] {
  const characters = [...text]
  const cut: string[] = []
  for (let at = 0; at < characters.length; at += pieceChars) cut.push(characters.slice(at, at + pieceChars).join(''))
  return cut
}
