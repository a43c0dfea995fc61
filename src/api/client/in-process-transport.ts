import { Readable } from 'node:stream'
import { apiBase } from '../contract/index.ts'
import { clientError } from './errors.ts'
import type { ApiRequest, Transport } from './transport.ts'

/** What of a Fastify application is used; declared here so that the command line does not load it for a type. */
export interface InjectableApp {
  inject(request: {
    method: 'GET' | 'POST' | 'PATCH'
    url: string
    headers: Record<string, string>
    payload?: string | Readable
    payloadAsStream?: boolean
  }): Promise<{
    readonly statusCode: number
    readonly headers: Record<string, string | string[] | number | undefined>
    readonly payload: string
    stream(): Readable
  }>
}

export interface InProcessTarget {
  readonly app: InjectableApp
  readonly token: string
  readonly by?: string
}

/** The same API without a socket: requests go through the application's whole pipeline, the token check included. */
export function createInProcessTransport({ app, token, by }: InProcessTarget): Transport {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(by === undefined ? {} : { 'x-yardmaster-by': encodeURIComponent(by) }),
  }
  const address = 'this process'
  const gone = (cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    return clientError('CLIENT_HUB_GONE', { address, why }, cause)
  }
  /** Rejects once the application was closed: the hub of this process is gone. */
  const inject = (request: Parameters<InjectableApp['inject']>[0]) =>
    app.inject(request).catch((cause: unknown) => {
      throw gone(cause)
    })
  return {
    address,
    async send({ method, path, body }: ApiRequest) {
      const answer = await inject({
        method,
        url: `${apiBase}${path}`,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      return { status: answer.statusCode, headers: textHeaders(answer.headers), text: answer.payload }
    },
    async upload(path, source) {
      let broken: unknown
      source.once('error', (fault) => {
        broken = fault
      })
      try {
        const request = { method: 'POST', url: `${apiBase}${path}`, payload: source } as const
        const answer = await inject({ ...request, headers: { ...headers, 'content-type': 'application/octet-stream' } })
        if (broken !== undefined) throw broken
        return { status: answer.statusCode, headers: textHeaders(answer.headers), text: answer.payload }
      } catch (cause) {
        throw broken ?? cause
      } finally {
        source.destroy()
      }
    },
    async open(path, lastEventId, signal) {
      if (signal.aborted) throw gone(signal.reason)
      const reader = standIn(signal)
      const answer = await inject({
        method: 'GET',
        url: `${apiBase}${path}`,
        headers: lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId },
        payload: reader.body,
        payloadAsStream: true,
      }).catch((fault: unknown) => {
        reader.leave()
        throw fault
      })
      if (answer.statusCode === 200) return { kind: 'open', chunks: untilLeft(answer.stream(), reader.leave) }
      let text = ''
      for await (const chunk of untilLeft(answer.stream(), reader.leave)) text += String(chunk)
      return { kind: 'refused', status: answer.statusCode, text }
    },
  }
}

/**
 * What the application sees of a reader: a body that never ends, and breaks off when the reader leaves, as a socket that is closed.
 * (A signal handed to the injection would do the same but throw where nobody can hear it, as long as the answer has not begun.)
 */
function standIn(signal: AbortSignal): { readonly body: Readable; readonly leave: () => void } {
  const body = new Readable({ read() {} })
  body.on('error', () => {}) // heard by the application
  const leave = () => {
    signal.removeEventListener('abort', leave)
    body.destroy(new Error('its reader has left'))
  }
  signal.addEventListener('abort', leave)
  return { body, leave }
}

async function* untilLeft(chunks: AsyncIterable<Buffer>, leave: () => void): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } finally {
    leave()
  }
}

function textHeaders(
  headers: Record<string, string | string[] | number | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )
}
