import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/index.ts'
import type { ErrorView } from '../contract/index.ts'

/** A quiet stream says that it lives, so that both ends notice a dead connection. */
const heartbeatEveryMs = 15_000
/** A reader that takes nothing for this long is let go; it may come back and resume. */
const slowReaderMs = 60_000

export interface SseDeps {
  readonly clock: Clock
  readonly stop: AbortSignal
  /** Writes a surprise down, and answers what is told of it. */
  readonly tellFault: (fault: unknown, request: FastifyRequest) => ErrorView
}

export interface SseLine {
  readonly id?: number
  readonly event?: string
  readonly data: unknown
}

/** Sends one message; resolves when the reader has room for the next. */
export type SendLine = (line: SseLine) => Promise<void>

/**
 * Serves one reader of a server-sent stream until `produce` ends, the reader leaves, or `stop` fires. Nothing is
 * queued for a reader: `produce` looks for the next message only when the last one was taken, so a slow reader costs
 * one message of memory (plus the socket's buffer). What `produce` throws is told as a last message, `fault`: the status
 * has been sent by then, and a reader that hears nothing would come back for ever.
 */
export async function serveSse(
  { clock, stop, tellFault }: SseDeps,
  reply: FastifyReply,
  produce: (send: SendLine, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const left = new AbortController()
  const signal = AbortSignal.any([stop, left.signal])
  // Its event does not come again for whoever left while secrets were asked for.
  if (raw.destroyed) left.abort()
  raw.once('close', () => left.abort())
  // A stream uses its connection up: kept alive after the end, it would keep a stopping hub waiting.
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' })
  raw.write('retry: 500\n\n')
  clock.every(heartbeatEveryMs, signal, () => {
    if (!raw.writableNeedDrain) raw.write(': alive\n\n')
  })
  const send: SendLine = async (line) => {
    if (signal.aborted || raw.write(formatLine(line))) return
    if ((await roomAgain({ clock, raw, signal })) === 'late') left.abort()
  }
  try {
    await produce(send, signal)
  } catch (fault) {
    if (!signal.aborted) raw.write(formatLine({ event: 'fault', data: tellFault(fault, reply.request) }))
  } finally {
    left.abort()
    raw.end()
    // What a reader does not take now, it will not take: the hub must be able to stop.
    if (raw.writableNeedDrain) raw.destroy()
  }
}

function formatLine({ id, event, data }: SseLine): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${JSON.stringify(data)}\n\n`
}

async function roomAgain({
  clock,
  raw,
  signal,
}: {
  readonly clock: Clock
  readonly raw: ServerResponse
  readonly signal: AbortSignal
}): Promise<'room' | 'late'> {
  const over = new AbortController()
  const late = new AbortController()
  clock.after(slowReaderMs, AbortSignal.any([signal, over.signal]), () => late.abort())
  try {
    await once(raw, 'drain', { signal: AbortSignal.any([signal, late.signal]) })
    return 'room'
  } catch {
    return 'late' // or gone, or the hub stops: nothing more is sent either way
  } finally {
    over.abort()
  }
}
