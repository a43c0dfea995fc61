import { once } from 'node:events'
import http, { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock, systemRandom } from '../../src/kernel/index.ts'
import { callWithRetries } from '../../src/worker/provider/call-with-retries.ts'
import { chatCompletions } from '../../src/worker/provider/chat-completions.ts'
import { putLightWebInFront } from '../../src/worker/provider/light-web.ts'
import type { Endpoint } from '../../src/worker/provider/model-call.ts'
import { textOfBody } from '../../src/worker/provider/wire-api.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'
import { callOf, talkOf } from './serialise.ts'

const size = 100
const turns = 60
const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const answer = `${event({ content: 'ok' })}${event({}, 'stop')}data: [DONE]\n\n`

/** What our side adds to a call of the model: everything between the conversation and the reply, minus a bare request. */
export const turnOverhead: Bench = {
  figures: [
    {
      id: 'turn_overhead_ms',
      says: `a turn without a tool from ${size} messages on, minus a bare node:http call with the same bytes; medians of ${turns}`,
      goal: { atMost: 5 },
    },
  ],
  async open() {
    putLightWebInFront() // as the worker does
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => repeat(server, ourTurn),
          () => repeat(server, bareTurn),
        )
        return { turn_overhead_ms: ours - peer }
      },
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  },
}

/** What is not ours to time is done before it is called; what it gives is timed. */
type OneTurn = (endpoint: Endpoint, messages: ReturnType<typeof talkOf>) => () => Promise<void>

async function repeat(server: Server, takeTurn: OneTurn): Promise<number> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const { endpoint } = callOf([], baseUrl)
  const talk = talkOf(size + 2 * turns)
  const values: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const messages = talk.slice(0, size + 2 * turn)
    const act = takeTurn(endpoint, messages)
    const began = performance.now()
    await act()
    values.push(performance.now() - began)
  }
  return median(values)
}

const ourTurn: OneTurn = (endpoint, messages) => async () => {
  const result = await callWithRetries(
    { clock: systemClock, random: systemRandom },
    {
      call: { ...callOf(messages, endpoint.baseUrl), endpoint },
      policy: { retries: 0, longestWaitMs: 0, allWaitsMs: 0 },
      ledger: { waitedMs: 0 },
      onWait: () => {},
    },
  )
  if (result.kind !== 'reply') throw new Error(`no reply: ${result.fault.message}`)
}

const bareTurn: OneTurn = (endpoint, messages) => {
  const body = textOfBody(chatCompletions.compose(callOf(messages, endpoint.baseUrl), new Set()))
  const bytes = Buffer.byteLength(body)
  const headers = { 'content-type': 'application/json', 'content-length': bytes, authorization: 'Bearer bench' }
  return async () => {
    const request = http.request(`${endpoint.baseUrl}/chat/completions`, { method: 'POST', headers }).end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    for await (const _ of response);
  }
}
