import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

test('C70: words such as 403, quota and auth in a title, a name, a folder or an output decide nothing: the retry goes ahead', async () => {
  const account = { baseUrl: null, key: 'none' as const, slots: null }
  await using yard = await startYard({
    lanes: { 'auth-quota': { account: 'quota' } },
    accounts: { quota: account },
  })
  const says = 'HTTP 403 Forbidden: quota exceeded, auth failed for author; 429 rate limit; timeout'
  const script = `if [ -e tried ]; then echo ok; else touch tried; echo "${says}"; echo "No space left on device" >&2; exit 1; fi`
  const id = yard.add(
    { title: 'Fix 403 Forbidden quota auth author', run: script, attempts: 2, workspace: { kind: 'scratch' } },
    { lane: 'auth-quota' },
  )
  expect((await yard.over(id)).status).toBe('done')
  const [first, second] = yard.runs(id)
  expect(first).toMatchObject({ outcome: 'failed', exitCode: 1, outputTail: expect.stringContaining('403 Forbidden') })
  expect(second).toMatchObject({ outcome: 'done' })
  expect(yard.board.readGate('quota')?.untilMs ?? null).toBeNull()
  expect(yard.board.holds()).toEqual([])
})
