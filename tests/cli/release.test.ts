import { expect, test } from 'vitest'
import { aHome } from './a-home.ts'
import { aCopyOfARunningHome } from './copy-of-a-running-home.ts'

test('release says what it risks, and does nothing where nobody can be asked and nobody said -y', async () => {
  await using made = await aCopyOfARunningHome()
  const { copy } = made
  const { code, err } = await copy.type('release', 'T1', '--despite', 'R1')
  expect(code).toBe(2)
  expect(err).toContain('R1 may still be alive')
  expect(err).toContain('work on T1 at the same time')
  expect(err).toContain('[CLI_NEEDS_YES]')
  expect((await copy.type('release', 'T1', '--despite', 'R1', '--json')).code).toBe(2)
})

test('release takes one task and one attempt of it, and asks nothing where there is nothing to let go', async () => {
  await using yard = aHome()
  await yard.type('add', 'a task', '--', 'true')
  const refused = await yard.type('release', 'T1', '--despite', 'R7')
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('[API_NOT_ITS_ATTEMPT]')])
  expect(refused.err).not.toContain('may still be alive')
  expect((await yard.type('release', '-y', 'T1', '--despite', '7')).err).toContain('--despite R981')
  expect((await yard.type('release', '-y', 'T1-T2', '--despite', 'R7')).err).toContain('release takes one task')
  const unsaid = await yard.type('release', 'T1')
  expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining('yardmaster why T1 names it')])
  expect(unsaid.err).toContain('yardmaster release T1 --despite R981')
})
