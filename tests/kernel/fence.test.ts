import { expect, test } from 'vitest'
import { fenced } from '../../src/kernel/index.ts'

test('a fence is longer than any run of backticks in its text, however many there are', () => {
  expect(fenced('plain')).toBe('```text\nplain\n```')
  expect(fenced('a ```` b `` c')).toMatch(/^`{5}text\n.*\n`{5}$/s)
  const many = '` '.repeat(500_000)
  expect(fenced(many).startsWith('```text\n')).toBe(true)
})
