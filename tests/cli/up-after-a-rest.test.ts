import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { readyAfterLongRest } from '../../src/cli/up/long-rest.ts'
import { systemClock } from '../../src/kernel/index.ts'
import { openApiYard } from '../api/open-yard.ts'
import { aHome } from './a-home.ts'

const hours = (n: number) => ({ ...systemClock, nowMs: () => systemClock.nowMs() + n * 3_600_000 })

/** Types `up`, presses Ctrl-C once it serves, and answers what it said. */
async function upAndDown(yard: ReturnType<typeof aHome>, clock: typeof systemClock) {
  const enough = new AbortController()
  const onOut = (text: string) => (text.includes('Stop: yardmaster down') ? enough.abort() : undefined)
  return yard.typeWith({ clock, interrupt: enough.signal, onOut }, 'up')
}

test('after 12 hours without a hub, waiting agent cards do not start by themselves; up says so', async () => {
  await using yard = aHome()
  await yard.type('add', 'an agent card')
  const { code, out, err } = await upAndDown(yard, hours(13))
  expect(code).toBe(130)
  expect(err).toContain('No hub was up for 12 hours and 1 agent card waits: starting paused.')
  expect(out).toContain('It starts nothing now: it is paused. Start: yardmaster resume')
  expect((await yard.type('list')).out).toContain('PAUSED  everything')
})

test('after a short rest, or with commands only, it starts as usual', async () => {
  await using yard = aHome()
  await yard.type('add', 'a command', '--', 'true')
  expect((await upAndDown(yard, hours(13))).err).not.toContain('starting paused')
  await yard.type('add', 'an agent card')
  expect((await upAndDown(yard, hours(11))).err).not.toContain('starting paused')
})

test('a card that is added in the morning does not hide that no hub was up all night', async () => {
  await using yard = aHome()
  await yard.type('add', 'an agent card', '--draft')
  await upAndDown(yard, hours(0))
  await yard.type('ready', 'T1')
  // Everything so far was yesterday; only this one is new.
  const db = new Sqlite(join(yard.home, 'yard.db'))
  db.exec('update event set at_ms = at_ms - 13 * 3600000')
  db.close()
  await yard.type('add', 'a second one')
  expect((await upAndDown(yard, hours(0))).err).toContain('2 agent cards wait: starting paused')
})

test('a hub that was killed while it worked has rested only since its last attempt', async () => {
  await using yard = aHome()
  await yard.type('add', 'an agent card')
  await yard.type('add', 'a command', '--', 'true')
  const enough = new AbortController()
  const onOut = (text: string) => (text.includes('T2 done') ? enough.abort() : undefined)
  await yard.typeWith({ interrupt: enough.signal, onOut }, 'up')
  const db = new Sqlite(join(yard.home, 'yard.db'))
  db.exec('update event set at_ms = at_ms - 13 * 3600000')
  db.close()
  expect((await upAndDown(yard, hours(0))).err).not.toContain('starting paused')
})

test('an agent card behind a thousand commands is counted, too', async () => {
  await using yard = await openApiYard({ dispatcher: 'none' })
  const spec = { title: 'a command', dir: '/shop', run: 'true' }
  const commands = Array.from({ length: 1_001 }, () => ({ lane: 'command', spec }))
  const agent = { lane: 'chat', priority: -1, spec: { title: 'an agent card', dir: '/shop', prompt: 'Do it.' } }
  yard.board.createTasks({ board: 'main', tasks: [...commands, agent] }, { by: 'ann' })
  expect(await readyAfterLongRest(yard.client, hours(13).nowMs())).toBe(1)
})
