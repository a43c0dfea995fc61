import http from 'node:http'
import { LastEvent } from './last-event.ts'
import { LightHeaders, LightResponse } from './light-web.ts'

/** What a call left behind on the wire, kept beside the SDK because the SDK loses most of it (worker-facts a.4). */
export interface WireRecord {
  /** Bytes of the request; 0 until all of it had left. */
  sentBytes: number
  /** Null until headers came. */
  status: number | null
  headers: Readonly<Record<string, string>>
  /** The first bytes of the body. */
  body: Uint8Array[]
  bodyBytes: number
}

export const emptyWireRecord = (): WireRecord => ({ sentBytes: 0, status: null, headers: {}, body: [], bodyBytes: 0 })
export const wireBodyText = (record: WireRecord): string => Buffer.concat(record.body).toString('utf8')

/** Anything but a 2xx. */
export const isRefusal = ({ status }: WireRecord): boolean => status !== null && (status < 200 || status >= 300)

/** A refusal's body is read up to here; a whole answer that came instead of a stream may be larger. */
const keptRefusalBytes = 64 * 1024
const keptAnswerBytes = 4 * 1024 * 1024
/**
 * Nothing is that long: what goes on is taken for broken before it fills the memory. A reply of 128,000 tokens takes 40 MB
 * as a stream, an event to each token; what is held at once is a line of it, or a whole document.
 */
const mostStreamBytes = 512 * 1024 * 1024
const mostHeldBytes = 16 * 1024 * 1024

interface FetchInit {
  readonly method?: string
  readonly headers?: Iterable<readonly [string, string]>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Told of what happens on the wire, as it happens. */
export interface WireEvents {
  /** The whole request has left. */
  readonly onSent: () => void
  readonly onHeaders: () => void
}

/**
 * `fetch` for the SDK, made of node:http(s). One request, no redirects (the key would go along), no proxies. Everything
 * that is heard goes into `record`.
 */
export function createNodeFetch(record: WireRecord, events: WireEvents) {
  return async (url: string, init: FetchInit = {}): Promise<LightResponse> => {
    const target = new URL(url)
    // TLS costs a worker more than a millisecond to load: not where the server is on this machine.
    const { request: ask } = target.protocol === 'https:' ? await import('node:https') : http
    const send = () => sendOnce(ask, { target, init, record, events })
    try {
      return await send()
    } catch (fault) {
      // A connection kept from the call before, which the server closed just now: it has not seen this request.
      if (!(fault instanceof StaleConnection) || init.signal?.aborted === true) throw fault
      record.sentBytes = 0
      return await send().catch((second: unknown) => {
        throw second instanceof StaleConnection ? second.cause : second
      })
    }
  }
}

class StaleConnection extends Error {}

interface Sending {
  readonly target: URL
  readonly init: FetchInit
  readonly record: WireRecord
  readonly events: WireEvents
}

function sendOnce(ask: typeof http.request, { target, init, record, events }: Sending): Promise<LightResponse> {
  return new Promise((resolve, reject) => {
    const body = typeof init.body === 'string' ? Buffer.from(init.body, 'utf8') : undefined
    const request = ask(target, {
      method: init.method ?? 'GET',
      headers: {
        ...Object.fromEntries(init.headers ?? []),
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': body.byteLength }),
      },
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    })
    // After the headers this changes nothing: the body's iterator throws by itself.
    request.on('error', (fault: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && record.status === null && /^(?:ECONNRESET|EPIPE)$/.test(fault.code ?? '')
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause: fault }) : fault)
    })
    const hear = (answer: http.IncomingMessage, body: () => AsyncIterable<Uint8Array>) => {
      record.status = answer.statusCode ?? 0
      record.headers = flatHeaders(answer.headers)
      events.onHeaders()
      const headers = new LightHeaders(Object.entries(record.headers))
      const { status } = record
      resolve(
        new LightResponse({ status, statusText: answer.statusMessage ?? '', headers, url: target.href, body: body() }),
      )
    }
    request.on('response', (answer) =>
      hear(answer, () => (isRefusal(record) ? refusalBody(answer, record) : recorded(answer, record))),
    )
    // Another protocol, which nobody has asked for. Not listened for, it would end the request without a word.
    request.on('upgrade', (answer, socket) => {
      hear(answer, noBody)
      socket.destroy()
    })
    // Whatever else may end it so: nothing would be left to wait for, and a watchdog could not cut what is gone.
    request.on('close', () => {
      reject(Object.assign(new Error('the connection was closed without an answer'), { code: 'ECONNRESET' }))
    })
    request.on('finish', () => {
      record.sentBytes = body?.byteLength ?? 0
      events.onSent()
    })
    request.end(body)
  })
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

async function* recorded(answer: http.IncomingMessage, record: WireRecord): AsyncGenerator<Uint8Array> {
  const type = record.headers['content-type'] ?? ''
  const isStream = type.includes('text/event-stream')
  // Some servers name their streams wrongly.
  const hasLines = isStream || !/json|html/.test(type)
  let bytes = 0
  let heldBytes = 0
  const last = new LastEvent()
  for await (const chunk of await decoded(answer, record)) {
    bytes += chunk.byteLength
    const lineEnd = hasLines ? chunk.lastIndexOf(newline) : -1
    heldBytes = lineEnd === -1 ? heldBytes + chunk.byteLength : chunk.byteLength - lineEnd - 1
    // As what the SDK throws for bytes that make no sense.
    if (bytes > mostStreamBytes) throw new SyntaxError(`the answer has more than ${mostStreamBytes} bytes`)
    if (heldBytes > mostHeldBytes) throw new SyntaxError(`more than ${mostHeldBytes} bytes came without an end`)
    keep(record, chunk, isStream ? keptRefusalBytes : keptAnswerBytes)
    if (hasLines) last.heard(chunk)
    yield chunk
  }
  if (hasLines && last.lacksOnlyItsEnd()) yield Buffer.from('\n\n')
}

const newline = 0x0a

/** A body that never ends must not hold up a refusal that is already known. */
async function* refusalBody(answer: http.IncomingMessage, record: WireRecord): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of await decoded(answer, record)) {
      keep(record, chunk, keptRefusalBytes)
      yield chunk
      if (record.bodyBytes >= keptRefusalBytes) return
    }
  } catch {
    // The body was cut. Status and what was read of it are enough to tell what the refusal means.
  }
}

/** Compression was refused in the request; some gateways compress all the same. */
async function decoded(answer: http.IncomingMessage, { headers }: WireRecord): Promise<AsyncIterable<Uint8Array>> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return answer
  const { unpackBody } = await import('./unpack-body.ts')
  return unpackBody(answer, encoding)
}

function keep(record: WireRecord, chunk: Uint8Array, atMostBytes: number): void {
  const kept = chunk.subarray(0, Math.max(0, atMostBytes - record.bodyBytes))
  if (kept.byteLength === 0) return
  record.body.push(kept)
  record.bodyBytes += kept.byteLength
}

function flatHeaders(headers: http.IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
