import type { CallCut } from './call-watch.ts'
import { classify } from './faults/classify.ts'
import type { CallEvidence } from './faults/evidence.ts'
import type { Hearing } from './hear-stream.ts'
import type { CallResult, ModelCall } from './model-call.ts'
import { isRefusal, type WireRecord, wireBodyText } from './node-fetch.ts'
import type { ModelReply } from './reply.ts'

type Outcome = CallResult extends infer Result
  ? Result extends CallResult
    ? Omit<Result, 'sent' | 'model'>
    : never
  : never

interface EndedCall {
  readonly call: ModelCall
  readonly attempt: number
  readonly record: WireRecord
  readonly hearing: Hearing
  readonly firedBy: CallCut | null
}

/** What an ended call was: a whole reply, or a fault with everything that tells what it means. */
export function judgeCall(ended: EndedCall, nowMs: number): Outcome {
  const { call, record, hearing } = ended
  const cutBy = ownFlag(ended)
  const reply = cutBy === null ? readReply(ended) : undefined
  if (reply !== undefined) return { kind: 'reply', reply }
  const evidence: CallEvidence = {
    cutBy,
    phase: phaseOf(ended),
    status: record.status,
    headers: record.headers,
    body: errorBody(ended),
    cause: hearing.cause,
    baseUrl: call.endpoint.baseUrl,
    attempt: ended.attempt,
    conversation: {
      tokens: call.contextTokens,
      messages: call.messages.length,
      windowTokens: call.windowTokens ?? null,
    },
    lastRunReason: call.lastRunReason ?? null,
  }
  return { kind: 'fault', fault: classify(evidence, nowMs), partialText: hearing.reader.text }
}

/** Our own doing goes before anything that was heard; a stop goes before a watchdog, and a refusal is one without its words. */
function ownFlag({ call, record, firedBy }: EndedCall): CallEvidence['cutBy'] {
  if (!call.signal.aborted) return isRefusal(record) ? null : firedBy
  const { reason } = call.signal
  return reason === 'run' || reason === 'budget' ? reason : 'interrupted'
}

function readReply({ record, hearing }: EndedCall): ModelReply | undefined {
  if (hearing.inBandError !== null) return undefined
  // With its finish reason a reply is whole, and what happens to the connection after that takes nothing from it.
  if (hearing.events > 0) return hearing.reader.build()
  if (hearing.cause !== undefined || record.status === null || isRefusal(record)) return undefined
  try {
    return hearing.reader.readWhole(JSON.parse(wireBodyText(record).replace(/^\ufeff/, '')))
  } catch {
    return undefined // not even JSON: the classifier gets the raw body
  }
}

function phaseOf({ record, hearing }: EndedCall): CallEvidence['phase'] {
  if (record.status === null) return record.sentBytes === 0 ? 'connect' : 'headers'
  if (hearing.events === 0) return 'body'
  return hearing.spoke === 'yes' ? 'after-output' : 'stream'
}

/** The text that says what went wrong, or null where only the cause and the phase are known. */
function errorBody({ record, hearing, firedBy }: EndedCall): string | null {
  if (hearing.inBandError !== null) return hearing.inBandError
  if (record.status === null) return null
  if (isRefusal(record)) return wireBodyText(record)
  // In a 200: no event at all means that the body is something else; cut or malformed, the cause says more.
  return hearing.events === 0 && hearing.cause === undefined && firedBy === null ? wireBodyText(record) : null
}
