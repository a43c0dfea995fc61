import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSse, type SseMessage } from '../../../src/api/client/sse-reader.ts'

async function* chunked(bytes: Buffer, sizes: readonly number[]) {
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function read(text: string, sizes: readonly number[] = [1_000]): Promise<SseMessage[]> {
  const messages: SseMessage[] = []
  for await (const message of readSse(chunked(Buffer.from(text), sizes))) messages.push(message)
  return messages
}

describe('a stream of messages', () => {
  test('gives names, ids and data, and skips heartbeats', async () => {
    expect(await read('retry: 500\n\n: alive\n\nid: 7\ndata: {"a":1}\n\nevent: end\ndata: {}\n\n')).toEqual([
      { event: 'message', id: '7', data: '{"a":1}' },
      { event: 'end', id: undefined, data: '{}' },
    ])
  })

  test('drops the half message at a cut, because it comes again', async () => {
    expect(await read('id: 1\ndata: a\n\nid: 2\ndata: b')).toEqual([{ event: 'message', id: '1', data: 'a' }])
  })

  test('reads the same however the network cuts it, also inside a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (texts, sizes) => {
          const stream = texts.map((text, index) => `id: ${index}\ndata: ${JSON.stringify(text)}\n\n`).join('')
          const messages = await read(stream, sizes)
          expect(messages.map(({ data }) => JSON.parse(data))).toEqual(texts)
        },
      ),
      { numRuns: 50 },
    )
  })
})
