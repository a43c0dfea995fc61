import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, createStreamMask } from '../../src/kernel/index.ts'

const secret = 'pa55/w+rd & "Grüße" 42'
const periodic = 'abababab'
const key = `sk-${'a1B2c3D4'.repeat(4)}`
const known = [secret, periodic]
const redact = createRedactor(known)

function stream(pieces: readonly string[]): string {
  const mask = createStreamMask(known)
  return pieces.map((piece) => mask.push(piece)).join('') + mask.end()
}

const keyLines = `${'MIIEowIBAAKCAQEA'.repeat(4)}\n`.repeat(5)
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${keyLines}-----END RSA PRIVATE KEY-----`
const fragments = [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret),
  Buffer.from(`user:${secret}`).toString('base64'),
  periodic,
  'ab',
  key,
  pem,
  keyLines,
  '-----BEGIN PRIVATE KEY-----\n',
  '-----END PRIVATE KEY-----\n',
  '-----',
  `OPENAI_API_KEY=${key}`,
  'DB_PASSWORD="correct horse"',
  '{"api_key": "abcdefgh"}',
  'token',
  'KEY=',
  'password: ',
  'hunter22',
  'Authorization: Bearer ',
  'postgres://app:s3cr3t@db/prod',
  '://',
  '?token=abc&n=1',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  'an ordinary line of text',
  ' ',
  '"',
  '=',
  '\n',
  '\r\n',
  'a'.repeat(70),
]

const texts = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(''))

describe('what comes in pieces is masked as if it had come at once', () => {
  test('wherever the cuts are, through however many pieces', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(400), { maxLength: 30 }), (text, sizes) => {
        const pieces: string[] = []
        let from = 0
        for (const size of sizes) {
          pieces.push(text.slice(from, from + size))
          from += size
        }
        pieces.push(text.slice(from))
        expect(stream(pieces)).toBe(redact(text))
      }),
      { numRuns: 400 },
    )
  })

  test('a character at a time', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(stream([...text].flatMap((char) => char.split('')))).toBe(redact(text))
      }),
      { numRuns: 40 },
    )
  })

  test('through a line longer than anything is held back, and a key that has no end', () => {
    const long = `${'x '.repeat(20_000)}${key} ${'y'.repeat(30_000)} KEY=${'z'.repeat(20_000)}`
    const cut = `-----BEGIN PRIVATE KEY-----\n${keyLines.repeat(80)}`
    for (const text of [long, cut, `${cut}${long}\n${pem}`]) {
      const pieces = text.match(/[\s\S]{1,777}/g) ?? []
      expect(stream(pieces)).toBe(redact(text))
    }
  })
})

test('a line that has ended is shown at once, and of one that has not no secret is ever begun', () => {
  const mask = createStreamMask(known)
  expect(mask.push('all is well\n')).toBe('all is well\n')
  expect(mask.push(`it is ${key}\nand on`)).toBe('it is [secret]\n')
  expect(mask.push('ward\n')).toBe('and onward\n')
  const parts = [mask.push(key.slice(0, 9)), mask.push(key.slice(9)), mask.push(' x\n')]
  expect(parts.join('')).toBe('[secret] x\n')
  expect(mask.push('-----BEGIN PRIVATE KEY-----\nMII')).toBe('')
  expect(mask.push('EowI\n')).not.toContain('MII')
  expect(mask.end()).not.toContain('EowI')
})

test('10 MB in pieces of 64 KiB take less than two seconds of the processor, and little memory of ours', () => {
  const mask = createStreamMask(known)
  const piece = `${'some text of a build log, token by token; '.repeat(40)}\n`.repeat(39)
  const before = process.cpuUsage()
  let chars = 0
  for (let bytes = 0; bytes < 10_000_000; bytes += piece.length) chars += mask.push(piece).length
  const { user, system } = process.cpuUsage(before)
  expect(chars).toBeGreaterThan(9_900_000)
  expect((user + system) / 1_000).toBeLessThan(2_000)
})
