import { describeDuration } from '../../kernel/index.ts'
import type { Replay } from '../../main.ts'
import type { CliDeps } from '../command.ts'
import { costWords } from '../render/cost-words.ts'
import { labelled } from '../render/labelled.ts'
import { clockTime } from '../render/times.ts'
import { onManyLines, onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'

interface ReplayLook {
  /** What is shown: an attempt, or a file. */
  readonly title: string
  /** Only this one, uncut. */
  readonly turn: number | undefined
  readonly paint: CliDeps['paint']
  readonly nowMs: number
}

type Event = Replay['turns'][number]['events'][number]
type Message = Extract<Event, { readonly kind: 'message' }>['message']

/** Of one text, where all turns are shown; the rest is one `--turn` away. */
const mostLines = 12
const longestLineChars = 400

/** A run turn by turn: what was asked and said, which tools were called and what they answered, what the loop decided. */
export function replayLines(replay: Replay, look: ReplayLook): readonly string[] {
  const { turn } = look
  const shown = turn === undefined ? replay.turns : replay.turns.filter((one) => one.turn === turn)
  return [
    ...headLines(replay, look),
    ...shown.flatMap(({ turn, events }) => [
      '',
      turnHeading(turn, events, look),
      ...events.flatMap((event) => eventLines(event, look, toolsOf(events))),
    ]),
    '',
    ...endLines(replay, look),
  ]
}

function headLines({ start, turns, runsInFile }: Replay, { title, paint, nowMs }: ReplayLook): readonly string[] {
  const when = start === null ? [] : [`model ${onOneLine(start.model)}`, `begun ${clockTime(start.at, nowMs)}`]
  const asked = turns.filter(({ turn }) => turn > 0).length
  const earlier = runsInFile > 1 ? [`the last of ${runsInFile} runs in this file`] : []
  return [
    `${paint.bold(title)} · ${[...when, count(asked, 'turn'), ...earlier].join(' · ')}`,
    ...labelled({ paint }, 'tools', start === null ? undefined : start.tools.map(onOneLine).join(', ') || 'none'),
  ]
}

/** Which tool a result is of, where its turn called several. */
function toolsOf(events: readonly Event[]): ReadonlyMap<string, string> {
  const calls = events.flatMap((event) =>
    event.kind === 'message' && event.message.role === 'assistant' ? event.message.toolCalls : [],
  )
  return new Map(calls.length < 2 ? [] : calls.map(({ id, name }) => [id, name]))
}

function turnHeading(turn: number, events: readonly Event[], { paint }: ReplayLook): string {
  const call = events.find((event) => event.kind === 'call')
  const facts = call === undefined ? '' : `  ${callWords(call)}`
  return `${paint.cyan(turn === 0 ? 'before the first turn' : `turn ${turn}`)}${paint.dim(facts)}`
}

function callWords({ finish, tookMs, usage, costUsd }: Extract<Event, { readonly kind: 'call' }>): string {
  const tokens =
    usage === null
      ? 'tokens unknown'
      : `${usage.inputTokens} tokens in (${usage.cachedTokens} cached), ${usage.outputTokens} out`
  return [onOneLine(finish), `after ${describeDuration(tookMs)}`, tokens, costWords(costUsd) ?? 'cost unknown'].join(
    ' · ',
  )
}

function eventLines(event: Event, look: ReplayLook, toolOf: ReadonlyMap<string, string>): readonly string[] {
  const { paint } = look
  switch (event.kind) {
    case 'message':
      return messageLines(event.message, look, toolOf)
    case 'call':
      return [] // its heading says it
    case 'fault': {
      const then = event.waitMs === null ? '' : `; the same call again after ${describeDuration(event.waitMs)}`
      return labelled(look, 'fault', paint.yellow(onOneLine(event.says) + then))
    }
    case 'compacted':
      return labelled(
        look,
        'smaller',
        `the conversation went from ${event.before} to ${event.after} messages; from here on:`,
      )
    case 'note':
      return labelled(look, 'note', paint.yellow(onOneLine(event.says)))
  }
}

function messageLines(message: Message, look: ReplayLook, toolOf: ReadonlyMap<string, string>): readonly string[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return labelled(look, message.role, textLines(message.text, look))
    case 'assistant':
      return [
        ...labelled(look, 'says', message.text.trim() === '' ? undefined : textLines(message.text, look)),
        ...message.toolCalls.flatMap(({ name, argumentsText }) =>
          labelled(look, 'calls', [look.paint.bold(onOneLine(name)), ...argumentLines(argumentsText, look)]),
        ),
      ]
    case 'tool': {
      const of = toolOf.get(message.callId)
      const lines = textLines(message.text, look).map(look.paint.dim)
      return labelled(look, 'result', of === undefined ? lines : [look.paint.bold(onOneLine(of)), ...lines])
    }
  }
}

/** `command: npm test`; arguments that are no JSON are shown as they came. */
function argumentLines(text: string, look: ReplayLook): readonly string[] {
  let args: unknown
  try {
    args = JSON.parse(text)
  } catch {
    return textLines(text, look) // as the model wrote them
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return textLines(text, look)
  return Object.entries(args).flatMap(([name, value]) => {
    const [first = '', ...rest] = textLines(typeof value === 'string' ? value : JSON.stringify(value), look)
    return [`${onOneLine(name)}: ${first}`, ...rest]
  })
}

function textLines(text: string, { turn }: ReplayLook): readonly string[] {
  const lines = onManyLines(text.trimEnd()).split('\n')
  if (turn !== undefined) return lines
  const cut = lines
    .slice(0, mostLines)
    .map((line) => (line.length > longestLineChars ? `${line.slice(0, longestLineChars)}…` : line))
  return lines.length <= mostLines
    ? cut
    : [...cut, `… ${count(lines.length - mostLines, 'more line')} (--turn N shows all)`]
}

function endLines({ end, damage }: Replay, { paint, nowMs }: ReplayLook): readonly string[] {
  const how =
    end === null
      ? []
      : [
          `${paint.bold('end')}  ${onOneLine(end.status)}${end.reason === null ? '' : ` (${onOneLine(end.reason)})`}, exit ${end.code}, ${clockTime(end.at, nowMs)}`,
        ]
  return [...how, ...(damage === null ? [] : [paint.yellow(`The record ends here: ${onOneLine(damage)}.`)])]
}
