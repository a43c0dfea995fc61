import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { HubOptions } from '../../src/main.ts'
import { makeYardHome, seen, type YardHome } from './yard-home.ts'

/** As kill -9 leaves it, without ending this process: the start stays without its end. */
function forgetStops(yard: YardHome): void {
  const db = new Sqlite(join(yard.home, 'yard.db'))
  db.exec('update hub set stopped_at_ms = null')
  db.close()
}

async function startUncleanly(yard: YardHome, times: number, how: Partial<HubOptions>): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const hub = await yard.start(how)
    await hub.stop({ workers: 'leave' })
    forgetStops(yard)
  }
}

test('C25: a note that names a process which exists again, even this very one, keeps no hub from starting', async () => {
  await using yard = makeYardHome()
  mkdirSync(yard.home)
  // Another program on the old port that never answers, as in a container that was started anew.
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const boot = '00000000-0000-4000-8000-000000000000'
  for (const pid of [process.pid, process.ppid, 1]) {
    const fingerprint = `${boot}:1:1:${pid}|${pid}:1`
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid, port, fingerprint, started: 'long ago' }))
    const hub = await yard.start()
    expect(await hub.client.health()).toMatchObject({ dispatching: true, pid: process.pid })
    await hub.stop({ workers: 'end' })
  }
  const log = readFileSync(join(yard.home, 'log', 'hub.log'), 'utf8')
  expect(log.match(/"event":"home.left_uncleanly"/g)).toHaveLength(3)
  silent.closeAllConnections()
  await new Promise((resolve) => silent.close(resolve))
})

test('C28: each start has an id of its own under the same host name and pid, and an orphan of the one before is settled at once', async () => {
  await using yard = makeYardHome()
  const first = await yard.start()
  await first.client.createTask({
    dir: yard.folder,
    run: 'echo $$ > new-pid; mv new-pid pid; exec sleep 300',
    rerun: 'ask',
  })
  await expect.poll(() => existsSync(join(yard.folder, 'pid'))).toBe(true)
  const before = (await first.client.health()).hub?.instance
  await first.stop({ workers: 'leave' })
  process.kill(Number(readFileSync(join(yard.folder, 'pid'), 'utf8')), 'SIGKILL')

  const next = await yard.start()
  const asked = performance.now()
  await seen(next.client, ({ kind, run }) => kind === 'run.settled' && run === 1)
  expect(performance.now() - asked).toBeLessThan(4_000) // the slow look at everything is taken after 5 s
  const { hub, pid } = await next.client.health()
  expect({ pid, same: hub?.instance === before }).toEqual({ pid: process.pid, same: false })
  expect((await next.client.task(1)).last_run).toMatchObject({ outcome: 'killed', signal: 'SIGKILL' })
})

describe('C46: three unclean stops within 15 minutes', () => {
  test('let a service come up paused: it says why, takes over what runs, starts nothing new until a person resumes', async () => {
    await using yard = makeYardHome()
    const service = { startedBy: 'service' } as const
    const first = await yard.start(service)
    await first.client.createTask({ dir: yard.folder, run: 'while [ ! -e go ]; do sleep 0.02; done' })
    await seen(first.client, ({ kind }) => kind === 'run.started')
    await first.stop({ workers: 'leave' })
    forgetStops(yard)
    await startUncleanly(yard, 1, service)
    const third = await yard.start(service)
    expect((await third.client.health()).holds).toEqual([])
    await third.stop({ workers: 'leave' })
    forgetStops(yard)

    const { client } = await yard.start(service)
    const text = 'the hub was stopped uncleanly 3 times within 15m'
    const health = await client.health()
    expect(health.holds).toMatchObject([{ scope: 'all', kind: 'pause', by: 'hub', text }])
    expect(health.hub).toMatchObject({ started_by: 'service', notes: [expect.stringContaining(text)] })
    await client.createTask({ dir: yard.folder, run: 'true' })
    expect(await client.why(2)).toMatchObject({
      code: 'paused',
      says: expect.stringContaining(text),
      you_can: ['yardmaster resume'],
    })
    writeFileSync(join(yard.folder, 'go'), '')
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 1)
    expect(await client.task(1)).toMatchObject({ runs: 1, failures: 0 })
    expect(await client.task(2)).toMatchObject({ status: 'ready', runs: 0 })
    await client.resume({ scope: 'all' })
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 2)
  })

  test('do not pause what a person starts, nor a service after a stop in good order', async () => {
    await using yard = makeYardHome()
    await startUncleanly(yard, 3, { startedBy: 'service' })
    const typed = await yard.start()
    expect((await typed.client.health()).holds).toEqual([])
    await typed.stop({ workers: 'end' })
    const service = await yard.start({ startedBy: 'service' })
    expect((await service.client.health()).holds).toEqual([])
  })
})
