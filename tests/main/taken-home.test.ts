import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { findHub as findHubWithin } from '../../src/main/find-hub.ts'
import { findHub, openStore } from '../../src/main.ts'
import { holdLock, makeYardHome, seen } from './yard-home.ts'

const card = (dir: string, run: string) => ({ dir, run })

describe('two in one home', () => {
  test('a second hub is refused at once, with the pid of the first and what to do', async () => {
    await using yard = makeYardHome()
    const first = await yard.start()
    for (const [purpose, fix] of [
      ['up', 'yardmaster down'],
      ['run', 'wait for it'],
    ] as const) {
      await expect(yard.start({ purpose })).rejects.toMatchObject({
        code: 'MAIN_HOME_TAKEN',
        status: 409,
        message: `another process (pid ${process.pid}) works in ${yard.home}`,
        fix: expect.stringContaining(fix),
      })
    }
    await expect(openStore(yard.options())).rejects.toMatchObject({ code: 'MAIN_HOME_TAKEN' })
    expect(await first.client.health()).toMatchObject({ dispatching: true })
  })

  test('a start waits for a short command to leave, and one that was killed holds nothing', async () => {
    await using yard = makeYardHome()
    mkdirSync(yard.home, { recursive: true })
    const other = await holdLock(yard.home)
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: other.pid, port: 1 }))
    const starting = yard.start()
    await other.kill()
    await starting
  })

  test('one that does not leave is named', async () => {
    await using yard = makeYardHome()
    mkdirSync(yard.home, { recursive: true })
    const other = await holdLock(yard.home)
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: other.pid, port: 1 }))
    await expect(yard.start()).rejects.toMatchObject({
      code: 'MAIN_HOME_TAKEN',
      message: expect.stringContaining(`pid ${other.pid}`),
    })
    await other.kill()
  })
})

describe('a home that is taken away under a hub', () => {
  test('is left at once, because a second hub could work in its place', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    renameSync(join(yard.home, 'lock.db'), join(yard.home, 'old-lock.db'))
    const second = await yard.start()
    await hub.downAsked
    expect(await findHub(yard.home)).toMatchObject({ port: second.port })
    expect(await second.client.health()).toMatchObject({ dispatching: true })
  })
})

describe('a hub that is not there', () => {
  test.each([
    ['no note', undefined],
    ['a note that is no JSON', 'pid 12'],
    ['a note of a hub that was killed', JSON.stringify({ pid: 4_194_400, port: 1 })],
  ])('is not found by %s', async (_, note) => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    if (note !== undefined) writeFileSync(join(yard.home, 'hub.json'), note)
    expect(await findHub(yard.home)).toBeUndefined()
  })

  test('is not taken for another home’s hub, or another program, on its old port', async () => {
    await using yard = makeYardHome()
    await using other = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    const stranger = await other.start()
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: process.pid, port: stranger.port }))
    expect(await findHub(yard.home)).toBeUndefined()
    const program = createServer((_, response) => response.end('hello'))
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
    const { port } = program.address() as { port: number }
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: process.pid, port }))
    expect(await findHub(yard.home)).toBeUndefined()
    program.closeAllConnections()
    await new Promise((resolve) => program.close(resolve))
  })
})

describe('a hub that holds its port and does not answer', () => {
  test('is named with its pid, its port and what to do', async () => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const noted = (pid: number) => writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid, port }))
    noted(process.pid)
    await expect(findHubWithin(yard.home, 100)).rejects.toMatchObject({
      code: 'MAIN_HUB_SILENT',
      status: 503,
      message: expect.stringContaining(`(pid ${process.pid}) holds port ${port}`),
      fix: expect.stringMatching(new RegExp(`kill ${process.pid}; .* kill -9 ${process.pid}\\)`)),
    })
    noted(4_194_400) // above the largest pid: that hub is gone, and the port is a stranger's
    expect(await findHubWithin(yard.home, 100)).toBeUndefined()
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
  })
})

