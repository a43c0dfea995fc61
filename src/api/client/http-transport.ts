import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { apiBase } from '../contract/index.ts'
import { clientError } from './errors.ts'
import type { ApiAnswer, ApiRequest, ApiStream, Transport } from './transport.ts'

export interface HttpTarget {
  readonly port: number
  readonly token: string
  /** Who acts, for the record; the hub writes `admin` without it. */
  readonly by?: string
}

/**
 * Requests to a hub on loopback. On `node:http` rather than `fetch`: the first touch of undici costs 20 ms and more on
 * Node 20 (design section 13), which is most of the start of a short command. Idle connections do not keep the
 * program alive (the agent unrefs them).
 */
export function createHttpTransport({ port, token, by }: HttpTarget): Transport {
  const address = `http://127.0.0.1:${port}`
  const agent = new Agent({ keepAlive: true })
  const headers = {
    authorization: `Bearer ${token}`,
    ...(by === undefined ? {} : { 'x-yardmaster-by': encodeURIComponent(by) }),
  }
  const gone = (cause: unknown) => {
    const why = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause)
    return clientError('CLIENT_HUB_GONE', { address, why }, cause)
  }

  async function send(wanted: ApiRequest): Promise<ApiAnswer> {
    const body = wanted.body === undefined ? undefined : Buffer.from(JSON.stringify(wanted.body))
    const start = () =>
      request({
        host: '127.0.0.1',
        port,
        // The hub may close an idle connection in the moment in which we take it; and what changes something is not asked twice.
        agent: wanted.method === 'GET' ? agent : false,
        method: wanted.method,
        path: `${apiBase}${wanted.path}`,
        ...(wanted.signal === undefined ? {} : { signal: wanted.signal }),
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        },
      })
    try {
      const answer = await answerTo(start(), body).catch((cause) => {
        // Nothing was read there, so ask again.
        if (wanted.method === 'GET' && isStale(cause)) return answerTo(start(), body)
        throw cause
      })
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) }
    } catch (cause) {
      throw gone(cause)
    }
  }

  async function upload(path: string, source: Readable, signal?: AbortSignal): Promise<ApiAnswer> {
    const asked = request({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: `${apiBase}${path}`,
      ...(signal === undefined ? {} : { signal }),
      headers: { ...headers, 'content-type': 'application/octet-stream' },
    })
    let broken: unknown
    source.once('error', (fault) => {
      broken = fault
      asked.destroy() // ended as any other, the hub would take what it has for all of it
    })
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        asked.once('response', resolve)
        asked.on('error', reject)
      })
      source.pipe(asked)
      const answer = await answered
      source.unpipe(asked)
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) }
    } catch (cause) {
      throw broken ?? gone(cause)
    } finally {
      source.destroy()
      asked.destroy()
    }
  }

  async function open(path: string, lastEventId: string | undefined, signal: AbortSignal): Promise<ApiStream> {
    try {
      const answer = await answerTo(
        request({
          host: '127.0.0.1',
          port,
          // A connection of its own: a stream never gives it back.
          agent: false,
          path: `${apiBase}${path}`,
          signal,
          headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
        }),
        undefined,
      )
      const status = answer.statusCode ?? 0
      return status === 200 ? { kind: 'open', chunks: answer } : { kind: 'refused', status, text: await textOf(answer) }
    } catch (cause) {
      throw gone(cause)
    }
  }

  return { address, send, upload, open }
}

function answerTo(asked: ClientRequest, body: Buffer | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('error', (cause) => reject(asked.reusedSocket ? Object.assign(cause, { reusedSocket: true }) : cause))
    asked.end(body)
  })
}

const isStale = (cause: unknown): boolean =>
  cause instanceof Error && 'reusedSocket' in cause && (cause as NodeJS.ErrnoException).code === 'ECONNRESET'

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
