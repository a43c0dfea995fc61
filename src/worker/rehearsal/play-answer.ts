import type { ServerResponse } from 'node:http'
import { assertNever, type Clock, parseDuration } from '../../kernel/index.ts'
import type { Dialect } from './compose-reply.ts'
import type { Turn, WireFault } from './scenario-schema.ts'

export interface Performance {
  readonly id: string
  readonly model: string
  readonly script: Turn
  /** The interface that was asked. */
  readonly dialect: Dialect
  /** The request asked for a stream. */
  readonly stream: boolean
  /** Fires when the server stops or the caller has hung up. */
  readonly signal: AbortSignal
}

const dripEveryMs = 20

/** Sends a scripted turn as it should be. */
export async function playTurn({ clock }: { readonly clock: Clock }, response: ServerResponse, play: Performance) {
  if (!play.stream) return sendJson(response, 200, {}, JSON.stringify(play.dialect.whole(play, play.script)))
  openStream(response)
  await sendEvents({ clock }, response, play, play.dialect.steps(play, play.script))
  response.end(play.dialect.end)
}

/** Sends a fault instead of a turn, or in the middle of it. What hangs, hangs until the caller or the server gives up. */
export async function playFault(
  deps: { readonly clock: Clock },
  response: ServerResponse,
  play: Performance,
  fault: WireFault,
): Promise<void> {
  if (fault.kind === 'status') return sendStatus(response, fault)
  if (fault.kind === 'no_headers') return untilAborted(play.signal)
  if (fault.kind === 'json') return sendJson(response, 200, {}, JSON.stringify(play.dialect.whole(play, play.script)))
  openStream(response)
  if (fault.kind === 'empty') return void response.end()
  await sendEvents(deps, response, play, play.dialect.steps(play, play.script).slice(0, fault.after ?? 1))
  await spoil(deps, response, play, { kind: fault.kind, error: fault.error })
}

type InStream = Exclude<WireFault['kind'], 'status' | 'no_headers' | 'json' | 'empty'>

async function spoil(
  { clock }: { readonly clock: Clock },
  response: ServerResponse,
  { signal, dialect }: Performance,
  { kind, error }: { readonly kind: InStream; readonly error: WireFault['error'] | undefined },
): Promise<void> {
  switch (kind) {
    case 'stall':
      return untilAborted(signal)
    case 'drip':
      clock.every(dripEveryMs, signal, () => response.write(': keep-alive\n\n'))
      return untilAborted(signal)
    case 'cut':
      // The events before it have to arrive: `destroy` alone would drop what is not on the wire yet.
      return void response.write(':\n\n', () => response.destroy())
    case 'unfinished':
      return void response.end()
    case 'malformed':
      return void response.end('data: {"choices": [{\n\n')
    case 'error_event':
      return void response.end(eventText(dialect.error(error ?? { message: 'in mid-stream' })))
    default:
      return assertNever(kind)
  }
}

function sendStatus(response: ServerResponse, fault: WireFault): void {
  const { status = 500, retry_after, headers = {}, error, body } = fault
  const text = body ?? JSON.stringify({ error: error ?? usualError(status) })
  const hint = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
  const type = text.trimStart().startsWith('<') ? { 'content-type': 'text/html' } : {}
  sendJson(response, status, { ...type, ...hint, ...headers }, text)
}

/** What providers say with these statuses, so that a scenario can name the status alone. */
function usualError(status: number): object {
  const usual: Readonly<Record<number, object>> = {
    401: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    402: { message: 'Insufficient credits', type: 'billing_error', code: 'payment_required' },
    404: { message: 'The model does not exist', type: 'invalid_request_error', code: 'model_not_found' },
    429: { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' },
    503: { message: 'The server is overloaded', type: 'service_unavailable_error', code: 'server_is_overloaded' },
    529: { message: 'Overloaded', type: 'overloaded_error' },
  }
  return usual[status] ?? { message: `scripted answer ${status}`, type: status >= 500 ? 'server_error' : null }
}

function sendJson(response: ServerResponse, status: number, headers: Record<string, string>, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
}

async function sendEvents(
  { clock }: { readonly clock: Clock },
  response: ServerResponse,
  { script, signal }: Performance,
  steps: readonly (readonly unknown[])[],
): Promise<void> {
  const paceMs = script.pace === undefined ? 0 : (parseDuration(script.pace) ?? 0)
  for (const step of steps) {
    if (signal.aborted) return
    if (paceMs > 0) await clock.sleep(paceMs, signal).catch(() => {}) // hung up: the next look at the signal ends it
    response.write(step.map(eventText).join(''))
  }
}

const eventText = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
