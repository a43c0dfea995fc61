import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeFileName, sayNameFault } from '../../src/kernel/index.ts'

describe('the name of a file', () => {
  test.each([
    'spec.pdf',
    'Pläne für morgen.txt',
    '.env',
    'a',
    '日本語.png',
    '🎉.md',
    'x'.repeat(200),
    'it\'s 100% "fine"; $(rm)',
  ])('%j is one', (name) => expect(sayNameFault(name)).toBeUndefined())

  test.each([
    ['', 'is empty'],
    ['.', 'is the name of a folder'],
    ['..', 'is the name of a folder'],
    ['a/b', 'has a slash in it'],
    ['a\\b', 'has a slash in it'],
    ['a\0', 'has characters in it that cannot be seen'],
    ['a\nb', 'has characters in it that cannot be seen'],
    ['a\u2028b', 'has characters in it that cannot be seen'],
    ['\u202efdp.exe', 'has characters in it that cannot be seen'],
    ['\ud800', 'has characters in it that cannot be seen'],
    [' a', 'begins or ends with a space'],
    ['a ', 'begins or ends with a space'],
    ['ü'.repeat(101), 'has more than 200 bytes'],
  ])('%j is none: it %s', (name, says) => expect(sayNameFault(name)).toBe(says))

  test.each([
    ['two\nlines.txt', 'two_lines.txt'],
    ['a/b.txt', 'a_b.txt'],
    ['..', 'file'],
    ['', 'file'],
    ['  ', 'file'],
    [`${'x'.repeat(300)}.tar.gz`, `${'x'.repeat(193)}.tar.gz`],
    [`${'ü'.repeat(150)}.png`, `${'ü'.repeat(98)}.png`],
  ])('is made of %j', (text, name) => expect(makeFileName(text)).toBe(name))

  test('can be made of any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        (text) => sayNameFault(makeFileName(text)) === undefined,
      ),
    )
    fc.assert(fc.property(fc.string(), (text) => sayNameFault(text) !== undefined || makeFileName(text) === text))
  })
})
