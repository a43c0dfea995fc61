import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Board } from '../board/index.ts'
import type { Clock, Random, Redactor, Service } from '../kernel/index.ts'
import type { SurpriseLog } from './answer-error.ts'
import { answerRaw } from './answer-raw.ts'
import { refuseAddress } from './auth/address-check.ts'
import { buildApp } from './build-app.ts'
import { type Client, connectInProcess } from './client/index.ts'
import type { YardView } from './yard-view.ts'

export interface ApiDeps {
  readonly board: Board
  readonly yard: YardView
  readonly mask: Redactor
  /** The values that `mask` looks for, for the one mask that keeps lengths. */
  readonly knownSecrets: () => readonly string[]
  /** Awaited before what a worker wrote or was given is masked; absent where `mask` knows every secret from the start. */
  readonly learnSecrets?: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: SurpriseLog
}

export interface ApiOptions {
  /** The home's token; undefined: nobody is served (C157). */
  readonly token: string | undefined
  /** Bound where it is free; 0 or a taken one: any free port. */
  readonly preferredPort: number
}

/** A request that is still being sent when the stop comes gets no longer than this. */
const lastAnswersWithinMs = 5_000

/**
 * The API of one yard. `start` binds it to loopback, and to nothing else; without `start` it serves in process only.
 * Order of a request: address (Host, Origin) before routing, then the token, then the route.
 */
export class ApiServer implements Service {
  readonly name = 'api'
  readonly #app: FastifyInstance
  readonly #options: ApiOptions
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #server: Server | undefined
  #stopped: Promise<void> | undefined
  #answering = 0

  constructor(deps: ApiDeps, options: ApiOptions) {
    this.#options = options
    this.#clock = deps.clock
    this.#app = buildApp({ ...deps, token: options.token, stop: this.#stop.signal })
  }

  /** The bound port; 0 while it is not bound. */
  get port(): number {
    const address = this.#server?.address() as AddressInfo | null | undefined
    return address?.port ?? 0
  }

  /** A client that reaches this API without a socket. `by`: who acts, for the record. */
  connect(by?: string): Client {
    const { token = '' } = this.#options
    return connectInProcess({ app: this.#app, token, ...(by === undefined ? {} : { by }) })
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return
    await this.#app.ready()
    const server = createServer((request, response) => this.#receive(request, response))
    this.#server = server
    await listen(server, this.#options.preferredPort).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EADDRINUSE' && fault.code !== 'EACCES') throw fault
      return listen(server, 0)
    })
  }

  /** Ends streams, answers what is being answered, and is gone: no socket, timer or listener remains. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    this.#stop.abort()
    const server = this.#server
    if (server?.listening) {
      const closed = new AbortController()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        this.#clock.after(lastAnswersWithinMs, closed.signal, () => server.closeAllConnections())
        this.#hangUpWhenAnswered()
      })
      closed.abort()
    }
    await this.#app.close()
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.#answering += 1
    response.once('close', () => {
      this.#answering -= 1
      if (this.#stop.signal.aborted) this.#hangUpWhenAnswered()
    })
    const { host, origin } = request.headers
    const refusal = refuseAddress({ host, origin, port: this.port })
    if (refusal !== undefined) answerRaw(response, refusal)
    else this.#app.routing(request, response)
  }

  /**
   * Connections that wait for a next request, or never sent one, would keep a stopping server for minutes. (Node's own
   * `closeIdleConnections` takes those that never sent anything for busy.)
   */
  #hangUpWhenAnswered(): void {
    if (this.#answering === 0) this.#server?.closeAllConnections()
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
