import { expect, test } from 'vitest'
import { describeSize, parseSize, sizePattern } from '../../src/kernel/index.ts'

test.each([
  ['5GiB', 5 * 2 ** 30],
  ['1.5GB', 1_500_000_000],
  ['512KiB', 524_288],
  ['10kB', 10_000],
  ['10KB', 10_000],
  ['100B', 100],
  ['2TiB', 2 * 2 ** 40],
])('%s is %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
  expect(text).toMatch(new RegExp(sizePattern))
})

test.each(['', '5', '5G', '-1GiB', '5 GiB', 'GiB', '1e3MB', '5gib', '99999999999999TiB', '0x5MB'])(
  '"%s" is no size, because a unit or a number is missing or could be meant in two ways',
  (text) => expect(parseSize(text)).toBeUndefined(),
)

test('a size of nothing is read, and no field takes it', () => {
  expect(parseSize('0GiB')).toBe(0)
  expect('0GiB').not.toMatch(new RegExp(sizePattern))
})

test.each([
  [812, '812 B'],
  [1_340_000, '1.3 MiB'],
  [5 * 2 ** 30, '5 GiB'],
  [150 * 2 ** 20, '150 MiB'],
])('%i bytes are told as %s', (bytes, text) => expect(describeSize(bytes)).toBe(text))
