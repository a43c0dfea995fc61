import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTokenCheck } from '../../../src/api/auth/token.ts'
import { readToken } from '../../../src/api/client/index.ts'
import { readOrMakeToken } from '../../../src/api/index.ts'
import { systemRandom } from '../../../src/kernel/index.ts'

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'yard-token-'))
  file = join(home, 'token')
})
afterEach(() => rmSync(home, { recursive: true }))

const make = () => readOrMakeToken({ random: systemRandom }, { file })

describe('the token of a home', () => {
  test('is made once, for its owner only, and stays the same', () => {
    const token = make()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(make()).toBe(token)
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
  })

  test('is made although a start before this one was killed while making it', () => {
    writeFileSync(`${file}.new`, 'half')
    expect(make()).toMatch(/^[0-9a-f]{64}$/)
  })

  test('is undefined where there is none', () => {
    expect(readToken(file)).toBeUndefined()
  })

  test.each([
    ['that others may read', () => writeFileSync(file, 'a'.repeat(64), { mode: 0o644 }), 'mode 644'],
    ['that is empty', () => writeFileSync(file, '', { mode: 0o600 }), 'does not hold a token'],
    ['that holds something else', () => writeFileSync(file, 'secret', { mode: 0o600 }), 'does not hold a token'],
    ['that is a link', () => symlinkSync('/etc/hostname', file), 'is a link'],
  ])('in a file %s is refused with the way out, and the file is left alone', (_, prepare, why) => {
    prepare()
    const before = readFileSync(file)
    for (const read of [make, () => readToken(file)]) {
      expect(read).toThrow(
        expect.objectContaining({ code: 'CLIENT_TOKEN_BROKEN', message: expect.stringContaining(why) }),
      )
    }
    expect(readFileSync(file)).toEqual(before)
  })
})

describe('the token check', () => {
  const token = 'ab'.repeat(32)

  test('lets the token pass and nothing else', () => {
    const mayPass = createTokenCheck(token)
    expect(mayPass(`Bearer ${token}`)).toBe(true)
    expect(mayPass(`bearer ${token}`)).toBe(true)
    for (const header of [undefined, '', token, `Basic ${token}`, 'Bearer ', `Bearer ${token}0`, 'Bearer undefined']) {
      expect([header, mayPass(header)]).toEqual([header, false])
    }
  })

  test.each([undefined, '', 'short', 'undefined'])('C157: without a proper token (%s) nobody passes', (broken) => {
    const mayPass = createTokenCheck(broken)
    for (const header of [undefined, '', 'Bearer', 'Bearer ', `Bearer ${broken}`]) expect(mayPass(header)).toBe(false)
  })
})