describe('a start that fails', () => {
  test.each<[string, (home: string) => void, Parameters<ReturnType<typeof makeYardHome>['options']>[0], string]>([
    [
      'a token that others may read',
      (home) => writeFileSync(join(home, 'token'), 'x', { mode: 0o644 }),
      {},
      'CLIENT_TOKEN_BROKEN',
    ],
    [
      'a store that is none',
      (home) => writeFileSync(join(home, 'yard.db'), 'hello '.repeat(1_000)),
      {},
      'BOARD_NOT_A_BOARD',
    ],
    ['a variable that cannot be read', () => {}, { env: { YARDMASTER_RETRY_WAIT: 'soon' } }, 'MAIN_BAD_VARIABLE'],
  ])('for %s says so and holds nothing', async (_, spoil, overrides, code) => {
    await using yard = makeYardHome()
    mkdirSync(yard.home)
    spoil(yard.home)
    await expect(yard.start(overrides)).rejects.toMatchObject({ code, fix: expect.any(String) })
    expect(existsSync(join(yard.home, 'hub.json'))).toBe(false)
    await (await holdLock(yard.home)).kill()
  })

  test('for a home that is a file says so', async () => {
    await using yard = makeYardHome()
    writeFileSync(yard.home, '')
    await expect(yard.start()).rejects.toMatchObject({
      code: 'MAIN_HOME_UNUSABLE',
      fix: expect.stringContaining('not mounted read-only'),
    })
    expect(readFileSync(yard.home, 'utf8')).toBe('')
  })
})

describe('the store without a hub', () => {
  test('is read and edited; nothing starts', async () => {
    await using yard = makeYardHome()
    const store = await openStore(yard.options())
    await store.client.createTask(card(yard.folder, 'touch started'))
    expect(await store.client.health()).toMatchObject({ dispatching: false, counts: { ready: 1 } })
    expect(await store.client.why(1)).toMatchObject({ code: 'no_hub' })
    await expect(store.client.down('now')).rejects.toMatchObject({ code: 'API_NO_HUB' })
    await store.close()
    await store.close()
    expect(existsSync(join(yard.folder, 'started'))).toBe(false)
    const again = await openStore(yard.options())
    expect((await again.client.listTasks({})).rows).toMatchObject([{ id: 1, status: 'ready' }])
    await again.close()
  })

  test('asks the command of a key only when it shows what a worker wrote, and masks the key there', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    await hub.client.createTask(card(yard.folder, 'echo it is plain-words-of-ours'))
    await seen(hub.client, ({ kind }) => kind === 'task.done')
    await hub.stop({ workers: 'end' })
    const asked = join(yard.folder, 'asked')
    const key = { command: ['sh', '-c', `echo x >> ${asked}; echo plain-words-of-ours`] }
    const config = { ...emptyConfig(8), accounts: { openai: { baseUrl: null, key, slots: null } } }
    const store = await openStore(yard.options({ config }))
    const { task } = await store.client.createTask(card(yard.folder, 'true'))
    await store.client.settings(task.id)
    await store.client.listTasks({})
    await store.client.why(task.id)
    expect(existsSync(asked)).toBe(false)
    for (const _ of [1, 2]) expect((await store.client.log(1)).text).toMatch(/^it is \[secret\]\**\n$/)
    expect(readFileSync(asked, 'utf8')).toBe('x\n')
    await store.close()
  })

  test('writes the limits of the configuration only when they changed', async () => {
    await using yard = makeYardHome()
    const revisionAfter = async (slots: number) => {
      await (await openStore(yard.options({ config: { ...emptyConfig(8), slots } }))).close()
      const db = new Sqlite(join(yard.home, 'yard.db'))
      const row = db.prepare('select slots, revision from yard').get()
      db.close()
      return row
    }
    expect(await revisionAfter(8)).toEqual({ slots: 8, revision: 1 })
    expect(await revisionAfter(8)).toEqual({ slots: 8, revision: 1 })
    expect(await revisionAfter(9)).toEqual({ slots: 9, revision: 2 })
  })

  test('refuses what may touch a process that lives on', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    await hub.client.createTask(card(yard.folder, 'sleep 300'))
    await seen(hub.client, ({ kind }) => kind === 'run.started')
    await hub.stop({ workers: 'leave' })
    const store = await openStore(yard.options())
    for (const verb of ['stop', 'cancel'] as const) {
      await expect(store.client.act(1, verb)).rejects.toMatchObject({
        code: 'API_RUN_MAY_BE_ALIVE',
        message: expect.stringContaining('R1 may be alive'),
        fix: expect.stringContaining('it will adopt it'),
      })
    }
    expect(await store.client.task(1)).toMatchObject({ status: 'running', wish: null })
    await store.close()
    const next = await yard.start()
    await next.client.act(1, 'stop')
    await seen(next.client, ({ kind }) => kind === 'task.blocked')
    expect((await next.client.task(1)).last_run).toMatchObject({ outcome: 'stopped' })
  })
})
