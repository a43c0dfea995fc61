import type { Readable } from 'node:stream'
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
    signal?: AbortSignal
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
  /** Rejects once the application was closed: the hub of this process is gone. */
  const inject = (request: Parameters<InjectableApp['inject']>[0]) =>
    app.inject(request).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw clientError('CLIENT_HUB_GONE', { address, why }, cause)
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
      const left = new AbortController()
      const answer = await inject({
        method: 'GET',
        url: `${apiBase}${path}`,
        headers: lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId },
        payloadAsStream: true,
        signal: AbortSignal.any([signal, left.signal]),
      })
      if (answer.statusCode === 200) return { kind: 'open', chunks: untilLeft(answer.stream(), left) }
      let text = ''
      for await (const chunk of answer.stream()) text += String(chunk)
      return { kind: 'refused', status: answer.statusCode, text }
    },
  }
}

/** A reader that leaves early tells the application so, as a closed socket would. */
async function* untilLeft(chunks: AsyncIterable<Buffer>, left: AbortController): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } finally {
    left.abort()
  }
}

function textHeaders(
  headers: Record<string, string | string[] | number | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )
}
