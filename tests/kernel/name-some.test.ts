import { expect, test } from 'vitest'
import { nameSome } from '../../src/kernel/index.ts'

test('names are listed up to a number, and what is left out is counted', () => {
  expect(nameSome([], 2)).toBe('')
  expect(nameSome(['a', 'b'], 2)).toBe('a, b')
  expect(nameSome(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more')
})
