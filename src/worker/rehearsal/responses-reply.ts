import { type Dialect, piecesOf, type ReplyHead, scriptedCalls, scriptedUsage } from './compose-reply.ts'
import type { Turn } from './scenario-schema.ts'

/** A scripted turn in the words of the Responses API, so that the same plays run on both interfaces. */
export const responsesDialect: Dialect = { steps, whole, error, end: '' }

/** An entry of the output, and the events that carry its content piece by piece. */
interface Entry {
  readonly begun: object
  readonly pieces: readonly object[]
  readonly done: object
}

function steps(head: ReplyHead, turn: Turn): readonly (readonly unknown[])[] {
  const opening = { type: 'response.created', response: { ...responseHead(head), status: 'in_progress', output: [] } }
  const entries = entriesOf(head, turn).flatMap(({ begun, pieces, done }, place) => {
    const at = { output_index: place }
    const events = pieces.map((piece) => ({ ...at, ...piece }))
    const added = { type: 'response.output_item.added', ...at, item: begun }
    const ended = { type: 'response.output_item.done', ...at, item: done }
    // As many steps as pieces, so that a fault falls where it does in the other interface.
    if (events.length === 0) return [[added, ended]]
    return events.map((event, n) => [...(n === 0 ? [added] : []), event, ...(n === events.length - 1 ? [ended] : [])])
  })
  const response = whole(head, turn)
  return [[opening], ...entries, [{ type: `response.${response.status}`, response }]]
}

function whole(head: ReplyHead, turn: Turn) {
  const finish = turn.finish ?? 'stop'
  const cutBy: Readonly<Record<string, string>> = { stop: '', tool_calls: '', length: 'max_output_tokens' }
  const reason = cutBy[finish] ?? finish
  const usage = scriptedUsage(turn)
  return {
    ...responseHead(head),
    status: reason === '' ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === '' ? null : { reason },
    output: entriesOf(head, turn).map(({ done }) => done),
    ...(usage === null
      ? {}
      : {
          usage: {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached },
            output_tokens: usage.output,
            total_tokens: usage.input + usage.output,
          },
        }),
  }
}

function error(told: object) {
  return { type: 'response.failed', response: { object: 'response', status: 'failed', error: told } }
}

const responseHead = ({ id, model }: ReplyHead) => ({ id, object: 'response', created_at: 0, model })

function entriesOf(head: ReplyHead, turn: Turn): readonly Entry[] {
  const reasoning = turn.think === undefined ? [] : [reasoningEntry(head, turn.think)]
  const said = turn.say === undefined && turn.refuse === undefined ? [] : [messageEntry(head, turn)]
  const calls = scriptedCalls(head.id, turn).map(({ id, name, arguments: text }, place) => {
    const entry = { type: 'function_call', id: `fc_${head.id}_${place}`, call_id: id, name }
    return {
      begun: { ...entry, arguments: '', status: 'in_progress' },
      pieces: ['', ...piecesOf(text)].map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      done: { ...entry, arguments: text, status: 'completed' },
    }
  })
  return [...reasoning, ...said, ...calls]
}

/** Sealed, as it is where nothing is kept on the server: whoever wants it to be known again sends it back. */
function reasoningEntry({ id }: ReplyHead, text: string): Entry {
  const entry = { type: 'reasoning', id: `rs_${id}` }
  return {
    begun: { ...entry, summary: [] },
    pieces: piecesOf(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', delta })),
    done: {
      ...entry,
      summary: [{ type: 'summary_text', text }],
      encrypted_content: Buffer.from(text).toString('base64'),
      status: null,
    },
  }
}

function messageEntry({ id }: ReplyHead, { say = '', refuse = '' }: Turn): Entry {
  const entry = { type: 'message', id: `msg_${id}`, role: 'assistant' }
  const text = say === '' ? [] : [{ type: 'output_text', text: say, annotations: [] }]
  const refusal = refuse === '' ? [] : [{ type: 'refusal', refusal: refuse }]
  return {
    begun: { ...entry, content: [], status: 'in_progress' },
    pieces: [
      ...piecesOf(say).map((delta) => ({ type: 'response.output_text.delta', delta })),
      ...piecesOf(refuse).map((delta) => ({ type: 'response.refusal.delta', delta })),
    ],
    done: { ...entry, content: [...text, ...refusal], status: 'completed' },
  }
}
