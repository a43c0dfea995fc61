import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../kernel/index.ts'
import { workerError } from '../errors.ts'
import { type Answer, type Asked, type CallCounts, chooseAnswer } from './choose-answer.ts'
import { chatDialect, type Dialect } from './compose-reply.ts'
import { type Performance, playFault, playTurn } from './play-answer.ts'
import { readResponsesAsked } from './responses-asked.ts'
import { responsesDialect } from './responses-reply.ts'
import type { Scenario } from './scenario-schema.ts'
import { textOf } from './text-of.ts'

/** One request as it came, for tests that assert what was sent. Without the key. */
export interface RecordedCall {
  readonly model: string
  readonly stream: boolean
  readonly authorized: boolean
  /** Which play and turn answered, from 0; null where none did. */
  readonly play: number | null
  readonly turn: number | null
  readonly fault: string | null
  readonly body: unknown
}

/** A scenario that is being played. */
export interface Rehearsal {
  readonly port: number
  /** For an account's `base_url`. */
  readonly baseUrl: string
  /** Ends every answer and closes the port. */
  stop(): Promise<void>
}

const largestRequestBytes = 64 * 1_024 * 1_024

export interface RehearsalInput {
  readonly scenario: Scenario
  /** 0 takes a free one. */
  readonly port: number
  /** Told of every request as its answer begins. Nothing is kept here: a rehearsal may play for days. */
  readonly onCall?: (call: RecordedCall) => void
}

/** Plays a scenario on loopback. Throws `WORKER_PORT_TAKEN`. */
export async function startRehearsalServer(input: RehearsalInput): Promise<Rehearsal> {
  const stopped = new AbortController()
  const stage: Stage = { input, counts: new Map(), calls: 0, stopped: stopped.signal }
  const server = createServer((request, response) => void answer(stage, request, response))
  await listen(server, input.port)
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        stopped.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Stage {
  readonly input: RehearsalInput
  readonly counts: CallCounts
  calls: number
  readonly stopped: AbortSignal
}

async function answer(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  response.once('close', end)
  stage.stopped.addEventListener('abort', end, { once: true })
  try {
    const path = request.url?.split('?')[0]
    if (path === '/v1/models') listModels(stage.input.scenario, response)
    else if (request.method === 'POST' && path === '/v1/chat/completions') {
      await complete(stage, chat, { request, response, signal: over.signal })
    } else if (request.method === 'POST' && path === '/v1/responses') {
      await complete(stage, responses, { request, response, signal: over.signal })
    } else notFound(request, response)
  } catch (fault) {
    const error = { message: `rehearsal: ${(fault as Error).message}`, type: 'invalid_request_error' }
    if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error }))
  } finally {
    stage.stopped.removeEventListener('abort', end)
  }
}

/** One of the two interfaces: how a request is read, and how its answer is written. */
interface Interface {
  readonly read: (body: RequestBody) => Omit<Asked, 'key'>
  readonly dialect: Dialect
}

const chat: Interface = { read: readChatAsked, dialect: chatDialect }
const responses: Interface = { read: readResponsesAsked, dialect: responsesDialect }

async function complete(
  stage: Stage,
  { read, dialect }: Interface,
  { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: AbortSignal },
): Promise<void> {
  const body = JSON.parse(await readBody(request)) as RequestBody
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
  const asked = { ...read(body), key }
  const chosen = chooseAnswer(stage.input.scenario, stage.counts, asked)
  const stream = body.stream === true
  stage.calls += 1
  stage.input.onCall?.(record(chosen, { asked, body, stream }))
  await perform(response, chosen, { id: `chatcmpl-${stage.calls}`, model: asked.model, dialect, stream, signal })
}

function perform(response: ServerResponse, chosen: Answer, about: Omit<Performance, 'script'>): Promise<void> {
  const deps = { clock: systemClock }
  if (chosen.kind === 'turn') return playTurn(deps, response, { ...about, script: chosen.script })
  const script = chosen.kind === 'fault' ? chosen.script : {}
  return playFault(deps, response, { ...about, script }, chosen.fault)
}

interface RequestBody extends Readonly<Record<string, unknown>> {
  readonly model?: unknown
  readonly stream?: unknown
  readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[]
  readonly tools?: readonly { readonly function?: { readonly name?: unknown } }[]
  readonly tool_choice?: unknown
}

function readChatAsked({ model, messages = [], tools = [], tool_choice }: RequestBody): Omit<Asked, 'key'> {
  return {
    model: String(model ?? ''),
    messages: messages.map(({ role, content }) => ({ role: String(role), text: textOf(content) })),
    tools: tool_choice === 'none' ? [] : tools.map((tool) => String(tool.function?.name)), // told, and not to be called
  }
}

function record(
  chosen: Answer,
  { asked, body, stream }: { asked: Asked; body: unknown; stream: boolean },
): RecordedCall {
  const place = chosen.kind === 'refusal' ? { play: null, turn: null } : { play: chosen.play, turn: chosen.turn }
  const fault = chosen.kind === 'turn' ? null : chosen.fault.kind
  return { model: asked.model, stream, authorized: asked.key !== null, ...place, fault, body }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).byteLength
    if (bytes > largestRequestBytes) throw new Error(`the request has more than ${largestRequestBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function listModels({ model = 'rehearsal' }: Scenario, response: ServerResponse): void {
  const data = [{ id: model, object: 'model', created: 0, owned_by: 'yardmaster' }]
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
}

function notFound({ method, url }: IncomingMessage, response: ServerResponse): void {
  const message = `rehearsal: nothing answers ${method} ${url}; the base URL ends with /v1`
  response.writeHead(404, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }))
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (fault: NodeJS.ErrnoException) =>
      reject(workerError('WORKER_PORT_TAKEN', { port, code: fault.code ?? fault.message }, fault)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
}
