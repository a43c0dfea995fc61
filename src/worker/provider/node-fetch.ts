import http from 'node:http'
import { LightHeaders, LightResponse } from './light-web.ts'

/** What a call left behind on the wire, kept beside the SDK because the SDK loses most of it (worker-facts a.4). */
export interface WireRecord {
  /** Null until headers came. */
  status: number | null
  headers: Readonly<Record<string, string>>
  /** The first bytes of the body. */
  body: Uint8Array[]
  bodyBytes: number
}

export const emptyWireRecord = (): WireRecord => ({ status: null, headers: {}, body: [], bodyBytes: 0 })
export const wireBodyText = (record: WireRecord): string => Buffer.concat(record.body).toString('utf8')

/** A refusal's body is read up to here; a whole answer that came instead of a stream may be larger. */
const keptRefusalBytes = 64 * 1024
const keptAnswerBytes = 4 * 1024 * 1024

interface FetchInit {
  readonly method?: string
  readonly headers?: Iterable<readonly [string, string]>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * `fetch` for the SDK, made of node:http(s). One request, no redirects (the key would go along), no proxies. Everything
 * that is heard goes into `record`; `onHeaders` is called when the status is known.
 */
export function createNodeFetch(record: WireRecord, onHeaders: () => void) {
  return async (url: string, init: FetchInit = {}): Promise<LightResponse> => {
    const target = new URL(url)
    // TLS costs a worker more than a millisecond to load: not where the server is on this machine.
    const { request: ask } = target.protocol === 'https:' ? await import('node:https') : http
    return await new Promise((resolve, reject) => {
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
      request.on('error', reject) // after the headers this changes nothing: the body's iterator throws by itself
      request.on('response', (answer) => {
        record.status = answer.statusCode ?? 0
        record.headers = flatHeaders(answer.headers)
        onHeaders()
        resolve(
          new LightResponse({
            status: record.status,
            statusText: answer.statusMessage ?? '',
            headers: new LightHeaders(Object.entries(record.headers)),
            url,
            body: record.status < 300 ? recorded(answer, record) : refusalBody(answer, record),
          }),
        )
      })
      request.end(body)
    })
  }
}

async function* recorded(answer: http.IncomingMessage, record: WireRecord): AsyncGenerator<Uint8Array> {
  const isStream = record.headers['content-type']?.includes('text/event-stream') ?? false
  for await (const chunk of answer) {
    keep(record, chunk, isStream ? keptRefusalBytes : keptAnswerBytes)
    yield chunk
  }
}

/** A body that never ends must not hold up a refusal that is already known. */
async function* refusalBody(answer: http.IncomingMessage, record: WireRecord): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) {
      keep(record, chunk, keptRefusalBytes)
      yield chunk
      if (record.bodyBytes >= keptRefusalBytes) return
    }
  } catch {
    // The body was cut. Status and what was read of it are enough to tell what the refusal means.
  }
}

function keep(record: WireRecord, chunk: Uint8Array, atMostBytes: number): void {
  const kept = chunk.subarray(0, Math.max(0, atMostBytes - record.bodyBytes))
  record.body.push(kept)
  record.bodyBytes += kept.byteLength
}

function flatHeaders(headers: http.IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
