import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../src/kernel/index.ts'
import type { OwnCertificate } from './own-certificate.ts'

/**
 * A provider on loopback that does what no package acts out: every byte, pause and end of an answer is data. Requests are
 * read by node:http; answers are written to the socket as they stand, so that they may be no HTTP at all.
 */

/** One move of the server. An answer is a list of them; the last one is an `end`, or the socket is closed politely. */
export type FaultStep =
  /** Status line and headers; `connection: close` is added, a content length is not. */
  | { readonly do: 'head'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Bytes as they are. `cutTo` sends only the first so many; `pace` cuts them into writes of their own. */
  | { readonly do: 'send'; readonly bytes: string | Uint8Array; readonly cutTo?: number; readonly pace?: Pace }
  /** The same bytes again and again, until the client has gone or so often. */
  | { readonly do: 'drip'; readonly bytes: string; readonly everyMs: number; readonly times: number | 'for_ever' }
  | { readonly do: 'wait'; readonly ms: number }
  /** close: FIN after the last byte. reset: RST, what was sent stays sent. hang: nothing more, until the client has gone. */
  | { readonly do: 'end'; readonly how: 'close' | 'reset' | 'hang' }

export interface Pace {
  readonly bytes: number
  readonly everyMs: number
}

/** Answers one call. With `when` only a call that fits it. */
export interface FaultAnswer {
  readonly when?: CallPattern
  readonly steps: readonly FaultStep[]
}

export interface CallPattern {
  readonly model?: string
  /** Answers of the model that the conversation holds already. */
  readonly turn?: number
  /** Name in lower case. */
  readonly header?: readonly [name: string, value: string]
}

/** One request as it came; without the key. */
export interface HeardCall {
  readonly method: string
  readonly path: string
  /** Names in lower case; of an authorization only its scheme. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyText: string
  readonly bodySha256: string
  /** The parsed body, or undefined where it is no JSON. */
  readonly body: unknown
  readonly model: string
  readonly messages: number
  readonly turn: number
  /** Who ended the connection; resolves when it is gone. */
  readonly endedBy: Promise<'client' | 'server'>
}

/**
 * Starts it on a free port. The first answer that fits a call and was not used yet is used; when all that fit are used the
 * last of them answers for ever. A call that none fits gets a 404. With a certificate it speaks TLS 1.2.
 */
export async function startFaultServer(
  answers: readonly FaultAnswer[],
  certificate?: OwnCertificate,
): Promise<FaultServer> {
  const server = certificate === undefined ? createServer() : createTlsServer({ ...certificate, maxVersion: 'TLSv1.2' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new FaultServer(server, answers, certificate === undefined ? 'http://127.0.0.1' : 'https://localhost')
}

export class FaultServer implements AsyncDisposable {
  readonly baseUrl: string
  readonly calls: HeardCall[] = []
  readonly #server: Server
  readonly #answers: readonly FaultAnswer[]
  readonly #used = new Set<FaultAnswer>()
  readonly #over = new AbortController()

  constructor(server: Server, answers: readonly FaultAnswer[], origin: string) {
    this.#server = server
    this.#answers = answers
    this.baseUrl = `${origin}:${(server.address() as AddressInfo).port}/v1`
    server.on('request', (request: IncomingMessage) => void this.#answer(request))
  }

  /** Resolves as soon as `count` calls have been heard, whole. */
  async heard(count: number): Promise<void> {
    while (this.calls.length < count) await once(this.#server, 'heard')
  }

  readonly stop = async (): Promise<void> => {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #answer(request: IncomingMessage): Promise<void> {
    const { socket } = request
    let weEnd = false
    const gone = new AbortController()
    const endedBy = new Promise<'client' | 'server'>((resolve) => {
      socket.once('close', () => {
        gone.abort()
        resolve(weEnd ? 'server' : 'client')
      })
    })
    socket.on('error', () => {}) // a client that goes in the middle is what some tests are about
    const call = await readCall(request, endedBy).catch(() => undefined)
    if (call === undefined) return
    this.calls.push(call)
    this.#server.emit('heard')
    socket.setNoDelay(true)
    const signal = AbortSignal.any([gone.signal, this.#over.signal])
    try {
      for (const step of [...this.#choose(call).steps, { do: 'end', how: 'close' } as const]) {
        if (signal.aborted) return
        if (step.do === 'end') weEnd = step.how !== 'hang'
        if (step.do === 'end' && step.how === 'hang') return
        await play(socket, step, signal)
      }
    } catch {
      // a wait that was ended because the client or the test is gone
    }
  }

  #choose(call: HeardCall): FaultAnswer {
    const fitting = this.#answers.filter(({ when }) => fits(call, when))
    const chosen = fitting.find((answer) => !this.#used.has(answer)) ?? fitting.at(-1)
    if (chosen === undefined) return refuse(404, '{"error":{"message":"no answer of the test fits this call"}}')
    this.#used.add(chosen)
    return chosen
  }
}

async function play(socket: Socket, step: FaultStep, signal: AbortSignal): Promise<void> {
  switch (step.do) {
    case 'head': {
      const headers = Object.entries({ ...step.headers, connection: 'close' })
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return write(socket, Buffer.from(`HTTP/1.1 ${step.status} Said\r\n${lines}\r\n`, 'latin1'))
    }
    case 'send': {
      const bytes = Buffer.from(step.bytes as Uint8Array).subarray(0, step.cutTo)
      const each = step.pace?.bytes ?? Math.max(1, bytes.length)
      for (let from = 0; from < bytes.length && !signal.aborted; from += each) {
        if (from > 0) await systemClock.sleep(step.pace?.everyMs ?? 0, signal)
        await write(socket, bytes.subarray(from, from + each))
      }
      return
    }
    case 'drip':
      for (let sent = 0; step.times === 'for_ever' || sent < step.times; sent += 1) {
        await systemClock.sleep(step.everyMs, signal)
        await write(socket, Buffer.from(step.bytes))
      }
      return
    case 'wait':
      return systemClock.sleep(step.ms, signal)
    case 'end':
      if (step.how === 'reset') socket.resetAndDestroy()
      else socket.end()
  }
}

/** Resolves when the bytes have left; a client that is gone is noticed by the signal. */
const write = (socket: Socket, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => socket.write(bytes, () => resolve()))

async function readCall(request: IncomingMessage, endedBy: HeardCall['endedBy']): Promise<HeardCall> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const bytes = Buffer.concat(parts)
  const bodyText = bytes.toString('utf8')
  const body = parseBody(bodyText) as
    | { model?: unknown; messages?: readonly { role?: unknown }[]; input?: readonly { role?: unknown }[] }
    | undefined
  const messages = body?.messages ?? body?.input ?? []
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, name === 'authorization' ? (text.split(' ')[0] ?? '') : text]
  })
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    bodyText,
    bodySha256: createHash('sha256').update(bytes).digest('hex'),
    body,
    model: String(body?.model ?? ''),
    messages: messages.length,
    turn: messages.filter(({ role }) => role === 'assistant').length,
    endedBy,
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // which a test may be about
  }
}

function fits(call: HeardCall, when: CallPattern | undefined): boolean {
  if (when === undefined) return true
  const { model = call.model, turn = call.turn, header } = when
  return model === call.model && turn === call.turn && (header === undefined || call.headers[header[0]] === header[1])
}

/** A whole refusal, or any other whole document. */
export function refuse(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): FaultAnswer {
  const length = String(Buffer.byteLength(body as string))
  return {
    steps: [
      { do: 'head', status, headers: { 'content-type': 'application/json', 'content-length': length, ...headers } },
      { do: 'send', bytes: body },
    ],
  }
}

/** A document that promises its whole length and ends after `cutTo` bytes. */
export function cutDocument(
  status: number,
  body: string,
  { cutTo, how }: { readonly cutTo: number; readonly how: 'close' | 'reset' | 'hang' },
): FaultAnswer {
  const length = String(Buffer.byteLength(body))
  return {
    steps: [
      { do: 'head', status, headers: { 'content-type': 'application/json', 'content-length': length } },
      { do: 'send', bytes: body, cutTo },
      { do: 'end', how },
    ],
  }
}

/** The head of a stream of events; its end is that of the connection, or of the chunks where `chunked`. */
export const streamHead = (headers: Readonly<Record<string, string>> = {}): FaultStep => ({
  do: 'head',
  status: 200,
  headers: { 'content-type': 'text/event-stream', ...headers },
})

/** One event of a Chat Completions stream. */
export const chatEvent = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

export const doneEvent = 'data: [DONE]\n\n'

/** A well-behaved stream that says `text` and stops; more events may follow the finish reason. */
export function sayAndStop(text: string, more = ''): FaultAnswer {
  const events = chatEvent({ role: 'assistant', content: text }) + chatEvent({}, 'stop') + more + doneEvent
  return { steps: [streamHead(), { do: 'send', bytes: events }] }
}

/** The same events as other servers frame them. */
export const withCrlf = (events: string): string => events.replaceAll('\n', '\r\n')
export const withByteOrderMark = (events: string): string => `\ufeff${events}`

/** One chunk of a chunked body; without the last one, of length 0, the body was cut. */
export function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

/** A gzip body that breaks off before its end. */
export function gzipCut(text: string, cutTo: number): Uint8Array {
  return gzipSync(text).subarray(0, cutTo)
}
