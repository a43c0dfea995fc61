import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../src/api/client/index.ts'
import { type ApiYard, openApiYard } from '../open-yard.ts'

const card = { dir: '/srv/shop', run: 'npm test' }

function addCards({ board }: ApiYard, count: number, title = 'card'): void {
  const spec = { title, run: 'npm test', dir: '/srv/shop' }
  board.createTasks(
    { board: 'main', tasks: Array.from({ length: count }, () => ({ spec, lane: 'command' })) },
    { by: 'test' },
  )
}

/** Reads events from `after` on until `seen` says that it has enough. */
async function readEvents(
  client: Client,
  after: number,
  seen: (seqs: readonly number[]) => boolean,
  filter: { task?: number; batch?: number } = {},
): Promise<readonly number[]> {
  const reader = new AbortController()
  const seqs: number[] = []
  for await (const event of client.events(after, filter, reader.signal)) {
    seqs.push(event.seq)
    if (seen(seqs)) reader.abort()
  }
  return seqs
}

const upTo = (last: number) => (seqs: readonly number[]) => (seqs.at(-1) ?? 0) >= last
const from1To = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

/** A relay in front of a hub whose connections can be cut, as a network does. */
async function openRelay(yard: ApiYard) {
  const { createServer } = await import('node:net')
  const sockets = new Set<import('node:net').Socket>()
  let connections = 0
  const server = createServer((incoming) => {
    connections += 1
    const outgoing = connect({ host: '127.0.0.1', port: yard.port })
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    // The hub must see its own name, or it refuses (C159).
    incoming.on('data', (bytes) =>
      outgoing.write(
        bytes.toString('latin1').replace(/Host: 127\.0\.0\.1:\d+/i, `Host: 127.0.0.1:${yard.port}`),
        'latin1',
      ),
    )
    outgoing.pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    connections: () => connections,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('the stream of events', () => {
  test.each(['http', 'in process'] as const)('has no gap between what was and what comes, over %s', async (way) => {
    await using yard = await openApiYard()
    addCards(yard, 300)
    const last = yard.board.lastSeq()
    const reading = readEvents(way === 'http' ? yard.client : yard.api.connect(), 0, upTo(last + 20))
    for (let n = 0; n < 20; n += 1) await yard.client.createTask(card)
    const seqs = await reading
    expect(seqs).toEqual(from1To(seqs.length))
    expect(seqs.length).toBeGreaterThanOrEqual(last + 20)
  })

  test('goes on after the last event that was seen, when the connection is cut in the middle', async () => {
    await using yard = await openApiYard()
    const relay = await openRelay(yard)
    const { connectHttp } = await import('../../../src/api/client/index.ts')
    const client = connectHttp({ port: relay.port, token: yard.token })
    addCards(yard, 100)
    const last = yard.board.lastSeq()
    const seqs = await readEvents(client, 0, (seen) => {
      if (seen.length === 20 || seen.length === 60) relay.cut()
      if (seen.length === last) void yard.client.createTask(card)
      return seen.length > last
    })
    expect(seqs).toEqual(from1To(seqs.length))
    expect(relay.connections()).toBeGreaterThanOrEqual(2)
    relay.cut()
    await relay.close()
  })

  test('a browser resumes by Last-Event-ID, which counts more than the address', async () => {
    await using yard = await openApiYard()
    addCards(yard, 5)
    const last = yard.board.lastSeq()
    const answer = await yard.ask('/api/v1/events?after=0', { headers: { 'last-event-id': String(last - 1) } })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body?.getReader()
    let text = ''
    while (!text.includes('data:')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    expect(text).toMatch(new RegExp(`^retry: \\d+\\n\\nid: ${last}\\ndata: \\{`))
    await reader?.cancel()
    const bad = await yard.ask('/api/v1/events', { headers: { 'last-event-id': 'x' } })
    expect(bad.status).toBe(400)
  })

  test.each(['http', 'in process'] as const)('is let go when its reader just stops reading, over %s', async (way) => {
    await using yard = await openApiYard()
    addCards(yard, 3)
    const client = way === 'http' ? yard.client : yard.api.connect()
    for await (const event of client.events(0, {}, new AbortController().signal)) {
      expect(event.seq).toBe(1)
      break
    }
    await expect.poll(() => yard.listeners()).toBe(0)
  })

  test('is narrowed to a task or a batch', async () => {
    await using yard = await openApiYard()
    for (let n = 0; n < 3; n += 1) await yard.client.createTask(card)
    await yard.client.act(2, 'comment', 'a')
    const page = await yard.client.eventsPage(0, 100, { task: 2 })
    expect(page.map(({ kind }) => kind)).toEqual(['task.created', 'task.commented'])
    expect(page.at(-1)).toMatchObject({ task: 2, by: 'Zoë', at: expect.stringMatching(/Z$/) })
    const seqs = await readEvents(yard.client, 0, (seen) => seen.length === 2, { task: 2 })
    expect(seqs).toEqual(page.map(({ seq }) => seq))
  })

  test('a reader that takes nothing holds nothing up and costs no memory for each event', async () => {
    await using yard = await openApiYard()
    const lazy = connect({ host: '127.0.0.1', port: yard.port })
    lazy.pause()
    lazy.write(
      `GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:${yard.port}\r\nAuthorization: Bearer ${yard.token}\r\n\r\n`,
    )
    // Some 5 MB of events: more than the sockets hold.
    addCards(yard, 8_000, 'x'.repeat(500))
    const last = yard.board.lastSeq()
    expect(await readEvents(yard.client, last - 3, upTo(last))).toEqual([last - 2, last - 1, last])
    lazy.destroy()
  })

  test('ends for a reader when the hub is gone for good, with words that help', async () => {
    await using yard = await openApiYard()
    const { createClient } = await import('../../../src/api/client/create-client.ts')
    const { createHttpTransport } = await import('../../../src/api/client/http-transport.ts')
    // Ten seconds of waiting pass at once.
    let nowMs = 0
    const clock = {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      after: () => {},
      every: () => {},
      sleep: async (ms: number) => {
        nowMs += ms
      },
    }
    const client = createClient({ transport: createHttpTransport({ port: yard.port, token: yard.token }), clock })
    await yard.client.createTask(card)
    const reading = readEvents(client, 0, () => {
      void yard.api.stop()
      return false
    })
    await expect(reading).rejects.toMatchObject({
      code: 'CLIENT_HUB_GONE',
      fix: expect.stringContaining('yardmaster up'),
    })
    expect(nowMs).toBeGreaterThan(10_000)
  })

  test('a refusal ends it at once', async () => {
    await using yard = await openApiYard()
    await expect(readEvents(yard.client, 999, () => true)).rejects.toMatchObject({ code: 'API_EVENT_AHEAD' })
  })
})
