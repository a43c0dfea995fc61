import { describe, expect, test } from 'vitest'
import { type Mask, readFoldedTail, readLastLine } from '../../src/runs/index.ts'
import { makeFile } from './run-folder.ts'

const plain: Mask = (text) => text
const tail = (content: string | Buffer, mask: Mask = plain) => readFoldedTail(makeFile(content), mask)
const esc = '\u001b'

test('a run that said nothing, or whose log is gone, has an empty tail', () => {
  expect(tail('')).toBe('')
  expect(tail('\n \n\t\n')).toBe('')
  expect(readFoldedTail('/no/such/output.log', plain)).toBe('')
})

test('C49: the last 20 lines that hold something are kept', () => {
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`)
  expect(tail(lines.join('\n\n  \n'))).toBe(lines.slice(-20).join('\n'))
  expect(tail('one\ntwo')).toBe('one\ntwo')
})

test('at most 4,000 characters are kept, the last ones', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${String(at).padStart(2, '0')}${'x'.repeat(300)}`)
  const folded = tail(lines.join('\n'))
  expect(folded).toHaveLength(4_000)
  expect(folded.endsWith(lines.at(-1) ?? '')).toBe(true)
})

test('of a last line that is longer than everything, its last 4,000 characters are kept', () => {
  const folded = tail(`first\n${'a'.repeat(200_000)}THE END`)
  expect(folded).toBe(`${'a'.repeat(3_993)}THE END`)
  expect(tail(`${'🎉'.repeat(30_000)}`)).toMatch(/^🎉{1999,2000}$/u)
})

test('a line that the window of 64 KiB cuts is left out', () => {
  const content = `${'secret'.repeat(20)}\n${'b'.repeat(64 * 1_024 - 30)}\nlast`
  expect(tail(`${content}`)).toMatch(/b\nlast$/)
  expect(tail(`${'secret'.repeat(20)}\n${'b'.repeat(64 * 1_024 - 4)}\nlast`)).toBe('last')
})

test('C109: bytes that are no text are shown, and the rest stays as it is', () => {
  const content = Buffer.concat([
    Buffer.from('before \0 '),
    Buffer.from([0xff]),
    Buffer.from(' ünï 🎉 '),
    Buffer.from('🎉').subarray(0, 2),
    Buffer.from('\nafter'),
  ])
  expect(tail(content)).toBe('before \\x00 \\xff ünï 🎉 \\xf0\\x9f\nafter')
})

test('C109: half a character at the very end of the log is shown by its bytes', () => {
  expect(tail(Buffer.concat([Buffer.from('x'), Buffer.from('é').subarray(0, 1)]))).toBe('x\\xc3')
})

test.each([
  ['overlong', [0xc0, 0x80], '\\xc0\\x80'],
  ['a surrogate', [0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
  ['behind the last character', [0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
  ['a lone continuation', [0x80], '\\x80'],
  ['no beginning', [0xfe], '\\xfe'],
])('C109: %s is no character', (_what, bytes, shown) => {
  expect(tail(Buffer.concat([Buffer.from('a'), Buffer.from(bytes), Buffer.from('é')]))).toBe(`a${shown}é`)
})

test('colours, cursor moves, links and titles are taken out', () => {
  expect(
    tail(
      `${esc}[31mError${esc}[0m: ${esc}[1;4mno${esc}[K${esc}[2A\n${esc}]0;title\u0007${esc}]8;;http://x${esc}\\link${esc}]8;;${esc}\\`,
    ),
  ).toBe('Error: no\nlink')
})

test('frames, bars and spinners are taken out, and what stands in them stays', () => {
  expect(tail('╭────────╮\n│ Error: │\n╰────────╯\n⠋ working\n████░░░░ 50 %\n⎯⎯ Failed ⎯⎯')).toBe(
    '  Error:\n  working\n  50 %\n  Failed'.replaceAll('\n  ', '\n '.concat(' ')),
  )
})

test('of a line that was written over, what was seen last is kept', () => {
  expect(tail('10 %\r20 %\r100 %\ndone\r\nnext')).toBe('100 %\ndone\nnext')
})

test('what could turn a line around or ring a bell is shown by its number', () => {
  expect(tail('a\u0007b\u202ecod\u2066e\u0085')).toBe('a\\x07b\\u202ecod\\u2066e\\x85')
})

test('secrets are masked in whole lines, before anything is cut', () => {
  const mask: Mask = (text) => text.replaceAll('sk-12345', '***')
  expect(tail('key sk-12345\nnext', mask)).toBe('key ***\nnext')
  expect(tail(`key ${esc}[1msk-${esc}[0m12345`, mask)).toBe('key ***')
  // Cut first, the end of the secret would be left without the beginning by which it is known.
  expect(tail(`${'x'.repeat(10)}sk-12345${'y'.repeat(3_995)}`, mask)).toBe(`xx***${'y'.repeat(3_995)}`)
  expect(tail('-----BEGIN\nabc\n-----END', (text) => text.replace(/-----BEGIN.*-----END/s, '***'))).toBe('***')
})

describe('the last line, for live progress', () => {
  const last = (content: string | Buffer, mask: Mask = plain) => readLastLine(makeFile(content), mask)

  test('is the last that holds something, readable and masked', () => {
    expect(last('one\ntwo\n\n')).toBe('two')
    expect(last(`one\n  ${esc}[32mok${esc}[0m `)).toBe('ok')
    expect(last('webpack 70 %\rwebpack 71 %')).toBe('webpack 71 %')
    expect(last('key sk-1', () => 'key ***')).toBe('key ***')
    expect(last('')).toBeUndefined()
    expect(readLastLine('/no/such/output.log', plain)).toBeUndefined()
  })

  test('is at most 200 characters of a long line', () => {
    expect(last(`${'a'.repeat(10_000)}END`)).toBe(`${'a'.repeat(197)}END`)
  })
})
