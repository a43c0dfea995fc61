import { expect, test } from 'vitest'
import { createNodeFetch, emptyWireRecord, wireBodyText } from '../../../src/worker/provider/node-fetch.ts'
import { type FaultStep, startFaultServer, streamHead } from '../fault-server.ts'

const mib = 1024 * 1024

/** Bytes of the body that were given on, and how it ended. */
async function read(steps: readonly FaultStep[]) {
  await using server = await startFaultServer([{ steps }])
  const record = emptyWireRecord()
  const ask = createNodeFetch(record, { onSent: () => {}, onHeaders: () => {} })
  let bytes = 0
  try {
    for await (const chunk of (await ask(server.baseUrl, { method: 'POST', body: '{}' })).body)
      bytes += chunk.byteLength
    return { bytes, thrown: undefined, kept: wireBodyText(record).length }
  } catch (thrown) {
    return { bytes, thrown, kept: wireBodyText(record).length }
  }
}

const more = (text: string, times: number): readonly FaultStep[] =>
  Array.from({ length: times }, (): FaultStep => ({ do: 'send', bytes: text }))

test('a line without an end is broken off at 16 MiB', async () => {
  const { bytes, thrown } = await read([streamHead(), { do: 'send', bytes: 'data: ' }, ...more('x'.repeat(mib), 20)])
  expect(thrown).toBeInstanceOf(SyntaxError)
  expect(bytes).toBeLessThanOrEqual(16 * mib)
})

test('a stream of many lines is not, and little of it is kept', async () => {
  const { bytes, thrown, kept } = await read([streamHead(), ...more(`${'x'.repeat(mib - 1)}\n`, 20)])
  expect([bytes, thrown]).toEqual([20 * mib, undefined])
  expect(kept).toBe(64 * 1024)
})

test('a document is, however many lines it has', async () => {
  const json: FaultStep = { do: 'head', status: 200, headers: { 'content-type': 'application/json' } }
  const { thrown } = await read([json, ...more(`${'x'.repeat(mib - 1)}\n`, 20)])
  expect(thrown).toBeInstanceOf(SyntaxError)
})
