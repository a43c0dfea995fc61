import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openApiYard } from '../open-yard.ts'

async function sizeOf(pieces: AsyncIterable<Buffer>): Promise<number> {
  let size = 0
  for await (const piece of pieces) size += piece.length
  return size
}

const moments: readonly (readonly [string, () => Promise<unknown> | undefined])[] = [
  ['before it asks', () => undefined],
  ['as soon as it has asked', () => Promise.resolve()],
  ['a turn later', () => nextTurn()],
]

// Whatever nobody hears ends the program: vitest tells of it as an error of the run.
test.each(moments)('a reader in the same process that leaves %s is no surprise to anybody', async (_, moment) => {
  await using yard = await openApiYard()
  const { task } = await yard.client.createTask({ run: 'true', dir: '/shop' })
  const { id } = await yard.client.attach(task.id, 'a.bin', Readable.from([Buffer.alloc(200_000)]))
  const client = yard.api.connect('ana')
  for (let round = 0; round < 20; round += 1) {
    const over = new AbortController()
    const wait = moment()
    if (wait === undefined) over.abort()
    const read = sizeOf(client.attachment(id, over.signal)).catch((fault: { code?: string }) => fault.code)
    await wait
    over.abort()
    expect([200_000, 'CLIENT_HUB_GONE']).toContain(await read)
  }
  expect(yard.surprises).toEqual([])
})

test('a reader in the same process that leaves in the middle is noticed by the hub', async () => {
  const yard = await openApiYard()
  const over = new AbortController()
  const events = yard.api.connect('ana').events(0, {}, over.signal)[Symbol.asyncIterator]()
  await yard.client.createTask({ run: 'true', dir: '/shop' })
  await events.next()
  over.abort()
  await events.next().catch(() => {})
  await yard[Symbol.asyncDispose]() // waits for whoever still follows
  expect(yard.surprises).toEqual([])
})
