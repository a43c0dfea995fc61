import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { followStream } from '../../../src/api/client/follow-stream.ts'
import { createHttpTransport } from '../../../src/api/client/http-transport.ts'
import { systemClock } from '../../../src/kernel/index.ts'

/** A hub whose stream answers each connection with the next of these texts, and with the last one for ever. */
async function hubThatSays(...texts: readonly string[]) {
  let asked = 0
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' })
    answer.end(texts[Math.min(asked, texts.length - 1)])
    asked += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Each look at the clock is 2 s later, and no pause takes any time.
  let nowMs = 0
  const clock = { ...systemClock, monotonicMs: () => (nowMs += 2_000), sleep: async () => {} }
  const transport = createHttpTransport({ port: (server.address() as AddressInfo).port, token: 'x' })
  return {
    messages: (signal: AbortSignal) => followStream({ transport, clock }, { path: () => '/events' }, signal),
    [Symbol.dispose]: () => server.close(),
  }
}

const fault = `event: fault\ndata: ${JSON.stringify({ error: { code: 'BOARD_DAMAGED', message: 'broken', fix: 'restore' } })}\n\n`
const word = 'data: "hello"\n\n'

test('a stream that the hub cannot go on with is asked for again for a while, and then told as what it is', async () => {
  using hub = await hubThatSays(word, fault)
  const heard: string[] = []
  const reading = (async () => {
    for await (const { data } of hub.messages(AbortSignal.timeout(100_000))) heard.push(data)
  })()
  await expect(reading).rejects.toMatchObject({ code: 'BOARD_DAMAGED', fix: 'restore' })
  expect(heard).toEqual(['"hello"'])
})

test('a fault that passes is not noticed', async () => {
  using hub = await hubThatSays(word, fault, fault, word)
  const enough = new AbortController()
  const heard: string[] = []
  for await (const { data } of hub.messages(enough.signal)) {
    heard.push(data)
    if (heard.length === 2) enough.abort()
  }
  expect(heard).toEqual(['"hello"', '"hello"'])
})
