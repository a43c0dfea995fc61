import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { classify } from '../../../../src/worker/provider/faults/classify.ts'
import type { CallEvidence } from '../../../../src/worker/provider/faults/evidence.ts'
import { needsHuman } from '../../../../src/worker/provider/faults/fault.ts'
import { faultFixtures } from './fixtures/fault-fixtures.ts'

const nowMs = Date.parse('2026-08-09T23:59:00Z')
const nothing: CallEvidence = { cutBy: null, phase: 'connect', status: null, headers: {}, body: null, cause: null }
const meant = (evidence: Partial<CallEvidence>) => {
  const fault = classify({ ...nothing, ...evidence }, nowMs)
  return [fault.class, fault.reason]
}

describe('what a provider says is told apart', () => {
  test.each(faultFixtures)('$name', ({ status, headers = {}, body, conversation, until: _, ...expected }) => {
    const text = Buffer.from(body as string).toString('utf8')
    const fault = classify(
      { ...nothing, phase: 'body', status, headers, body: text, ...(conversation && { conversation }) },
      nowMs,
    )

    expect([fault.class, fault.reason]).toEqual(expected.means)
    expect(fault.retryAfterMs).toBe(expected.retryAfterMs)
    expect(fault.resetAtMs).toBe(expected.retryAfterMs === null ? null : nowMs + expected.retryAfterMs)
    expect(needsHuman(fault)).toBe(expected.needsHuman)
    expect(fault).toMatchObject({ status, phase: 'body', attempt: 1, ...expected.record })
    expect(fault.message).not.toBe('')
    expect(fault.message).not.toMatch(/[<>]{1}[a-z]/)
  })

  test('and no two rows have the same name', () => {
    expect(new Set(faultFixtures.map(({ name }) => name)).size).toBe(faultFixtures.length)
  })
})

describe('our own flag is known by itself, whatever was thrown or sent', () => {
  const misleading = { cause: new Error('401'), status: 401, body: '{"error":{"code":"invalid_api_key"}}' }

  test.each(['first_byte', 'first_event', 'idle', 'whole_call'] as const)('the watchdog %s', (cutBy) => {
    expect(meant({ ...misleading, cutBy })).toEqual(['transient', 'timeout'])
  })

  test.each(['run', 'budget'] as const)('what the run may use: %s', (cutBy) => {
    expect(meant({ ...misleading, cutBy })).toEqual(['failed', 'budget'])
  })

  test('a stop', () => {
    expect(meant({ ...misleading, cutBy: 'interrupted' })).toEqual(['interrupted', 'interrupted'])
  })

  test('a text about a timeout is no timeout', () => {
    expect(meant({ status: 400, body: '{"error":"timeout 503 auth quota"}' })).toEqual(['failed', 'bad_request'])
  })
})

describe('a connection that failed is told apart by the codes of its causes', () => {
  const thrown = (code: string) => new Error('Connection error.', { cause: Object.assign(new Error(code), { code }) })

  test.each([
    ['ECONNREFUSED', 'connect', 'transient', 'unreachable'],
    ['EHOSTUNREACH', 'connect', 'transient', 'unreachable'],
    ['ECONNRESET', 'connect', 'transient', 'unreachable'],
    ['ECONNRESET', 'headers', 'transient', 'unreachable'],
    ['ECONNRESET', 'stream', 'transient', 'dropped_stream'],
    ['ECONNRESET', 'after-output', 'transient', 'dropped_stream'],
    ['UND_ERR_SOCKET', 'body', 'transient', 'dropped_stream'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'stream', 'transient', 'dropped_stream'],
    ['EAI_AGAIN', 'connect', 'transient', 'dns'],
    ['ETIMEDOUT', 'connect', 'transient', 'timeout'],
    ['CERT_HAS_EXPIRED', 'connect', 'needs_human', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connect', 'needs_human', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'connect', 'needs_human', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'connect', 'needs_human', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'connect', 'needs_human', 'tls'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'connect', 'needs_human', 'tls'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'connect', 'transient', 'unreachable'],
    ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'stream', 'transient', 'dropped_stream'],
    ['HPE_INVALID_CONSTANT', 'connect', 'transient', 'protocol'],
    ['ERR_OUT_OF_RANGE', 'connect', 'failed', 'unknown'],
  ] as const)('%s (%s)', (code, phase, ...expected) => {
    expect(meant({ phase, cause: thrown(code) })).toEqual(expected)
  })

  test('a handshake that fails while we write is known by the reason of OpenSSL', () => {
    const failing = (reason: string) =>
      Object.assign(new Error(`write EPROTO 80:error:0A00010B:SSL routines:f:${reason}:../deps/ssl.c:350:\n`), {
        code: 'EPROTO',
      })

    expect(meant({ cause: failing('wrong version number') })).toEqual(['needs_human', 'tls'])
    expect(meant({ cause: failing('sslv3 alert handshake failure') })).toEqual(['transient', 'unreachable'])
  })

  test('an unknown host is a wall, and in the second run in a row a wrong address', () => {
    const cause = thrown('ENOTFOUND')

    expect(meant({ cause })).toEqual(['transient', 'dns'])
    expect(meant({ cause, lastRunReason: 'rate_limit' })).toEqual(['transient', 'dns'])
    expect(meant({ cause, lastRunReason: 'dns' })).toEqual(['needs_human', 'dns'])
    expect(meant({ cause: thrown('EAI_AGAIN'), lastRunReason: 'dns' })).toEqual(['transient', 'dns'])
  })

  test('an event that is no JSON is a fault of the protocol', () => {
    expect(meant({ phase: 'stream', status: 200, cause: new SyntaxError('bad') })).toEqual(['transient', 'protocol'])
  })

  test('a refusal whose body was lost is still known by its status', () => {
    expect(meant({ phase: 'body', status: 401, cause: thrown('ECONNRESET') })).toEqual(['needs_human', 'auth'])
  })

  test('of several addresses that were tried the first speaks for all', () => {
    const cause = new AggregateError([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })], '')

    expect(classify({ ...nothing, cause }, nowMs)).toMatchObject({ reason: 'unreachable', message: 'no' })
  })
})

describe('the record keeps what an unknown refusal was made of', () => {
  const body = `{"odd":"${'ä'.repeat(3_000)}"}`

  test('its checksum and its beginning, at most 2 KiB, cut between characters', () => {
    const fault = classify({ ...nothing, phase: 'body', status: 499, body, attempt: 3 }, nowMs)

    expect(fault.rawSha256).toBe(createHash('sha256').update(body).digest('hex'))
    expect(Buffer.byteLength(fault.rawHead ?? '')).toBeGreaterThan(2_040)
    expect(Buffer.byteLength(fault.rawHead ?? '')).toBeLessThanOrEqual(2_048)
    expect(body.startsWith(fault.rawHead ?? 'nothing')).toBe(true)
    expect(fault).toMatchObject({ attempt: 3, phase: 'body' })
  })

  test('nothing of it where there was no body', () => {
    expect(classify(nothing, nowMs)).toMatchObject({ rawSha256: null, rawHead: null })
  })

  test.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://yard.openai.azure.com/openai/v1', 'azure'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'google'],
    ['https://user@api.groq.com:443/v1', 'groq'],
    ['https://api.openai.com.evil.test/v1', null],
    ['http://127.0.0.1:8080/v1', null],
    ['not an address', null],
  ])('the provider behind %s', (baseUrl, provider) => {
    expect(classify({ ...nothing, baseUrl, status: 500, body: '' }, nowMs).provider).toBe(provider)
  })
})
