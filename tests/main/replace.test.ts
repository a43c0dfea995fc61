import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { YardError } from '../../src/kernel/index.ts'
import { type FoundHub, findHub } from '../../src/main.ts'
import { makeYardHome, seen, type YardHome } from './yard-home.ts'

/** The hub of this home, as `up --replace` finds it. */
async function found(yard: YardHome): Promise<FoundHub> {
  const hub = await findHub(yard.home)
  if (hub === undefined) throw new Error('no hub is up')
  return hub
}

const waits = (yard: YardHome) => ({ dir: yard.folder, run: 'echo $$ >> pids; while [ ! -e go ]; do sleep 0.02; done' })
const pids = (yard: YardHome) =>
  existsSync(join(yard.folder, 'pids')) ? readFileSync(join(yard.folder, 'pids'), 'utf8').trim().split('\n') : []

describe('a hub that replaces another', () => {
  test('has its port and its attempts, which go on as the same processes; the other one leaves without ending them', async () => {
    await using yard = makeYardHome()
    const old = await yard.start({ version: '1.0.0' })
    for (const _ of [1, 2, 3]) await old.client.createTask(waits(yard))
    await expect.poll(() => pids(yard).length).toBe(3)
    const next = await yard.start({ version: '2.0.0', replaces: await found(yard) })
    expect(await old.downAsked).toBe('replace')
    expect(next.port).toBe(old.port)
    const { hub, version } = await next.client.health()
    expect(version).toBe('2.0.0')
    expect(hub?.notes).toEqual([
      expect.stringMatching(/^took over from hub 1\.0\.0 \(pid \d+\) with \d+ ms without a hub; what runs goes on$/),
    ])
    for (const id of [1, 2, 3]) expect(await next.client.task(id)).toMatchObject({ status: 'running', runs: 1 })
    writeFileSync(join(yard.folder, 'go'), '')
    for (const id of [1, 2, 3]) await seen(next.client, ({ kind, task }) => kind === 'task.done' && task === id)
    expect(pids(yard)).toHaveLength(3)
  })

  test('takes over from one that drains for a down: what ran goes on, and new work starts again', async () => {
    await using yard = makeYardHome()
    const old = await yard.start()
    await old.client.createTask(waits(yard))
    await expect.poll(() => pids(yard).length).toBe(1)
    await (await found(yard)).client.down('drain')
    const next = await yard.start({ replaces: await found(yard) })
    await next.client.createTask({ dir: yard.folder, run: 'true' })
    await seen(next.client, ({ kind, task }) => kind === 'task.done' && task === 2)
    expect(await next.client.task(1)).toMatchObject({ status: 'running', runs: 1 })
  })
})

describe('a hub that could not work the home', () => {
  test.each<[string, Parameters<YardHome['start']>[0], (home: string) => void, string]>([
    ['has a variable that cannot be read', { env: { YARDMASTER_RETRY_WAIT: 'soon' } }, () => {}, 'MAIN_BAD_VARIABLE'],
    ['is older than the store', {}, (home) => makeNewer(join(home, 'yard.db')), 'BOARD_TOO_NEW'],
  ])('because it %s says so before the other one is told to leave', async (_, overrides, spoil, code) => {
    await using yard = makeYardHome()
    const old = await yard.start()
    spoil(yard.home)
    await expect(yard.start({ ...overrides, replaces: await found(yard) })).rejects.toMatchObject({ code })
    expect(await old.client.health()).toMatchObject({ dispatching: true, draining: false })
    expect(await findHub(yard.home)).toMatchObject({ port: old.port })
  })

  test('because a service manager keeps the other one up says where to restart it', async () => {
    await using yard = makeYardHome()
    const old = await yard.start({ startedBy: 'service' })
    await expect(yard.start({ replaces: await found(yard) })).rejects.toMatchObject({
      code: 'MAIN_HUB_OF_SERVICE',
      fix: expect.stringContaining('systemctl --user restart yardmaster'),
    })
    expect(await old.client.health()).toMatchObject({ draining: false })
    await yard.start({ startedBy: 'service', replaces: await found(yard) })
    expect(await old.downAsked).toBe('replace')
  })

  test('because the other one is of a version that knows no handing over says what to do instead', async () => {
    await using yard = makeYardHome()
    await yard.start()
    const hub = await found(yard)
    // As the version before this one answers.
    const down = async () => {
      throw new YardError({ code: 'API_BAD_REQUEST', status: 400, message: 'mode', fix: '', values: {} })
    }
    await expect(yard.start({ replaces: { ...hub, client: { ...hub.client, down } } })).rejects.toMatchObject({
      code: 'MAIN_CANNOT_HAND_OVER',
      fix: expect.stringContaining(`kill -TERM ${hub.pid}, then yardmaster up -d`),
    })
  })
})

function makeNewer(store: string): void {
  const db = new Sqlite(store)
  db.pragma('user_version = 99')
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

test('a slow key delays no start: the hub serves and works while it is asked for', async () => {
  await using yard = makeYardHome()
  const key = join(yard.folder, 'key')
  const command = ['sh', '-c', `while [ ! -e ${key} ]; do sleep 0.02; done; cat ${key}`]
  const config = { ...yard.options().config, accounts: { slow: { baseUrl: null, slots: null, key: { command } } } }
  const { client } = await yard.start({ config })
  await client.createTask({ dir: yard.folder, run: 'echo it is plain-words-of-ours' })
  await seen(client, ({ kind }) => kind === 'task.done')
  const log = client.log(1)
  writeFileSync(`${key}.new`, 'plain-words-of-ours')
  renameSync(`${key}.new`, key) // whole: it is read as soon as it is there
  expect((await log).text).toMatch(/^it is \[secret\]\**\n?$/)
})
