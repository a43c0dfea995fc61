import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, createValueMask, maskJson } from '../../src/kernel/index.ts'

const secret = 'pa55/w+rd & "Grüße" 42'
const redact = createRedactor([secret])

test('in JSON a secret is masked wherever it stands: as a value, in a text, and as the name of a field', () => {
  const data = { [secret]: [1, null, { deep: `it is ${secret}` }], count: 3, ['__proto__']: secret }
  const text = maskJson(redact, data)
  expect(text).not.toContain('w+rd')
  expect(text).toBe('{"[secret]":[1,null,{"deep":"it is [secret]"}],"count":3,"__proto__":"[secret]"}')
})

describe('a known secret never survives', () => {
  test.each([
    ['as it is', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in JSON', JSON.stringify({ value: secret })],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in basic authentication', Buffer.from(`user:${secret}`).toString('base64')],
    ['in url-safe base64', Buffer.from(`x${secret}yy`).toString('base64url')],
  ])('%s', (_, written) => {
    const masked = redact(`before ${written} after`)

    expect(masked).toContain('[secret]')
    expect(masked.startsWith('before ')).toBe(true)
    expect(masked.endsWith(' after')).toBe(true)
    expect(masked).not.toContain('Gr')
    expect(masked).not.toContain(Buffer.from(secret).toString('base64').slice(4, -4))
  })

  test('wherever it stands, in whatever text, in whatever encoding', () => {
    const encodings = [
      (value: string) => value,
      encodeURIComponent,
      (value: string) => JSON.stringify(value).slice(1, -1),
      (value: string) => Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ]
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' }).filter((value) => value.trim().length >= 8),
        fc.string({ maxLength: 200 }),
        fc.string({ maxLength: 200 }),
        fc.constantFrom(...encodings),
        (value, before, after, encode) => {
          const masked = createRedactor([value])(`${before}${encode(value)}${after}`)
          fc.pre(!`${before}${after}[secret]`.includes(encode(value)))
          expect(masked.includes(encode(value))).toBe(false)
        },
      ),
    )
  })

  test('the longer of two secrets goes first, so that no rest of it is left', () => {
    expect(createRedactor(['hunter22', 'hunter22-and-more'])('it is hunter22-and-more')).toBe('it is [secret]')
  })

  test('a value of less than eight characters is not looked for', () => {
    expect(createRedactor(['test'])('all tests passed')).toBe('all tests passed')
  })
})

describe('what looks like a secret is masked, its name is not', () => {
  test.each([
    ['sk-proj-abcdefghijklmnopqrstuvwxyz0123', '[secret]'],
    ['token ghp_abcdefghijklmnopqrstuvwxyz0123456789 here', 'token [secret] here'],
    ['AKIAIOSFODNN7EXAMPLE', '[secret]'],
    ['OPENAI_API_KEY=abcdef123456', 'OPENAI_API_KEY=[secret]'],
    ['export DB_PASSWORD="correct horse"', 'export DB_PASSWORD=[secret]'],
    ['{"api_key": "abcdef", "n": 1}', '{"api_key": [secret], "n": 1}'],
    ['db_password: hunter22', 'db_password: [secret]'],
    ['Authorization: Bearer abc.def.ghi', 'Authorization: Bearer [secret]'],
    ['postgres://app:s3cr3t@db/prod', 'postgres://app:[secret]@db/prod'],
    ['https://tok3n@git.example/x.git', 'https://[secret]@git.example/x.git'],
    ['GET /v1?token=abc&n=1', 'GET /v1?token=[secret]&n=1'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', '[secret]'],
    ['123456789:AAabcdefghijklmnopqrstuvwxyz0123456', '[secret]'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nrest',
      '-----BEGIN RSA PRIVATE KEY-----[secret]-----END RSA PRIVATE KEY-----\nrest',
    ],
    ['-----BEGIN PRIVATE KEY-----\nMIIEow and the log was cut', '-----BEGIN PRIVATE KEY-----[secret]'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test.each([
    'used 812 tokens: 800 in, 12 out',
    'KEY=$OTHER_KEY ./run',
    'the password was wrong',
    'see https://example.org/a?page=2&sort=name',
    'mail me@example.org',
    'a task-based approach to disk-usage',
    'const tokens = tokenize(text)',
  ])('and ordinary text stays: %s', (text) => {
    expect(redact(text)).toBe(text)
  })
})

test('text for a model loses known values only, so that it does not repair masked fixtures', () => {
  expect(createValueMask([secret])(`KEY=sk-abcdefghijklmnopqrstuv ${secret}`)).toBe(
    'KEY=sk-abcdefghijklmnopqrstuv [secret]',
  )
})

describe('one line of 10 MB takes about ten times as long as one of 1 MB', () => {
  const fragments = [
    'KEY',
    'KEY=',
    "KEY='a",
    'KEY="a',
    'eyJaaaaaaaaaa-',
    'eyJaaaaaaaaaaaa.',
    '://a:',
    '://',
    'sk-',
    'SG.aaaaaaaaaaaaaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '-----END ',
    'authorization',
    'bearer ',
    '?token=',
    'api_key: "',
    'a_api-key',
    ' ',
    'A',
    '1',
    '"',
  ]
  // Time of the processor, not of the wall: other work on the machine says nothing about us.
  const millisFor = (fragment: string, bytes: number): number => {
    const line = fragment.repeat(Math.ceil(bytes / fragment.length))
    const before = process.cpuUsage()
    redact(line)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  test.each(fragments)('of %j again and again', (fragment) => {
    const smallMs = Math.max(millisFor(fragment, 1_000_000), millisFor(fragment, 1_000_000), 10)

    expect(millisFor(fragment, 10_000_000)).toBeLessThan(smallMs * 40)
  })
})
