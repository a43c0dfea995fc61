import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { serveSse } from '../../../src/api/live/serve-sse.ts'
import { systemClock } from '../../../src/kernel/index.ts'

test('a reader that has left before its stream begins is served nothing, and keeps nothing going', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  asked.on('error', () => {})
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse]
  asked.destroy()
  await once(raw, 'close')

  let sent = 0
  const reply = { hijack: () => {}, raw } as unknown as FastifyReply
  const tellFault = () => ({ error: { code: 'X', message: 'x', fix: 'x' } })
  await serveSse({ clock: systemClock, stop: new AbortController().signal, tellFault }, reply, async (send, signal) => {
    await send({ data: 'nobody hears this' })
    if (signal.aborted) return
    sent += 1
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  expect(sent).toBe(0)
  server.close()
})
