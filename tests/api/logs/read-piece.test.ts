import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Piece, readLogPiece } from '../../../src/api/logs/read-piece.ts'
import { createLogMask } from '../../../src/kernel/index.ts'
import { type LogPart, writeLogParts } from '../../../src/runs/index.ts'
import { cpuTimer } from '../../cpu-timer.ts'
import { makeFolder } from '../../runs/run-folder.ts'

const secret = 'correct-horse-battery-staple-4711'
const keyLines = `-----BEGIN KEY-----\n${'A1b2C3d4E5f6G7h8'.repeat(4)}\n${'Z9y8X7w6V5u4T3s2'.repeat(4)}\n-----END KEY-----`
const mask = createLogMask([secret, keyLines])
const masked = `[secret]${'*'.repeat(secret.length - 8)}`
const nowMs = Date.parse('2026-11-29T18:00:00Z')

let file: string
beforeEach(() => {
  file = join(makeFolder(), 'output.log')
})

const settled = (from: number, limit = 1_000_000): Piece =>
  readLogPiece({ mask }, file, { from, limit, open: false, nowMs })

const growing = (from: number, changedAgoMs: number): Piece => {
  const at = new Date(nowMs - changedAgoMs)
  utimesSync(file, at, at)
  return readLogPiece({ mask }, file, { from, limit: 1_000_000, open: true, nowMs })
}

/** All pieces from `from` on, as a reader asks for them. */
function piecesFrom(from: number, limit: number): readonly Piece[] {
  const pieces: Piece[] = []
  for (let at = from; ; ) {
    const piece = settled(at, limit)
    if (piece.next <= at) return pieces
    pieces.push(piece)
    at = piece.next
  }
}

