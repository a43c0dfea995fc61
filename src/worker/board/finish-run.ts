import type { RunClient } from '../../api/client/index.ts'
import type { RunAnswerView } from '../../api/contract/index.ts'
import { assertNever, type Redactor, YardError } from '../../kernel/index.ts'
import type { FinishAnswer, FinishCall } from './board-link.ts'
import type { BoardState } from './board-state.ts'
import { isOver } from './follow-board.ts'
import { type HubLine, hubRetryMs, isStrange } from './hub-line.ts'
import { maskData } from './mask-data.ts'

interface Deps {
  readonly line: HubLine
  readonly state: BoardState
  readonly redact: Redactor
}

/** As the hub takes them. */
const longestText = 65_536
/** Kept of the run's own time, so that its report is written before it is ended. */
const reserveMs = 5_000
/** The hub stores the artifacts before it answers. */
const answerWithinMs = 110_000

/**
 * Says how the run ends. A hub that cannot be reached is tried for 120 s, or as long as the run has time; then the end stands as
 * `board_unreachable`, and the report has to tell it. The same call may arrive twice: the hub takes the second for the first.
 */
export async function finishRun(
  { line, state, redact }: Deps,
  { call, timeLeftMs }: { readonly call: FinishCall; readonly timeLeftMs: number },
): Promise<FinishAnswer> {
  const text = call.call === 'complete' ? call.result : call.text
  const ended = (delivery: 'acknowledged' | 'board_unreachable'): FinishAnswer => {
    const data = delivery === 'board_unreachable' && call.call === 'complete' ? call.data : undefined
    return { kind: 'ended', end: { call: call.call, text, ...(data === undefined ? {} : { data }), delivery } }
  }
  const retryForMs = Math.max(0, Math.min(hubRetryMs, timeLeftMs - reserveMs))
  const send = (client: RunClient, signal: AbortSignal) => sendCall(client, masked(redact, call), signal)
  try {
    await line.ask({ retryForMs, answerWithinMs }, send)
    return ended('acknowledged')
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    if (isOver(fault)) {
      state.end({ kind: 'over', text: fault.message })
      return { kind: 'over', says: fault.message }
    }
    if (fault.code === 'API_RUN_STOPPING') {
      state.end({ kind: 'stop', text: fault.message })
      return { kind: 'over', says: fault.message }
    }
    if (fault.code === 'API_RUN_HAS_CALLED') {
      return (await hasCalled(line, call)) ? ended('acknowledged') : { kind: 'over', says: fault.message }
    }
    const isRefusal = fault.status < 500 && !fault.code.startsWith('CLIENT_') && !isStrange(fault)
    return isRefusal ? { kind: 'refused', says: `${fault.message}. Fix: ${fault.fix}` } : ended('board_unreachable')
  }
}

/** Whether the word that stands there is of the same kind: then it is ours, and its answer was lost. */
async function hasCalled(line: HubLine, { call }: FinishCall): Promise<boolean> {
  const own = await line
    .ask({ retryForMs: 0 }, (client, signal) => client.show(undefined, signal))
    .catch(() => undefined)
  return own?.call === call
}

function masked(redact: Redactor, call: FinishCall): FinishCall {
  const text = (said: string) => cut(redact(said))
  const data = 'data' in call && call.data !== undefined ? { data: maskData(redact, call.data) } : {}
  switch (call.call) {
    case 'complete':
      return { ...call, result: text(call.result), ...data }
    case 'block':
    case 'review':
      return { ...call, text: text(call.text), ...data }
    case 'wait':
      return { ...call, text: text(call.text) }
    default:
      return assertNever(call)
  }
}

function cut(text: string): string {
  if (text.length <= longestText) return text
  const note = `\n[${text.length - longestText} more characters were left out here]`
  return `${text.slice(0, longestText - 64)}${note}`
}

function sendCall(client: RunClient, call: FinishCall, signal: AbortSignal): Promise<RunAnswerView> {
  switch (call.call) {
    case 'complete': {
      const { result, data, artifacts, created } = call
      return client.complete(
        {
          result,
          ...(data === undefined ? {} : { data }),
          ...(artifacts === undefined ? {} : { artifacts: [...artifacts] }),
          ...(created === undefined ? {} : { created: [...created] }),
        },
        signal,
      )
    }
    case 'block': {
      const { text, code, data } = call
      return client.block({ text, code, ...(data === undefined ? {} : { data }) }, signal)
    }
    case 'review': {
      const { text, data } = call
      return client.review({ text, ...(data === undefined ? {} : { data }) }, signal)
    }
    case 'wait': {
      const { task, text } = call
      return client.wait({ task, ...(text === '' ? {} : { text }) }, signal)
    }
    default:
      return assertNever(call)
  }
}
