import { appendFileSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Piece, readLogPiece } from '../../../src/api/logs/read-piece.ts'
import { createRedactor } from '../../../src/kernel/index.ts'

const secret = 'correct-horse-battery-staple-4711'
const keyLines = `-----BEGIN KEY-----\n${'A1b2C3d4E5f6G7h8'.repeat(4)}\n${'Z9y8X7w6V5u4T3s2'.repeat(4)}\n-----END KEY-----`
const mask = createRedactor([secret, keyLines])
/** A range is at least this long, however little was asked for. */
const leastPieceBytes = 32 * 1024
const nowMs = Date.parse('2026-11-29T18:00:00Z')

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yard-log-'))
  file = join(folder, 'output.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

const settled = (from: number, limit = 1): Piece =>
  readLogPiece({ mask }, file, { from, limit, start: 'safe', open: false, nowMs })

const growing = (from: number, changedAgoMs: number): Piece => {
  const at = new Date(nowMs - changedAgoMs)
  utimesSync(file, at, at)
  return readLogPiece({ mask }, file, { from, limit: 1, start: 'as_given', open: true, nowMs })
}

describe('a range of a log', () => {
  test.each([
    ['begins', 0],
    ['ends', leastPieceBytes],
  ])('shows no part of a secret, wherever in it it %s', (_, before) => {
    const filler = 'a line of output that says nothing\n'.repeat(1_200)
    fc.assert(
      fc.property(
        fc.constantFrom(secret, keyLines),
        fc.constantFrom('', '\n', 'token='),
        fc.integer({ min: -3, max: keyLines.length + 3 }),
        (value, prefix, offset) => {
          writeFileSync(file, `${filler}${prefix}${value}.\n${filler}`)
          const piece = settled(filler.length + prefix.length + offset - before)
          const next = settled(piece.next)
          for (const text of [piece.text, next.text, piece.text + next.text]) {
            for (let at = 0; at + 8 <= value.length; at += 4) expect(text).not.toContain(value.slice(at, at + 8))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('and the one after it make the whole log, with bytes that are no text shown as such (C109)', () => {
    const bytes = Buffer.concat([
      Buffer.from('é 🧵\n'.repeat(20_000)),
      Buffer.from([0xff, 0x00, 0xc3]),
      Buffer.from(`\n${secret}\n`),
    ])
    writeFileSync(file, bytes)
    let text = ''
    let from = 0
    for (let piece = settled(0); ; piece = settled(from)) {
      expect(piece.from).toBe(from)
      text += piece.text
      from = piece.next
      if (from === piece.size) break
    }
    expect(text).toBe(`${'é 🧵\n'.repeat(20_000)}\\xff\0\\xc3\n[secret]\n`)
    expect(from).toBe(bytes.length)
  })

  test('from the end begins that many bytes before it', () => {
    writeFileSync(file, 'one\ntwo\nthree\n')
    expect(settled(-6).text).toBe('three\n')
    expect(settled(-1_000).text).toBe('one\ntwo\nthree\n')
  })

  test('behind the end is empty', () => {
    writeFileSync(file, 'one\n')
    expect(settled(100)).toEqual({ text: '', from: 4, next: 4, size: 4 })
  })

  test.each([
    ['missing', () => {}],
    ['a link', () => symlinkSync('/etc/hostname', file)],
  ])('of a log that is %s is empty', (_, prepare) => {
    prepare()
    expect(settled(0)).toEqual({ text: '', from: 0, next: 0, size: 0 })
  })
})

describe('a log that is being written', () => {
  test('holds its unfinished line back, so that no half of a secret is shown', () => {
    writeFileSync(file, `ready\ntoken is ${secret.slice(0, 12)}`)
    const first = growing(0, 10)
    expect(first).toMatchObject({ text: 'ready\n', next: 6 })
    appendFileSync(file, `${secret.slice(12)}\n`)
    expect(growing(first.next, 10).text).toBe('token is [secret]\n')
  })

  test('gives its unfinished line out once it rests: a question waits for an answer', () => {
    writeFileSync(file, 'ready\nPassword: ')
    expect(growing(6, 999).text).toBe('')
    expect(growing(6, 1_000).text).toBe('Password: ')
  })
})
