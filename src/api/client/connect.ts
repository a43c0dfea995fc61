import { systemClock } from '../../kernel/index.ts'
import type { Client } from './client.ts'
import { createClient } from './create-client.ts'
import { createHttpTransport, type HttpTarget } from './http-transport.ts'
import { createInProcessTransport, type InProcessTarget } from './in-process-transport.ts'

/** A client of the hub that listens on `port` of this machine. Opens nothing before the first call. */
export function connectHttp(target: HttpTarget): Client {
  return createClient({ transport: createHttpTransport(target), clock: systemClock })
}

/** A client of an API in this process: same pipeline, no socket. */
export function connectInProcess(target: InProcessTarget): Client {
  return createClient({ transport: createInProcessTransport(target), clock: systemClock })
}
