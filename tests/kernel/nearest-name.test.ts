import { expect, test } from 'vitest'
import { nearestName } from '../../src/kernel/index.ts'

test.each([
  // Two letters that changed places are one slip, so that "run" is nearer than "env".
  ['rnu', ['env', 'run', 'exits'], 'run'],
  ['tiemout', ['attempts', 'timeout'], 'timeout'],
  ['abdc', ['abcd', 'abd'], 'abcd'],
  ['lst', ['log', 'list', 'last'], 'list'],
  ['zzzz', ['run', 'env'], undefined],
])('of %s among %j is meant %s', (typed, known, meant) => {
  expect(nearestName(typed, known)).toBe(meant)
})
