import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readKey, readSecret } from '../../../src/kernel/config/index.ts'

const keyOf = (THE_KEY: string) => readKey({ env: 'THE_KEY' }, { env: { THE_KEY } })

test('a command that hangs in a program of its own is given up at the deadline, and nobody waits for that one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yard-keys-'))
  const command = ['/bin/sh', '-c', `sleep 600 & echo $! > ${folder}/pid; wait`]
  expect(await readKey({ command }, { env: {} })).toEqual({ ok: false, says: '/bin/sh did not answer within 10 s' })
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL')
  rmSync(folder, { recursive: true })
})

describe('C71: a key is looked at before anything is started with it', () => {
  test.each([
    ['', 'THE_KEY is not set'],
    ['  \n', 'THE_KEY is not set'],
    ['sk-abc def', 'THE_KEY holds no key: there are blanks in it'],
    ['sk-abc\nsk-def', 'THE_KEY holds no key: it has more than one line'],
    ['sk-abc\u200bdef', 'THE_KEY holds no key: it has characters that no header can carry'],
    ['sk-äbc', 'THE_KEY holds no key: it has characters that no header can carry'],
    ['sk-abc…wxyz', 'THE_KEY holds no key: it has characters that no header can carry'],
    ['***', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['sk-proj-********wxyz', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['sk-...wxyz', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['[secret]', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['<redacted>', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['sk-xxxxxxxxxxxx', 'THE_KEY holds no key: it is masked, as if it was copied from a log or a page'],
    ['<your-key>', 'THE_KEY holds no key: it is a placeholder from an example'],
    ['your-api-key-here', 'THE_KEY holds no key: it is a placeholder from an example'],
    ['YOUR_OPENAI_API_KEY', 'THE_KEY holds no key: it is a placeholder from an example'],
    ['$OPENAI_API_KEY', 'THE_KEY holds no key: it is a placeholder from an example'],
    ['changeme', 'THE_KEY holds no key: it is a placeholder from an example'],
  ])('%j is refused', async (value, says) => {
    expect(await keyOf(value)).toEqual({ ok: false, says })
  })

  test.each([
    ` ${'sk-'}proj-abcDEF0123456789_- `,
    'x',
    'lm-studio',
    'xai-0123456789',
    'key.with.dots',
    'your-keyboard-is-loud',
    'a/b+c==',
  ])('%j is a key', async (value) => {
    expect(await keyOf(value)).toEqual({ ok: true, value: value.trim() })
  })

  test('what is wrong is told with its place, whatever place that is, and never with the text itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yard-keys-'))
    const file = join(folder, 'key')
    writeFileSync(file, 'hunter22 hunter33\n')
    expect(await readKey({ file }, { env: {} })).toEqual({
      ok: false,
      says: `${file} holds no key: there are blanks in it`,
    })
    const command = ['/bin/sh', '-c', 'echo "hunter22 hunter33"']
    expect(await readKey({ command }, { env: {} })).toEqual({
      ok: false,
      says: '/bin/sh holds no key: there are blanks in it',
    })
    rmSync(folder, { recursive: true })
  })
})

test('a secret that is no key may have blanks and lines, as a password or a certificate has', async () => {
  expect(await readSecret({ env: 'PEM' }, { env: { PEM: 'one\ntwo three' } })).toEqual({
    ok: true,
    value: 'one\ntwo three',
  })
})
