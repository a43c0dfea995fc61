import type { Clock } from '../../kernel/index.ts'
import { planLimits } from './call-limits.ts'
import { CallWatch } from './call-watch.ts'
import { chatCompletions } from './chat-completions.ts'
import { emptyHearing, hear } from './hear-stream.ts'
import { judgeCall } from './judge-call.ts'
import type { CallResult, Endpoint, ModelCall, SentRequest } from './model-call.ts'
import { emptyWireRecord, isRefusal } from './node-fetch.ts'
import { openStream } from './open-stream.ts'
import { learnQuirk } from './quirks.ts'
import { SentPrefixes } from './sent-prefix.ts'
import { type Quirk, textOfBody, type WireApi } from './wire-api.ts'

/**
 * One call of the model, streamed, without any retry. Never throws for what a provider, a network or a stop can do. The
 * SDK does not notice a stalled stream, an end without a finish reason, an abort in mid-stream or a JSON answer to a
 * stream request (worker-facts a.4): all of that is looked for here. A server that refuses a field which was ours alone
 * is asked again without it, once and at once.
 */
export async function callModel(deps: { readonly clock: Clock }, call: ModelCall, attempt = 1): Promise<CallResult> {
  const api = await apiOf(call.endpoint)
  const known = knownOf(call)
  for (;;) {
    const result = await callOnce(deps, call, { api, attempt, quirks: known.quirks })
    const learned = result.kind === 'fault' ? learnQuirk(result.fault, call, known.quirks) : undefined
    if (learned === undefined || call.signal.aborted) return result
    known.quirks = new Set([...known.quirks, learned])
  }
}

async function callOnce(
  { clock }: { readonly clock: Clock },
  call: ModelCall,
  how: { readonly api: WireApi; readonly attempt: number; readonly quirks: ReadonlySet<Quirk> },
): Promise<CallResult> {
  const cut = new AbortController()
  const stopWithCaller = () => cut.abort('cut')
  if (call.signal.aborted) stopWithCaller()
  call.signal.addEventListener('abort', stopWithCaller, { once: true })
  const limits = planLimits(call.limits, {
    contextTokens: call.contextTokens,
    baseUrl: call.endpoint.baseUrl,
    reasoning: call.settings.reasoning,
    runLeftMs: call.runLeftMs?.() ?? null,
  })
  const watch = new CallWatch({ clock }, { limits, cut: stopWithCaller })
  const record = emptyWireRecord()
  const hearing = emptyHearing(how.api.createReader(call.model))
  const body = how.api.compose(call, how.quirks)
  let sent: SentRequest = { bytes: 0, messages: call.messages.length, prefixSha256: '', messagesSha256: '' }
  const events = {
    onSent: () => {
      if (sent.bytes > 0) return // again, on a new connection
      sent = { ...sent, bytes: record.sentBytes, ...prefixesOf(call.endpoint).note(body) }
    },
    onHeaders: () => (isRefusal(record) ? watch.sawEnough('refusal') : watch.sawHeaders()),
  }
  const request = { path: how.api.path, body: textOfBody(body) }
  await hear(() => openStream(call.endpoint, request, { record, events, signal: cut.signal }), { hearing, watch })
  watch.stop()
  call.signal.removeEventListener('abort', stopWithCaller)
  stopWithCaller() // also ends a body that was not read to its end
  const outcome = judgeCall({ call, attempt: how.attempt, record, hearing, firedBy: watch.firedBy }, clock.nowMs())
  return { ...outcome, model: call.model, sent }
}

/** Of the two interfaces the one that is asked for; the other is not loaded. */
async function apiOf({ api }: Endpoint): Promise<WireApi> {
  return api === 'responses' ? (await import('./responses-api.ts')).responsesApi : chatCompletions
}

/** What is known of a server and model, as long as this process lives. */
const learned = new WeakMap<Endpoint, Map<string, { quirks: ReadonlySet<Quirk> }>>()

function knownOf({ endpoint, model }: ModelCall): { quirks: ReadonlySet<Quirk> } {
  const models = learned.get(endpoint) ?? new Map<string, { quirks: ReadonlySet<Quirk> }>()
  learned.set(endpoint, models)
  const known = models.get(model) ?? { quirks: new Set<Quirk>() }
  models.set(model, known)
  return known
}

const prefixes = new WeakMap<Endpoint, SentPrefixes>()

function prefixesOf(endpoint: Endpoint): SentPrefixes {
  const known = prefixes.get(endpoint) ?? new SentPrefixes()
  prefixes.set(endpoint, known)
  return known
}
