import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Rehearsed, requireFreshBuild } from './chat-worker.ts'
import { chatEvent, type FaultAnswer, startFaultServer, streamHead } from './fault-server.ts'
import { makeCertificate, type OwnCertificate } from './own-certificate.ts'

beforeAll(requireFreshBuild)

const dayMs = 86_400_000
const now = Date.now()
const good = { host: 'localhost', fromMs: now - dayMs, untilMs: now + dayMs }

/** A provider behind TLS, and what a worker that trusts this certificate, or none of its own, makes of it. */
async function ask(
  certificate: OwnCertificate,
  trust: 'trusted' | 'unknown',
  through = (port: number) => noProxy(port),
) {
  await using server = await startFaultServer([answer], certificate)
  await using way = await through(Number(new URL(server.baseUrl).port))
  await using yard = new Rehearsed({ baseUrl: `https://localhost:${way.port}/v1`, stop: async () => {}, calls: [] })
  const authorities = join(yard.folder, 'ca.pem')
  writeFileSync(authorities, certificate.cert)
  const env = trust === 'trusted' ? { NODE_EXTRA_CA_CERTS: authorities } : {}
  const { code } = await yard.boardWorker(['-q', 'go', '--retries', '0'], { env }).ended
  return { code, report: yard.report(), calls: server.calls.length }
}

const answer: FaultAnswer = {
  steps: [streamHead(), { do: 'send', bytes: chatEvent({ content: 'half of it' }) }, { do: 'end', how: 'hang' }],
}
const noProxy = async (port: number) => ({ port, [Symbol.asyncDispose]: async () => {} })

describe('a certificate that is not right needs a person, and the key stays here', () => {
  test.each([
    ['vouched for by nobody', good, 'unknown'],
    ['over', { ...good, fromMs: now - 2 * dayMs, untilMs: now - dayMs }, 'trusted'],
    ['not yet begun', { ...good, fromMs: now + dayMs, untilMs: now + 2 * dayMs }, 'trusted'],
    ['of another host', { ...good, host: 'elsewhere.test' }, 'trusted'],
  ] as const)('%s', { concurrent: true }, async (_, made, trust) => {
    const { code, report, calls } = await ask(makeCertificate(made), trust)

    expect(code).toBe(1)
    expect(report).toMatchObject({ status: 'failed', reason: 'tls', needsHuman: 'access', error: { phase: 'connect' } })
    expect(report.message).toMatch(/Fix: mend the certificate, or the base URL/)
    expect(calls).toBe(0)
  })
})

test('a TLS connection that breaks in the middle of an answer is a wall', async () => {
  const { code, report, calls } = await ask(makeCertificate(good), 'trusted', breakAfterTwoRecords)

  expect(calls).toBe(1)
  expect(code).toBe(75)
  expect(report).toMatchObject({ status: 'wall', reason: 'dropped_stream', needsHuman: null, result: 'half of it' })
  expect(report.error).toMatchObject({ phase: 'after-output', status: 200 })
})

const applicationData = 23
const fatalAlert = Buffer.from([21, 3, 3, 0, 2, 2, 80]) // internal error, in plain text where nothing may be

/** Passes on what both sides say, and says something of its own after two records of the server's data. */
async function breakAfterTwoRecords(to: number) {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    let kept = Buffer.alloc(0)
    let records = 0
    near.pipe(far)
    for (const side of [near, far])
      side.on('error', () => {}).on('close', () => [near, far].map((one) => one.destroy()))
    far.on('data', (bytes: Buffer) => {
      near.write(bytes)
      kept = Buffer.concat([kept, bytes])
      while (kept.length >= 5 && kept.length >= 5 + kept.readUInt16BE(3)) {
        if (kept[0] === applicationData) records += 1
        kept = kept.subarray(5 + kept.readUInt16BE(3))
        if (kept.length === 0 && records === 2) near.write(fatalAlert)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
