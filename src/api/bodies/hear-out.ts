import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/index.ts'

/** Whoever sends on after being answered is heard out for so long, and is then cut off. */
const heardOutMs = 5_000

/**
 * An answer that is there before all of the body has come goes out at once, and its connection stays until the sender is done or has
 * gone: one that is closed with unread bytes in it is reset, and a sender that was writing has lost its answer (RFC 9112, 9.6).
 */
export function hearSendersOut(app: FastifyInstance, { clock }: { readonly clock: Clock }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { raw } = request
    if (raw.complete !== false || raw.destroyed || typeof payload !== 'string') return payload
    reply.header('content-length', Buffer.byteLength(payload)) // with it, the end of the answer needs no end of the connection
    return Readable.from(answerAndHearOut({ clock }, raw, payload), { objectMode: false })
  })
}

async function* answerAndHearOut({ clock }: { readonly clock: Clock }, raw: FastifyRequest['raw'], answer: string) {
  yield answer
  const over = new AbortController()
  clock.after(heardOutMs, over.signal, () => raw.destroy())
  raw.resume()
  try {
    if (!raw.readableEnded && !raw.destroyed) await once(raw, 'close')
  } catch {
    // It broke off: there is nobody left to hear.
  } finally {
    over.abort()
  }
}
