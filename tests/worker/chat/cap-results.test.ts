import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capResults, cutMiddle } from '../../../src/worker/chat/cap-results.ts'

const limits = { oneChars: 1_000, allChars: 2_000 } as const
const mark = /\[… \d+ characters are left out here: results of one turn are cut to fit …\]/
/** A cut's own words. */
const markChars = 100

test('what fits stays as it is', () => {
  expect(capResults(['a', 'b'.repeat(1_000)], limits)).toEqual(['a', 'b'.repeat(1_000)])
})

test('the longest give way first, beginning and end stay, and the cut says how much is gone', () => {
  const long = `begin${'x'.repeat(5_000)}end`

  const [short, cut = ''] = capResults(['short', long], limits)

  expect(short).toBe('short')
  expect(cut).toMatch(/^begin/)
  expect(cut).toMatch(/end$/)
  const gone = Number(/(\d+) characters/.exec(cut)?.[1])
  expect(cut.replace(mark, '').replace(/\n/g, '').length + gone).toBe(long.length)
})

test('200 results of 100 MB together come down to the budget of a turn', () => {
  const texts = Array.from({ length: 200 }, () => 'y'.repeat(500_000))

  const capped = capResults(texts)

  expect(capped).toHaveLength(200)
  expect(capped.join('').length).toBeLessThan(200_000 + 200 * markChars)
})

test('never more than the budget, never more than one each, order kept, nothing cut that fits', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3_000 }), { maxLength: 30 }), (lengths) => {
      const texts = lengths.map((length, index) => String.fromCharCode(97 + (index % 26)).repeat(length))
      const capped = capResults(texts, limits)
      const cuts = capped.filter((text) => mark.test(text)).length
      expect(capped.join('').length).toBeLessThanOrEqual(limits.allChars + cuts * markChars)
      for (const [index, text] of capped.entries()) {
        expect(text[0]).toBe(texts[index]?.[0])
        expect(text.length).toBeLessThanOrEqual(limits.oneChars + markChars)
      }
      if (lengths.every((length) => length <= 1_000) && lengths.reduce((sum, length) => sum + length, 0) <= 2_000) {
        expect(capped).toEqual(texts)
      }
    }),
  )
})

test('no character is cut in two', () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.nat({ max: 1 }), (mostChars, shift) => {
      const cut = cutMiddle(`${'a'.repeat(shift)}${'🚀'.repeat(50)}`, mostChars)
      expect(cut).toBe(cut.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, ''))
    }),
  )
})
