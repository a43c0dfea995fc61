import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutTo, onManyLines, onOneLine, padTo, widthOf } from '../../../src/cli/render/visible.ts'

const esc = '\u001b'

describe('foreign text on one line', () => {
  test('keeps what people write: emoji, right-to-left scripts, dashes, $(…)', () => {
    for (const title of ['--rm -rf $(date)', 'שלום עולם', 'Ship it 🚢 👩‍👩‍👧', '日本語', '"quoted" `x`']) {
      expect(onOneLine(title)).toBe(title)
    }
  })

  test('spells out what would move the cursor, ring, or set the title of the window', () => {
    expect(onOneLine(`a${esc}[2Jb`)).toBe('a\\e[2Jb')
    expect(onOneLine('bell\u0007')).toBe('bell\\x07')
    expect(onOneLine('\u009b2J')).toBe('\\x9b2J')
    expect(onOneLine('invoice\u202egnp.exe')).toBe('invoice\\u202egnp.exe')
  })

  test('turns line breaks and tabs into one blank', () => {
    expect(onOneLine('  first\r\n\n  second\tthird ')).toBe('first second third')
  })

  test('never lets a control character or a line break through, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(onOneLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })
})

test('text of several lines keeps its lines and nothing else that is not text', () => {
  expect(onManyLines(`one\r\ntwo\tx${esc}[1A`)).toBe('one\ntwo  x\\e[1A')
})

describe('widths', () => {
  test('are those of a terminal: two for emoji and CJK, none for marks and colours', () => {
    expect(widthOf('🚢')).toBe(2)
    expect(widthOf('日本')).toBe(4)
    expect(widthOf('e\u0301')).toBe(1)
    expect(widthOf(`${esc}[31mred${esc}[39m`)).toBe(3)
  })

  test('a cut text fits, ends in … and never splits a family of emoji', () => {
    expect(cutTo('fix flaky login test', 10)).toBe('fix flaky…')
    expect(cutTo('a👩‍👩‍👧b', 3)).toBe('a…')
    expect(cutTo('日本語', 5)).toBe('日本…')
    expect(cutTo('short', 10)).toBe('short')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(widthOf(cutTo(onOneLine(text), columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('padding counts columns, not characters', () => {
    expect(padTo('🚢', 4)).toBe('🚢  ')
    expect(padTo('longer', 3)).toBe('longer')
  })
})
