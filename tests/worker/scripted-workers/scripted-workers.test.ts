import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stepClockFrom } from '../../../src/kernel/index.ts'
import { wake } from '../../dispatcher/start-yard.ts'
import { codingTasks } from '../coding-tasks/index.ts'
import { scriptedWorkers } from './scripted-worker.ts'
import { type Card, type ScriptedYard, startScriptedYard } from './scripted-yard.ts'

/** All forty: YARDMASTER_CODING_TASKS=40 npx vitest run tests/worker/scripted-workers */
const many = Number(process.env.YARDMASTER_CODING_TASKS ?? 3)
const tasks = codingTasks.slice(0, many)
const limitMs = 120_000 + many * 5_000

/** What one card came to, in the words of the matrix. */
const endOf = ({ now, runs }: Card) => ({
  status: now().status,
  failures: now().failures,
  outcomes: runs().map(({ outcome }) => outcome),
})
const ends = ({ cards }: ScriptedYard) => cards.map(endOf)
const allAre = (end: ReturnType<typeof endOf>) => tasks.map(() => end)
const allOver = ({ yard, cards }: ScriptedYard) => Promise.all(cards.map(({ id }) => yard.over(id)))

test('oracle: each card is done in one attempt, checked', { timeout: limitMs }, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.oracle, { tasks })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'done', failures: 0, outcomes: ['done'] }))
  expect(scripted.calls).toHaveLength(4 * many)
  expect(scripted.cards.map(({ runs }) => runs()[0]?.result)).toEqual(
    tasks.map(({ name }) => `${name} is mended, and its check passes.`),
  )
})

test('null: what it claims is not what counts: no check passes, no card is done', { timeout: limitMs }, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.none, { tasks })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'failed', failures: 2, outcomes: ['check_failed', 'check_failed'] }))
})

test('second try: what the check said leads the next attempt to the end', { timeout: limitMs }, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.secondTry, { tasks })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'done', failures: 0, outcomes: ['check_failed', 'done'] }))
})

test('walled: a rate limit costs no card an attempt, and all are done when it is over', {
  timeout: limitMs,
}, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.walled, { tasks })
  await allOver(scripted)
  for (const card of scripted.cards) {
    expect(endOf(card)).toMatchObject({ status: 'done', failures: 0 })
    const outcomes = card.runs().map(({ outcome }) => outcome)
    expect(outcomes.at(-1)).toBe('done')
    expect(new Set(outcomes.slice(0, -1)).size, 'nothing but limits before').toBeLessThan(2)
    expect(outcomes.slice(0, -1).every((outcome) => outcome === 'tempfail')).toBe(true)
  }
  expect(scripted.cards.some((card) => card.runs().length > 1)).toBe(true)
})

test('broke: without money the account is parked after a handful of calls, and no card pays for it', {
  timeout: limitMs,
}, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.broke, { tasks })
  const { yard, cards, calls } = scripted
  await Promise.race(cards.map(({ id }) => yard.when(id, ({ runs, status }) => runs > 0 && status === 'ready')))
  await Promise.all(cards.map(({ id }) => yard.when(id, ({ status }) => status === 'ready')))
  expect(yard.board.readGate('openai')).toMatchObject({ parkedBy: 'dispatcher' })
  expect(cards.map(({ now }) => now().failures)).toEqual(tasks.map(() => 0))
  expect(cards.map(({ id }) => yard.board.explainTask(id, 'up').code)).toEqual(tasks.map(() => 'account_parked'))
  expect(calls.length).toBeLessThanOrEqual(4)
})

test('silent: a worker that never says how it ends is told so, tried once more and then failed', {
  timeout: limitMs,
}, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.silent, { tasks })
  await allOver(scripted)
  const outcomes = scripted.cards.map(({ runs }) => runs().map(({ outcome }) => outcome))
  expect(outcomes).toEqual(tasks.map(() => ['incomplete', 'incomplete']))
  expect(scripted.cards.map(({ now }) => now().status)).toEqual(tasks.map(() => 'failed'))
  expect(scripted.cards.map(({ runs }) => runs()[0]?.result)).toEqual(tasks.map(() => 'All done.'))
})

test('hanging: the watchdog ends a call that stands still, and that is nobody’s failure', {
  timeout: limitMs,
}, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.hanging, { tasks })
  using _ = hurryAccounts(scripted)
  await allOver(scripted)
  for (const card of scripted.cards) {
    expect(endOf(card)).toMatchObject({ status: 'done', failures: 0 })
    expect(
      card
        .runs()
        .slice(0, -1)
        .every(({ outcome }) => outcome === 'tempfail'),
    ).toBe(true)
  }
  expect(scripted.cards.some((card) => card.runs().length > 1)).toBe(true)
})

test('killed: each card is taken up once more after its worker was killed, never twice at once', {
  timeout: limitMs,
}, async () => {
  const killed = new Set<number>()
  await using scripted = await startScriptedYard(scriptedWorkers.killed, {
    tasks,
    onCall({ play, turn }, cards) {
      if (play === null || killed.has(play) || turn !== play % 4) return
      killed.add(play)
      const pid = cards[play]?.runs()[0]?.pid
      if (pid != null) killWorker(pid)
    },
  })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'done', failures: 0, outcomes: ['killed', 'done'] }))
  expect(scripted.cards.every(({ runs }) => runs()[0]?.signal === 'SIGKILL')).toBe(true)
})

test('looper: the guard ends a worker that repeats itself, and says so', { timeout: limitMs }, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.looper, { tasks })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'failed', failures: 2, outcomes: ['failed', 'failed'] }))
  expect(scripted.cards.map(({ runs }) => runs()[0]?.reason)).toEqual(
    tasks.map(() => expect.stringContaining('it went round in circles')),
  )
  expect(scripted.calls.length).toBeLessThan(2 * many * 12)
})

test('liar: a completion that names tasks which do not exist is refused and changes nothing', {
  timeout: limitMs,
}, async () => {
  await using scripted = await startScriptedYard(scriptedWorkers.liar, { tasks })
  await allOver(scripted)
  expect(ends(scripted)).toEqual(allAre({ status: 'blocked', failures: 0, outcomes: ['blocked'] }))
  expect(scripted.cards.map(({ runs }) => runs()[0]?.result)).toEqual(tasks.map(() => null))
})

/** The worker itself, which is the child of the process on record: its parent writes down how it ended. */
function killWorker(leader: number): void {
  const children = readChildren(leader)
  for (const pid of children) process.kill(pid, 'SIGKILL')
}

function readChildren(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** A held account is asked again a quarter of an hour later: the wall clock jumps there as soon as it is held. */
function hurryAccounts({ yard }: ScriptedYard): Disposable {
  const file = join(yard.home, '..', 'clock')
  let aheadMs = 0
  stepClockFrom(file)
  const over = new AbortController()
  yard.board.onEvents(over.signal, (events) => {
    if (!events.some(({ kind }) => kind === 'account.closed')) return
    aheadMs += 16 * 60_000
    writeFileSync(file, String(aheadMs))
    void wake(yard, 1)
  })
  return {
    [Symbol.dispose]() {
      over.abort()
      writeFileSync(file, '0')
    },
  }
}
