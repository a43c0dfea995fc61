import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLog } from '../../src/runs/index.ts'
import { makeFile } from './run-folder.ts'

const from = (fromByte: number, mostBytes = 1_000, writer: 'alive' | 'gone' = 'gone') => ({
  fromByte,
  mostBytes,
  writer,
})

test('a range is told with where it lies and how much there is', () => {
  const path = makeFile('0123456789')
  expect(readLog(path, from(2, 3))).toEqual({ text: '234', fromByte: 2, nextByte: 5, sizeBytes: 10 })
  expect(readLog(path, from(8))).toEqual({ text: '89', fromByte: 8, nextByte: 10, sizeBytes: 10 })
  expect(readLog(path, from(-4))).toEqual({ text: '6789', fromByte: 6, nextByte: 10, sizeBytes: 10 })
  expect(readLog(path, from(-40))).toMatchObject({ text: '0123456789', fromByte: 0 })
  expect(readLog(path, from(99))).toEqual({ text: '', fromByte: 10, nextByte: 10, sizeBytes: 10 })
  expect(readLog('/no/such/log', from(0))).toBeUndefined()
})

test('a range never cuts a character, at either end', () => {
  const path = makeFile('a🎉b')
  expect(readLog(path, from(0, 3))).toMatchObject({ text: 'a', nextByte: 1 })
  expect(readLog(path, from(3, 10))).toMatchObject({ text: 'b', fromByte: 5 })
})

test('a character whose rest has not come yet waits for it, unless nobody writes any more', () => {
  const path = makeFile(Buffer.concat([Buffer.from('a'), Buffer.from('é').subarray(0, 1)]))
  expect(readLog(path, from(0, 99, 'alive'))).toMatchObject({ text: 'a', nextByte: 1, sizeBytes: 2 })
  expect(readLog(path, from(0, 99, 'gone'))).toMatchObject({ text: 'a\\xc3', nextByte: 2 })
  appendFileSync(path, Buffer.from('é').subarray(1))
  expect(readLog(path, from(1, 99, 'alive'))).toMatchObject({ text: 'é', nextByte: 3 })
})

test('read piece by piece, a log is the same as read at once', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 4, max: 9 }), (bytes, mostBytes) => {
      const path = makeFile(Buffer.from(bytes))
      let text = ''
      let at = 0
      for (let rounds = 0; at < bytes.length && rounds < 100; rounds += 1) {
        const range = readLog(path, from(at, mostBytes))
        if (range === undefined) throw new Error('no log')
        text += range.text
        at = range.nextByte
      }
      expect(text).toBe(readLog(path, from(0, 10_000))?.text)
      expect(at).toBe(bytes.length)
    }),
    { numRuns: 150 },
  )
})
