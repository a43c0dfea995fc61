import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/api/client/index.ts'
import { findHub, openStore } from '../../src/main.ts'
import { holdLock, makeYardHome, seen, type YardHome } from './yard-home.ts'

const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

/** Makes the home look as if another machine had worked it until now, with all that it had started. */
function moveHere(yard: YardHome): void {
  const db = new Sqlite(join(yard.home, 'yard.db'))
  db.exec(`update yard set machine = 'another'; update run set machine = 'another';
           update hub set machine = 'another', host = 'build-2'`)
  db.close()
}

const eventsOf = async (client: Client, kind: string) =>
  (await client.eventsPage(0, 1_000)).filter((event) => event.kind === kind)

describe('C173: a home that was copied from another machine', () => {
  test('is taken over and says so once; what ran there is held, and neither looked for nor signalled here', async () => {
    await using yard = makeYardHome()
    const before = await yard.start()
    await before.client.createTask({
      dir: yard.folder,
      run: 'echo $$ > new-pid; mv new-pid pid; trap "touch heard" TERM; while :; do sleep 0.02; done',
    })
    await seen(before.client, ({ kind }) => kind === 'run.started')
    await expect.poll(() => existsSync(join(yard.folder, 'pid'))).toBe(true)
    await before.stop({ workers: 'leave' })
    moveHere(yard)

    // One slot: what another machine runs takes none of this one's.
    const config = { ...yard.options().config, slots: 1 }
    const hub = await yard.start({ config })
    const { client } = hub
    const says = expect.stringMatching(
      /^this home was worked by another machine before \(build-2, now .*\): an attempt /,
    )
    expect((await client.health()).hub?.notes).toEqual([says])
    expect(await eventsOf(client, 'home.moved')).toMatchObject([{ text: says, data: { from: 'build-2', held: 1 } }])
    expect(readFileSync(join(yard.home, 'log', 'hub.log'), 'utf8').match(/"event":"home.moved"/g)).toHaveLength(1)

    expect(await client.why(1)).toMatchObject({
      code: 'elsewhere',
      says: expect.stringContaining('attempt 1 (R1) was started on build-2, another machine'),
      you_can: expect.arrayContaining(['yardmaster release T1 --despite R1']),
    })
    expect((await client.task(1)).last_run).toMatchObject({ host: 'build-2', elsewhere: true })
    await client.createTask({ dir: yard.folder, run: 'true' })
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 2)

    // Not even its own pid on this very machine, a wish of a person or the end of the hub reach it.
    const worker = Number(readFileSync(join(yard.folder, 'pid'), 'utf8'))
    await client.act(1, 'stop')
    await client.createTask({ dir: yard.folder, run: 'true' })
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 3)
    await hub.stop({ workers: 'end' })
    expect(isAlive(worker)).toBe(true)
    expect(existsSync(join(yard.folder, 'heard'))).toBe(false)
    expect(readFileSync(join(yard.home, 'log', 'hub.log'), 'utf8')).not.toContain('"signal')

    const again = await yard.start({ config })
    expect((await again.client.health()).hub?.notes).toEqual([])
    expect(await eventsOf(again.client, 'home.moved')).toHaveLength(1)
    await again.stop({ workers: 'leave' })

    // Back where it came from, its own attempts are its own again.
    const db = new Sqlite(join(yard.home, 'yard.db'))
    const { machine } = db.prepare('select machine from yard').get() as { machine: string }
    db.prepare("update run set machine = ? where machine = 'another'").run(machine)
    db.close()
    const home = await yard.start({ config })
    await seen(home.client, ({ kind, task }) => kind === 'task.blocked' && task === 1)
    expect((await home.client.task(1)).last_run).toMatchObject({ outcome: 'stopped', elsewhere: false })
  })
})

test('C173: what another machine has started is let go by a person, and its task runs again here', async () => {
  await using yard = makeYardHome()
  const before = await yard.start()
  const run = '[ -e again ] || { touch again; echo $$ > new-pid; mv new-pid pid; exec sleep 300; }'
  await before.client.createTask({ dir: yard.folder, run })
  await expect.poll(() => existsSync(join(yard.folder, 'pid'))).toBe(true)
  await before.stop({ workers: 'leave' })
  moveHere(yard)
  const { client } = await yard.start()
  expect((await client.health()).slots.used).toBe(0)
  await client.release(1, 1)
  await seen(client, ({ kind, task }) => kind === 'task.done' && task === 1)
  expect((await client.task(1)).all_runs).toMatchObject([
    { outcome: 'unknown', elsewhere: true },
    { outcome: 'done', elsewhere: false },
  ])
  const worker = Number(readFileSync(join(yard.folder, 'pid'), 'utf8'))
  expect(isAlive(worker)).toBe(true) // a stranger here: nobody has touched it
  process.kill(worker, 'SIGKILL')
})

describe('C173: a second machine on one home', () => {
  test('is refused at its start, with the host of the first; nobody of the note’s numbers is asked or signalled', async () => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    const other = await holdLock(yard.home)
    const note = { pid: process.pid, port: 1, machine: 'another', host: 'build-2', started: '2030-01-01T00:00:00.000Z' }
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify(note))
    expect(await findHub(yard.home)).toBeUndefined()
    await expect(openStore(yard.options())).rejects.toMatchObject({
      code: 'MAIN_HOME_ELSEWHERE',
      status: 409,
      message: `another machine (build-2, pid ${process.pid} there) works in ${yard.home}; a home is worked by one machine at a time`,
      fix: expect.stringContaining('use it on build-2'),
    })
    await other.kill()
  })
})