describe('a range of a log', () => {
  test('counts its bytes as they were written: a masked secret is as long as it was', () => {
    writeFileSync(file, `one ${secret} two\nthree\n`)
    expect(settled(0).text).toBe(`one ${masked} two\nthree\n`)
    expect(settled(4 + secret.length)).toMatchObject({ text: ' two\nthree\n', from: 4 + secret.length })
  })

  test('that begins or ends in the middle of a secret shows no part of it, and neither does the one beside it', () => {
    const filler = 'a line of output that says nothing\n'.repeat(40)
    fc.assert(
      fc.property(
        fc.constantFrom(secret, keyLines, Buffer.from(`user:${secret}`).toString('base64')),
        fc.constantFrom('', '\n', 'token=', 'é'),
        fc.integer({ min: -3, max: keyLines.length + 3 }),
        (value, prefix, offset) => {
          writeFileSync(file, `${filler}${prefix}${value}.\n${filler}`)
          const edge = Buffer.byteLength(filler + prefix) + offset
          const [before, after] = [settled(0, edge), settled(edge)]
          expect(before.next).toBeLessThanOrEqual(edge)
          for (const text of [before.text, after.text]) {
            for (let at = 4; at + 8 <= value.length - 4; at += 4) expect(text).not.toContain(value.slice(at, at + 8))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  const anyBytes = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(secret, keyLines, `Bearer ${'x9'.repeat(20)}`, '\n').map((t) => Buffer.from(t)),
    },
  )

  test('is the same piece of the masked log, wherever it begins and ends, whatever bytes are in it', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { maxLength: 30 }), fc.integer({ min: 4, max: 90 }), (parts, limit) => {
        const bytes = Buffer.concat(parts)
        writeFileSync(file, bytes)
        expect(mask(bytes)).toHaveLength(bytes.length)
        const pieces = piecesFrom(0, limit)
        expect(pieces.map(({ text }) => text).join('')).toBe(bytes.length === 0 ? '' : settled(0).text)
        expect(pieces.at(-1)?.next ?? 0).toBe(bytes.length)
        for (const piece of pieces) {
          expect(piece.next - piece.from).toBeLessThanOrEqual(limit)
          expect(piece.text).not.toContain(secret)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('in a log with holes says what is gone in one line, and everything around it keeps its offset', () => {
    const keeps = fc.integer({ min: 100, max: 900 })
    fc.assert(
      fc.property(
        fc.array(anyBytes, { maxLength: 40 }),
        keeps,
        keeps,
        fc.integer({ min: 100, max: 900 }),
        (parts, head, tail, limit) => {
          const bytes = Buffer.concat([Buffer.alloc(head, 'first line\n'), ...parts, Buffer.alloc(tail, 'last line\n')])
          const from = head + 40
          fc.pre(bytes.length - tail > from)
          cutOut(bytes, from, bytes.length - tail)
          const pieces = piecesFrom(0, limit)
          const gaps = pieces.filter(({ gone }) => gone > 0)
          expect(gaps).toHaveLength(1)
          expect(gaps[0]?.text.trim()).toMatch(/^… .+ cut: log_limit keeps the beginning and the end …$/)
          let at = 0
          for (const piece of pieces) {
            expect(piece.from).toBeGreaterThanOrEqual(at)
            expect(piece.from - at).toBeLessThan(4)
            if (piece.gone === 0) expect(piece.text).not.toMatch(/\0{50}/)
            at = piece.next
          }
          expect(at).toBe(bytes.length)
          expect(settled(-9).text).toBe(settled(bytes.length - 9).text)
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each([
    ['a known value', secret, [secret.slice(2, 14), secret.slice(-14, -2)]],
    ['a known value of several lines', keyLines, ['A1b2C3d4', 'Z9y8X7w6']],
    [
      'a private key',
      `-----BEGIN RSA PRIVATE KEY-----\n${'Q0dLL3h4Zm9v\n'.repeat(30)}-----END RSA PRIVATE KEY-----`,
      ['Q0dLL3h4Zm9v'],
    ],
  ])('never shows the rest of %s that a cut went through', (_, value, parts) => {
    const filler = 'a line that says nothing\n'.repeat(20)
    for (let offset = 9; offset < value.length - 9; offset += 7) {
      const bytes = Buffer.from(`${filler}${value}\n${filler}${value}\n${filler}`)
      cutOut(bytes, filler.length + offset, 2 * filler.length + value.length + 1 + offset)
      const text = piecesFrom(0, 1_000_000)
        .map((piece) => piece.text)
        .join('')
      expect(text).toContain('… ')
      for (const part of parts) expect(text).not.toContain(part)
    }
  })

  test('of 100 GB of which the middle is gone takes no longer than of a small one', () => {
    const gb = 1e9
    const [head, tail] = ['first\n', 'rest\nlast words\n']
    const descriptor = openSync(file, 'w')
    writeSync(descriptor, head)
    ftruncateSync(descriptor, 100 * gb)
    writeSync(descriptor, tail, 100 * gb)
    closeSync(descriptor)
    writeLogParts(file, [
      { file: 'output.log', at: 0, from: 0, to: head.length },
      { file: 'output.log', at: 100 * gb, from: 100 * gb, to: null, gap: 'limit' },
    ])
    const usedMs = cpuTimer()
    const pieces = piecesFrom(0, 1_000)
    expect(usedMs()).toBeLessThan(5_000)
    expect(pieces.map(({ text }) => text)).toEqual([
      head,
      '… 93.1 GiB cut: log_limit keeps the beginning and the end …\n',
      'last words\n',
    ])
  })

  test('from the end begins that many bytes before it', () => {
    writeFileSync(file, 'one\ntwo\nthree\n')
    expect(settled(-6).text).toBe('three\n')
    expect(settled(-1_000).text).toBe('one\ntwo\nthree\n')
  })

  test('C109: shows bytes that are no text as such, and never cuts a character', () => {
    writeFileSync(file, Buffer.concat([Buffer.from('é'), Buffer.from([0xff, 0x00, 0xc3]), Buffer.from('🧵')]))
    expect(settled(0).text).toBe('é\\xff\0\\xc3🧵')
    expect(settled(1)).toMatchObject({ text: '\\xff\0\\xc3🧵', from: 2 })
    expect(settled(0, 6)).toMatchObject({ text: 'é\\xff\0\\xc3', next: 5 })
  })

  test('behind the end is empty', () => {
    writeFileSync(file, 'one\n')
    expect(settled(100)).toEqual({ text: '', from: 4, next: 4, size: 4, gone: 0 })
  })

  test.each([
    ['missing', () => {}],
    ['a link', () => symlinkSync('/etc/hostname', file)],
  ])('of a log that is %s is empty', (_, prepare) => {
    prepare()
    expect(settled(0)).toEqual({ text: '', from: 0, next: 0, size: 0, gone: 0 })
  })

  test('of a log in a directory that was replaced by a link is empty', () => {
    writeFileSync(file, 'somebody else’s\n')
    const link = join(makeFolder(), 'R1')
    symlinkSync(dirname(file), link)
    expect(readLogPiece({ mask }, join(link, 'output.log'), { from: 0, limit: 9, open: false, nowMs }).size).toBe(0)
  })
})

describe('a log that is being written', () => {
  test('holds its unfinished line back, so that no half of a secret is shown', () => {
    writeFileSync(file, `ready\ntoken is ${secret.slice(0, 12)}`)
    const first = growing(0, 10)
    expect(first).toMatchObject({ text: 'ready\n', next: 6 })
    appendFileSync(file, `${secret.slice(12)}\n`)
    expect(growing(first.next, 10).text).toBe(`token is ${masked}\n`)
  })

  test('gives its unfinished line out once it rests: a question waits for an answer', () => {
    writeFileSync(file, 'ready\nPassword: ')
    expect(growing(6, 999).text).toBe('')
    expect(growing(6, 1_000).text).toBe('Password: ')
  })

  test('shows no part of a secret of several lines that comes line by line, nor of one whose writer rests in its middle', () => {
    const lines = keyLines.split('\n').map((line) => `${line}\n`)
    writeFileSync(file, '')
    let shown = ''
    let next = 0
    for (const line of lines) {
      appendFileSync(file, line)
      const piece = growing(next, 10)
      shown += piece.text
      next = piece.next
    }
    expect(shown).toHaveLength(keyLines.length + 1)
    for (const line of lines) expect(shown).not.toContain(line.trim())
    appendFileSync(file, secret.slice(0, 20))
    expect(growing(next, 5_000).text).not.toContain(secret.slice(0, 8))
  })

  test('that its worker has shortened goes on for its follower where it was', () => {
    writeFileSync(file, 'one\ntwo\nthree\n')
    expect(growing(0, 10).next).toBe(14)
    writeFileSync(file, 'new\n')
    expect(growing(14, 10)).toMatchObject({ text: '', next: 4 })
    const parts: readonly LogPart[] = [{ file: 'output.log', at: 0, from: 14, to: null, gap: 'shortened' }]
    writeLogParts(file, parts)
    expect(growing(14, 10)).toMatchObject({ text: 'new\n', from: 14, next: 18, size: 18 })
    expect(settled(0)).toMatchObject({ gone: 14, next: 14 })
    expect(settled(0).text).toMatch(/^… 14 B lost: the log was shortened/)
    expect(readFileSync(file, 'utf8')).toBe('new\n')
  })
})

/** As the supervisor cuts a log: zeros in the middle, and a record of it. */
function cutOut(bytes: Buffer, from: number, to: number): void {
  const left = Buffer.from(bytes)
  left.fill(0, from, to)
  writeFileSync(file, left)
  writeLogParts(file, [
    { file: 'output.log', at: 0, from: 0, to: from },
    { file: 'output.log', at: to, from: to, to: null, gap: 'limit' },
  ])
}
