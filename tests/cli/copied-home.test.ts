import { expect, test } from 'vitest'
import { aCopyOfARunningHome } from './copy-of-a-running-home.ts'

test('in a copy of a home, list and why without a task tell what runs for the original', async () => {
  await using made = await aCopyOfARunningHome()
  const { yard, copy } = made
  const says = `its attempt R1 runs for ${yard.home}, and this home is a copy of that`
  expect((await copy.type('why')).out).toContain(says)
  expect((await copy.type('list')).out).toContain(`held: it runs for ${yard.home}`)
  expect((await yard.type('why')).out).toContain('No task waits.')
})
