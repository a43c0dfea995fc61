import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Move, openBoard } from '../../src/board/index.ts'
import { systemClock, systemRandom } from '../../src/kernel/index.ts'
import { type AHome, aHome } from './a-home.ts'

const noHubLine = 'No hub is up, so nothing starts yet: yardmaster up -d\n'

/** The next card runs, says this of its end, and has ended; as a hub would have it that is gone since. */
function ranAndSaid(yard: AHome, kind: 'block' | 'review', text: string): void {
  const board = openBoard({ path: join(yard.home, 'yard.db'), clock: systemClock, random: systemRandom })
  const [claim] = board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (claim === undefined) throw new Error('nothing to claim')
  const { id: run, fence } = claim.run
  const code = kind === 'block' ? 'needs_input' : null
  board.recordStarted([{ run, fence, pid: 4_000_000, fingerprint: 'unverified', startedMonotonic: 'boot 1' }])
  board.recordCall({ run, fence }, { kind, code, text, data: null, onTask: null })
  const nothing = {
    exitCode: 0,
    signal: null,
    outputTail: null,
    result: null,
    data: null,
    usage: null,
    stopDelivered: false,
  }
  const outcome = kind === 'block' ? 'blocked' : 'review'
  const used = { peakRssBytes: 412 * 2 ** 20, cpuSeconds: 38.2 }
  board.recordExited([{ run, fence, outcome, reason: text, ...nothing, ...used }])
  const move: Move = kind === 'block' ? { to: 'blocked', code: 'needs_input', text } : { to: 'review', text }
  board.recordSettled([{ run, fence, move, failures: 0 }])
  board.close()
}

test('a question is shown with the line that answers it, and the answer lets the task go on', async () => {
  await using yard = aHome()
  await yard.type('add', 'cache', '--', 'true')
  ranAndSaid(yard, 'block', 'Redis or in memory?')
  expect((await yard.type('list', '--needs-me')).out).toMatch(
    /NEEDS YOU +T1 .*Redis or in memory\? \[needs_input\] +yardmaster answer T1 "…"/,
  )
  expect((await yard.type('why', 'T1')).out).toContain('it asks you: Redis or in memory?')
  expect((await yard.type('show', 'R1')).out).toMatch(/used +peak 412 MiB, 38 s CPU\n/)
  expect((await yard.type('show', 'R1')).out).toMatch(/called +block at /)
  expect(await yard.type('answer', 'T1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('answer needs a text'),
  })
  expect(await yard.type('answer', 'T1', 'Redis')).toMatchObject({
    code: 0,
    out: `T1 ready again; its next attempt reads the answer.\n${noHubLine}`,
  })
  expect((await yard.type('show', 'T1')).out).toContain('"Redis"')
  const twice = await yard.type('answer', 'T1', 'Redis')
  expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('T1 is ready and cannot be answered')])
})

test('a question that came with an imported board wants its answer, too, and its log is said to be where it ran', async () => {
  await using from = aHome()
  await from.type('add', 'cache', '--', 'true')
  ranAndSaid(from, 'block', 'Redis or in memory?')
  await from.type('export', 'board.jsonl')
  await using yard = aHome()
  await yard.type('import', join(from.cwd, 'board.jsonl'))
  expect((await yard.type('list', '--needs-me')).out).toContain('[needs_input]  yardmaster answer T1 "…"')
  expect((await yard.type('why', 'T1')).out).toContain('it asks you: Redis or in memory?')
  const shown = (await yard.type('show', 'T1')).out
  expect(shown).toContain('log       stayed in the home where it ran: the attempt came with an imported board\n')
  expect(shown).not.toContain('kept')
  expect((await yard.type('log', 'R1')).err).toContain(
    'its log and files stayed in the home where it ran [API_LOG_ELSEWHERE]',
  )
  expect(await yard.type('answer', 'T1', 'Redis')).toMatchObject({ code: 0 })
})

test('a group that needs a person is, for an answer, what asks, and for a verdict, what waits for a review', async () => {
  await using yard = aHome()
  for (const title of ['cache', 'login', 'logout']) await yard.type('add', title, '--', 'true')
  ranAndSaid(yard, 'block', 'Redis or in memory?')
  ranAndSaid(yard, 'review', 'look at auth.ts')
  expect((await yard.type('show', 'T1')).out).toContain('why       Redis or in memory? [needs_input]\n')
  expect(await yard.type('answer', '@needs-me', 'Redis')).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/^T1 /),
  })
  expect(await yard.type('approve', '@needs-me')).toMatchObject({ code: 0, err: '', out: 'T2 done.\n' })
})

test('a review waits for a verdict: rejected with what is to change, then approved', async () => {
  await using yard = aHome()
  await yard.type('add', 'login', '--', 'true')
  ranAndSaid(yard, 'review', 'look at auth.ts')
  expect((await yard.type('why', 'T1')).out).toContain('it waits for a review by a person: look at auth.ts')
  expect((await yard.type('list')).out).toMatch(/NEEDS YOU +T1 .*yardmaster approve T1/)
  expect((await yard.type('show', 'T1')).out).toContain('yardmaster approve T1 · yardmaster reject T1 "…"')
  expect((await yard.type('show', 'T1')).out).toContain(
    'why       it waits for a review by a person: look at auth.ts [review]',
  )
  const mistaken = await yard.type('answer', 'T1', 'yes')
  expect(mistaken.err).toContain('T1 waits for a review and cannot be answered')
  expect(mistaken.err).toContain('yardmaster approve T1 · yardmaster reject T1 "…"')
  expect(await yard.type('reject', 'T1')).toMatchObject({ code: 2, err: expect.stringContaining('what is to change') })
  expect((await yard.type('reject', 'T1', 'no tests')).out).toBe(
    `T1 goes back; its next attempt reads what is to change.\n${noHubLine}`,
  )
  ranAndSaid(yard, 'review', 'with tests')
  expect((await yard.type('approve', 'T1')).out).toBe('T1 done.\n')
  expect((await yard.type('approve', 'T1')).err).toContain('T1 is done and cannot be approved')
  expect((await yard.type('list', '--needs-me', '-q')).code).toBe(0)
})
