import { backoffMs, type Clock, type YardError } from '../../kernel/index.ts'
import { errorFrom } from './error-from.ts'
import { readSse, type SseMessage } from './sse-reader.ts'
import type { ApiStream, Transport } from './transport.ts'

/** How long a stream tries to reach its hub again before it says that it is gone. */
const goneAfterMs = 10_000

export interface FollowedStream {
  /** Path with query; asked again for each connection, so that it can go on where the last one was cut. */
  readonly path: () => string
  /** The last id that was given out, for `Last-Event-ID`. */
  readonly lastEventId?: () => string | undefined
}

/**
 * The messages of a stream over any number of connections: a cut one is opened again (after 50 ms, doubling to 1 s).
 * Ends when `signal` fires; throws at once what the hub refuses, and `CLIENT_HUB_GONE` after 10 s without an answer. So
 * long the hub is also asked again where it meets a fault in the middle, which may pass; then that is thrown.
 */
export async function* followStream(
  { transport, clock }: { readonly transport: Transport; readonly clock: Clock },
  { path, lastEventId }: FollowedStream,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  let failures = 0
  let lastContactMs = clock.monotonicMs()
  while (!signal.aborted) {
    const stream = await openOrGone(transport, path(), lastEventId?.(), signal)
    if (signal.aborted) return
    if (stream.kind === 'refused') throw errorFrom(transport.address, stream.status, stream.text)
    if (stream.kind === 'gone') {
      if (clock.monotonicMs() - lastContactMs > goneAfterMs) throw stream.error
    } else {
      let fault: YardError | undefined
      try {
        for await (const message of readSse(stream.chunks)) {
          if (message.event === 'fault') {
            fault = errorFrom(transport.address, 500, message.data)
            break
          }
          failures = 0
          lastContactMs = clock.monotonicMs()
          yield message
          if (signal.aborted) return
        }
      } catch {
        // The connection was cut: the next one goes on after the last message that was given out.
      }
      if (fault === undefined) lastContactMs = clock.monotonicMs()
      else if (clock.monotonicMs() - lastContactMs > goneAfterMs) throw fault
    }
    failures += 1
    await pause(clock, backoffMs(failures, 50, 1_000), signal)
  }
}

type Opened = ApiStream | { readonly kind: 'gone'; readonly error: YardError }

async function openOrGone(
  transport: Transport,
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  try {
    return await transport.open(path, lastEventId, signal)
  } catch (error) {
    return { kind: 'gone', error: error as YardError }
  }
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch {
    // The signal fired meanwhile; the loop sees it.
  }
}
