import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { findHub } from '../../src/main.ts'
import { makeYardHome, seen } from './yard-home.ts'

const card = (dir: string, run: string) => ({ dir, run })

describe('a hub', () => {
  test('does the work of its board and tells how it went', async () => {
    await using yard = makeYardHome()
    const { client } = await yard.start()
    await client.createTask(card(yard.folder, 'echo hello && exit 0'))
    await client.createTask(card(yard.folder, 'echo the cause; exit 3'))
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 1)
    await seen(client, ({ kind, task }) => kind === 'task.failed' && task === 2)
    expect(await client.log(1)).toMatchObject({ text: 'hello\n', open: false })
    expect((await client.task(2)).last_run).toMatchObject({ outcome: 'failed', exit_code: 3, output_tail: 'the cause' })
  })

  test('makes a home that only its owner can read, also of one that others could', async () => {
    await using yard = makeYardHome()
    mkdirSync(yard.home)
    chmodSync(yard.home, 0o755)
    await yard.start()
    const mode = (path: string) => (statSync(join(yard.home, path)).mode & 0o777).toString(8)
    for (const folder of ['', 'runs', 'workspaces', 'log']) expect([folder, mode(folder)]).toEqual([folder, '700'])
    for (const file of ['token', 'hub.json', 'log/hub.log']) expect([file, mode(file)]).toEqual([file, '600'])
  })

  test('says in its note who and where it is, and is found by it', async () => {
    await using yard = makeYardHome()
    expect(await findHub(yard.home)).toBeUndefined()
    const hub = await yard.start()
    expect(JSON.parse(readFileSync(join(yard.home, 'hub.json'), 'utf8'))).toEqual({
      pid: process.pid,
      port: hub.port,
      fingerprint: expect.stringContaining(`|${process.pid}:`),
      machine: expect.stringMatching(/^[0-9a-f]{32}$/),
      host: hostname(),
      started: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const found = await findHub(yard.home)
    expect(found).toMatchObject({ pid: process.pid, port: hub.port })
    expect(await found?.client.health()).toMatchObject({ home: yard.home, version: '1.2.3', dispatching: true })
  })

  test('started paused starts nothing until it is resumed', async () => {
    await using yard = makeYardHome()
    const { client } = await yard.start({ paused: true })
    await client.createTask(card(yard.folder, 'true'))
    expect(await client.why(1)).toMatchObject({ code: 'paused' })
    await client.resume({ scope: 'all' })
    await seen(client, ({ kind }) => kind === 'task.done')
  })

  test('keeps its port over a restart, and takes another one where that is taken', async () => {
    await using yard = makeYardHome()
    const first = await yard.start()
    await first.stop({ workers: 'end' })
    const second = await yard.start()
    expect(second.port).toBe(first.port)
    await second.stop({ workers: 'end' })
    const stranger = createServer().listen({ host: '127.0.0.1', port: first.port })
    await new Promise((resolve) => stranger.once('listening', resolve))
    const third = await yard.start()
    expect(third.port).not.toBe(first.port)
    expect((await findHub(yard.home))?.port).toBe(third.port)
    await new Promise((resolve) => stranger.close(resolve))
  })

  test('keeps an account’s key out of its answers', async () => {
    await using yard = makeYardHome()
    const { config } = yard.options()
    const openai = { baseUrl: null, key: { env: 'OPENAI_API_KEY' }, slots: null }
    const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'correct-horse-battery-staple' }
    const { client } = await yard.start({ env, config: { ...config, accounts: { openai } } })
    await client.createTask(card(yard.folder, 'echo key correct-horse-battery-staple'))
    await seen(client, ({ kind }) => kind === 'task.done')
    expect((await client.log(1)).text).toMatch(/^key \[secret\]\**\n$/)
  })
})

describe('its end', () => {
  test('workers that are left live on, and the next hub adopts them', async () => {
    await using yard = makeYardHome()
    const first = await yard.start()
    await first.client.createTask(
      card(yard.folder, 'echo started; while [ ! -e go ]; do sleep 0.05; done; echo went on'),
    )
    await seen(first.client, ({ kind }) => kind === 'run.started')
    await first.stop({ workers: 'leave' })
    const second = await yard.start()
    expect(await second.client.task(1)).toMatchObject({ status: 'running', runs: 1 })
    writeFileSync(join(yard.folder, 'go'), '')
    await seen(second.client, ({ kind }) => kind === 'task.done')
    expect(await second.client.log(1)).toMatchObject({ text: 'started\nwent on\n' })
    expect((await second.client.task(1)).runs).toBe(1)
  })

  test.each(['drain', 'now'] as const)('down (%s), asked for over the API, is carried out and told', async (mode) => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    const wait = mode === 'now' ? 'sleep 300' : 'while [ ! -e go ]; do sleep 0.05; done'
    await hub.client.createTask(card(yard.folder, wait))
    await hub.client.createTask(card(yard.folder, 'true'))
    await seen(hub.client, ({ kind, task }) => kind === 'run.started' && task === 1)
    const found = await findHub(yard.home)
    expect(await found?.client.down(mode)).toMatchObject({ draining: true })
    writeFileSync(join(yard.folder, 'go'), '')
    await hub.downAsked
    expect(await findHub(yard.home)).toBeUndefined()
    const next = await yard.start({ paused: true })
    const { last_run: run } = await next.client.task(1)
    expect(run).toMatchObject({ outcome: mode === 'now' ? 'interrupted' : 'done', phase: 'settled' })
  })
})

test('a disk_free beyond the whole disk is told at the start: nothing would ever start', async () => {
  await using yard = makeYardHome()
  const hub = await yard.start({ config: { ...emptyConfig(1), diskFreeBytes: Number.MAX_SAFE_INTEGER } })
  expect((await hub.client.health()).hub?.notes).toEqual([
    expect.stringMatching(/^disk_free asks for .+ and the disk of the home has .+ in all, so nothing starts/),
  ])
})
