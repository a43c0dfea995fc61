import { isLoopNote } from '../chat/loop-note.ts'
import { asCompletion } from './as-completion.ts'
import type { Play, Scenario, Turn, WireFault } from './scenario-schema.ts'

/** What the server needs of a request to know whose turn it is. */
export interface Asked {
  readonly model: string
  /** The bearer key, or null. */
  readonly key: string | null
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** Names of the tools that are offered. */
  readonly tools: readonly string[]
}

export type Answer =
  | { readonly kind: 'turn'; readonly play: number; readonly turn: number; readonly script: Turn }
  | {
      readonly kind: 'fault'
      readonly play: number
      readonly turn: number
      readonly script: Turn
      readonly fault: WireFault
    }
  | { readonly kind: 'refusal'; readonly fault: WireFault }

/** How often each turn was asked for, by `play.turn`. The only thing that a rehearsal remembers. */
export type CallCounts = Map<string, number>

/**
 * Whose turn it is: the first play whose texts the prompt holds, and of it the turn after as many as the model has
 * already had since the last word of the user; what the turn loop says by itself is none. A turn's faults are played before
 * its reply, in their order.
 */
export function chooseAnswer(scenario: Scenario, counts: CallCounts, asked: Asked): Answer {
  if (scenario.key !== undefined && asked.key !== scenario.key) {
    return refusal(401, 'invalid_api_key', 'Incorrect API key provided')
  }
  if (scenario.model !== undefined && asked.model !== scenario.model) {
    return refusal(404, 'model_not_found', `The model ${asked.model} does not exist`)
  }
  const index = scenario.plays.findIndex((play) => fits(play, asked))
  const play = scenario.plays[index]
  if (play === undefined) return refusal(400, 'no_play', 'rehearsal: no play fits this prompt')
  const turn = turnOf(play, turnsSinceUser(asked))
  const written = play.turns[turn]
  if (written === undefined) return refusal(400, 'no_turn', `rehearsal: play ${index + 1} has no turn ${turn + 1}`)
  const name = `${index}.${turn}`
  const call = counts.get(name) ?? 0
  counts.set(name, call + 1)
  const fault = faultAt(written.faults ?? [], call)
  const script = turn === play.turns.length - 1 ? asCompletion(written, asked.tools) : written
  return fault === undefined
    ? { kind: 'turn', play: index, turn, script }
    : { kind: 'fault', play: index, turn, script, fault }
}

/** Who stops silently says the same when it is asked to go on. */
function turnOf({ again, turns }: Play, asLong: number): number {
  if (again === true) return asLong % turns.length
  return turns.at(-1)?.silent === true ? Math.min(asLong, turns.length - 1) : asLong
}

function fits({ when }: Play, { messages }: Asked): boolean {
  if (when === undefined) return true
  const last = (role: string) =>
    messages.findLast((message) => message.role === role && !isLoopNote(message.text))?.text ?? ''
  const prompt = `${last('system')}\n${last('user')}`
  return [when].flat().every((text) => prompt.includes(text))
}

function turnsSinceUser({ messages }: Asked): number {
  const lastUser = messages.findLastIndex(({ role, text }) => role === 'user' && !isLoopNote(text))
  return messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant').length
}

function faultAt(faults: readonly WireFault[], call: number): WireFault | undefined {
  let before = 0
  for (const fault of faults) {
    if (fault.times === 'always') return fault
    before += fault.times ?? 1
    if (call < before) return fault
  }
  return undefined
}

function refusal(status: number, code: string, message: string): Answer {
  return { kind: 'refusal', fault: { kind: 'status', status, error: { message, type: 'invalid_request_error', code } } }
}
