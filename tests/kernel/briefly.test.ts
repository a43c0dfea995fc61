import fc from 'fast-check'
import { expect, test } from 'vitest'
import { briefly, longestBrief } from '../../src/kernel/index.ts'

test('a text that is long ends at a word, and says that it goes on', () => {
  const text = 'which of the two stores is meant? '.repeat(100)
  const brief = briefly(text)
  expect(brief.length).toBeLessThanOrEqual(longestBrief)
  expect(brief.length).toBeGreaterThan(longestBrief - 20)
  expect(brief.endsWith('…')).toBe(true)
  expect(text.startsWith(brief.slice(0, -1))).toBe(true)
  expect(text.slice(brief.length - 1)).toMatch(/^\s/)
})

test('one long word is cut within, and no character is cut in two', () => {
  expect(briefly('x'.repeat(5_000))).toBe(`${'x'.repeat(longestBrief - 1)}…`)
  const faces = briefly('🙂'.repeat(5_000))
  expect(faces.slice(0, -1)).toBe('🙂'.repeat(499))
})

test('what is short enough stays as it is, and nothing ever becomes longer than allowed', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'wörd', '🙂'), maxLength: 3_000, size: 'max' })
  fc.assert(
    fc.property(texts, (text) => {
      const brief = briefly(text)
      expect(brief.length).toBeLessThanOrEqual(longestBrief)
      expect(brief === text).toBe(text.length <= longestBrief)
    }),
  )
})
