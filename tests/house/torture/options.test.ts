import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

test('the fault suite runs 150 s with a seed of its own, unless told otherwise', () => {
  expect(parseOptions([], { anySeed: 9 })).toMatchObject({ seconds: 150, seed: 9, tasks: null, output: 'table' })
  expect(parseOptions(['--seconds', '5', '--seed', '3', '--json'], { anySeed: 9 })).toMatchObject({
    seconds: 5,
    seed: 3,
    output: 'json',
  })
})

test.each([
  [['--seconds', 'long'], '--seconds wants a whole number from 0, not long'],
  [['--tasks', '0'], '--tasks wants a whole number from 1, not 0'],
  [['--world', 'moon'], '--world wants one of plain'],
  [['--sseed', '1'], "Unknown option '--sseed'"],
])('%j is refused with what is wrong', (args, says) => {
  expect(() => parseOptions(args, { anySeed: 1 })).toThrow(says)
})
