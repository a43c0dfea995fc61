import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, createValueMask, maskJson } from '../../src/kernel/index.ts'
import { cpuTimer } from '../cpu-timer.ts'

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
    ['export DB_PASSWORD="correct horse"', 'export DB_PASSWORD="[secret]"'],
    ['{"api_key": "abcdef", "n": 1}', '{"api_key": "[secret]", "n": 1}'],
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
    [`{\\"token\\": \\"abcdefgh\\"}`, `{\\"token\\": \\"[secret]\\"}`],
    ["{'access_token': 'abcdefgh'}", "{'access_token': '[secret]'}"],
    ['PGPASSWORD=hunter22 psql', 'PGPASSWORD=[secret] psql'],
    ['PASSWORD=abc$def,ghi', 'PASSWORD=[secret]'],
    ['dbPassword = "hunter22"', 'dbPassword = "[secret]"'],
    ['clientSecret: hunter22', 'clientSecret: [secret]'],
    ['spring.datasource.password=hunter22', 'spring.datasource.password=[secret]'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY=[secret]'],
    ['STRIPE_KEY=rk_whatever', 'STRIPE_KEY=[secret]'],
    ['X-Api-Key: abcdef123', 'X-Api-Key: [secret]'],
    ['"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic [secret]"'],
    ['Cookie: sid=abcdef', 'Cookie: [secret]'],
    ['redis://:s3cr3t@cache:6379', 'redis://:[secret]@cache:6379'],
    ['?X-Amz-Signature=abcdef0123&x=1', '?X-Amz-Signature=[secret]&x=1'],
    [
      `https://hooks.slack.com/services/${'T00000000/B00000000/abcdefghijkl'}`,
      'https://hooks.slack.com/services/[secret]',
    ],
    [`xoxb-${'1234567890-abcdef'}`, '[secret]'],
    [`glpat-${'abcdefghij0123456789'}`, '[secret]'],
    [`dapi${'0123456789abcdef'.repeat(2)}`, '[secret]'],
    [`GOCSPX-${'abcdefghij0123456789'}`, '[secret]'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test.each([
    'MAX_TOKENS=5',
    'MAX_TOKENS=128000',
    'max_tokens: 4096,',
    'token_count: 12',
    'TOKEN_LIMIT=5000000',
    '{"prompt_tokens": 12345, "total_tokens": 99999}',
    '{"input_token_count": "123456"}',
    '{"next_token": "page-two-of-three"}',
    'keyboard: qwertz',
    'KEYBOARD_LAYOUT=qwertz',
    'MONKEY=bananas',
    'TOKENIZERS_PARALLELISM=disabled',
    'tokenizer: cl100k_base',
    'CACHE_KEY=npm-linux-abcdef',
    'primary_key: customer',
    '{"row_key": "lint[src/a.ts]"}',
    'PUBLIC_KEY=ssh-ed25519',
    'PASSWORD_MIN_LENGTH=twelve',
    'SECRET_NAME=the-name-of-it',
    'KEY_FILE=/etc/ssl/private',
    'PWD=/home/ana/code',
    'has_password: probably',
    'api_key: null,',
    'const password = readPassword()',
    'password: $' + '{{ env.X }}',
    'Unexpected token: semicolon',
    'the secret: patience',
    'sk-learn and sk-image are libraries',
    'SKU 12345678901234567890123456789012',
    'http://127.0.0.1:7420/#once=abc',
    'git@github.com:acme/web.git',
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

test('one line of 10 MB takes less than a second', () => {
  const line = '{"id": 12, "tokens": 345, "text": "some words of a log, and a path/to/file.ts:12"}, '.repeat(120_000)
  const usedMs = cpuTimer()
  expect(redact(line)).toBe(line)
  expect(usedMs()).toBeLessThan(6_000) // some 600 on a machine with nothing else to do
  expect(line.length).toBeGreaterThan(9_900_000)
})

test('a secret that begins in the midst of another leaves nothing of either', () => {
  expect(createRedactor(['abcdefghij', 'ghijklmnop'])('see abcdefghijklmnop.')).toBe('see [secret].')
})

test('text for a model loses known values only, so that it does not repair masked fixtures', () => {
  expect(createValueMask([secret])(`KEY=sk-abcdefghijklmnopqrstuv ${secret}`)).toBe(
    'KEY=sk-abcdefghijklmnopqrstuv [secret]',
  )
})

describe('one line of 1 MB takes about ten times as long as one of a tenth of it', () => {
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
    'authorization: bearer ',
    'bearer ',
    'a=',
    'a: ',
    '"token":',
    'PASSWORD="',
    'Maaaaaaaaaaaaaaaaaaaaaaaa.',
    'hooks.slack.com/a/',
    '?token=',
    'api_key: "',
    'a_api-key',
    ' ',
    'A',
    '1',
    '"',
  ]
  const millisFor = (fragment: string, bytes: number): number => {
    const line = fragment.repeat(Math.ceil(bytes / fragment.length))
    const usedMs = cpuTimer()
    redact(line)
    return usedMs()
  }

  test.each(fragments)('of %j again and again', (fragment) => {
    const smallMs = Math.max(millisFor(fragment, 100_000), millisFor(fragment, 100_000), 10)

    expect(millisFor(fragment, 1_000_000)).toBeLessThan(smallMs * 40)
  })
})
