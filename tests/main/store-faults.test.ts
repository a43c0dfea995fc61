import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { examineYard, openStore } from '../../src/main.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../fixtures/small-disk.ts'
import { makeYardHome, seen } from './yard-home.ts'

const card = (dir: string, run: string) => ({ dir, run })

/** A shell line that ends once `file` is there. */
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`

describe('a store that is taken away under a hub', () => {
  test('ends the hub with the reason; what it held is saved, the next start says where, and what runs is adopted from it', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    const end = join(yard.folder, 'end')
    await hub.client.createTask(card(yard.folder, until(end)))
    await seen(hub.client, ({ kind }) => kind === 'run.started')
    await hub.client.createTask({ ...card(yard.folder, 'true'), draft: true })
    rmSync(join(yard.home, 'yard.db'))
    await expect(hub.downAsked).rejects.toMatchObject({
      code: 'BOARD_REPLACED',
      message: expect.stringContaining('was removed while it was in use'),
    })
    const [saved] = readdirSync(yard.home).filter((name) => name.includes('.rescued-'))
    expect(existsSync(join(yard.home, 'yard.db'))).toBe(false)
    const refused = {
      code: 'BOARD_SET_ASIDE',
      message: expect.stringContaining(String(saved)),
      fix: expect.stringContaining('put it back: yardmaster restore'),
    }
    await expect(yard.start()).rejects.toMatchObject(refused)
    await expect(openStore(yard.options())).rejects.toMatchObject(refused)

    renameSync(join(yard.home, String(saved)), join(yard.home, 'yard.db'))
    const { client } = await yard.start()
    expect(await client.task(2)).toMatchObject({ status: 'triage' })
    expect(await client.task(1)).toMatchObject({ status: 'running', runs: 1 })
    await client.createTask(card(yard.folder, `touch ${end}`))
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 1)
  })

  test('or replaced: the hub leaves, and the other file is as it was put there', async () => {
    await using yard = makeYardHome()
    await using other = makeYardHome()
    const there = await other.start()
    await there.client.createTask({ ...card(other.folder, 'true'), draft: true, title: 'of another home' })
    await there.stop({ workers: 'end' })
    const hub = await yard.start()
    renameSync(join(other.home, 'yard.db'), join(yard.home, 'yard.db'))
    await expect(hub.downAsked).rejects.toMatchObject({ code: 'BOARD_REPLACED', values: { loss: 'replaced' } })
    const { client } = await yard.start()
    expect((await client.listTasks({})).rows.map(({ title }) => title)).toEqual(['of another home'])
  })
})

test('whatever is made in a home is for its owner alone, whatever the umask', async () => {
  await using yard = makeYardHome()
  const before = process.umask(0)
  try {
    const hub = await yard.start()
    await hub.client.createTask(card(yard.folder, 'true'))
    await seen(hub.client, ({ kind }) => kind === 'task.done')
    await hub.client.backup(undefined)
    renameSync(join(yard.home, 'yard.db'), join(yard.folder, 'kept.db'))
    await expect(hub.downAsked).rejects.toMatchObject({ code: 'BOARD_REPLACED' })
    const modes = readdirSync(yard.home, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, (statSync(path).mode & 0o077).toString(8)]
    })
    expect(modes.map(([path = '']) => path).filter((path) => /rescued|lock\.db|backups\/yard/.test(path))).toHaveLength(
      3,
    )
    expect(modes.filter(([, others]) => others !== '0')).toEqual([])
  } finally {
    process.umask(before)
  }
})

describe('a store that is gone from a home that was worked', () => {
  test('is missed by the next start, which makes no empty board that would give the numbers of attempts again', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    await hub.client.createTask(card(yard.folder, 'true'))
    await seen(hub.client, ({ kind }) => kind === 'task.done')
    await hub.stop({ workers: 'end' })
    renameSync(join(yard.home, 'yard.db'), join(yard.folder, 'kept.db'))
    const refused = {
      code: 'MAIN_STORE_MISSING',
      message: expect.stringContaining(join(yard.home, 'yard.db')),
      fix: expect.stringContaining('yardmaster restore FILE'),
    }
    await expect(yard.start()).rejects.toMatchObject(refused)
    await expect(openStore(yard.options())).rejects.toMatchObject(refused)
    expect(existsSync(join(yard.home, 'yard.db'))).toBe(false)
    const examine = () => examineYard({ ...yard.options(), configHome: join(yard.folder, 'no-config') })
    const storeOf = async () => (await examine()).find(({ name }) => name === 'store')
    expect(await storeOf()).toMatchObject({ state: 'bad', fix: refused.fix })

    // The newest backup is the one to name; what a killed backup has left is none.
    const backups = join(yard.home, 'backups')
    mkdirSync(backups)
    for (const [name, at] of [
      ['a.db', 2],
      ['b.db', 1],
      ['c.db.unfinished-7', 3],
    ] as const) {
      writeFileSync(join(backups, name), 'a copy')
      utimesSync(join(backups, name), at, at)
    }
    const fix = expect.stringContaining(`yardmaster restore ${join(backups, 'a.db')}`)
    await expect(yard.start()).rejects.toMatchObject({ fix })
    expect(await storeOf()).toMatchObject({ fix })
    const aside = join(yard.home, 'yard.db.damaged-20261129T130000Z')
    writeFileSync(aside, 'damaged')
    await expect(yard.start()).rejects.toMatchObject({ code: 'BOARD_SET_ASIDE', fix })
    expect(await storeOf()).toMatchObject({ fix })
    rmSync(aside)

    // As the fix says: whoever wants an empty board moves what is left of the attempts away.
    renameSync(join(yard.home, 'runs'), join(yard.folder, 'runs'))
    const { client } = await yard.start()
    await client.createTask(card(yard.folder, 'true'))
    await seen(client, ({ kind }) => kind === 'task.done')
  })
})

describe('a home that was moved while nothing worked in it', () => {
  test('goes on where it is now: waiting, done and cut attempts, logs and scratch folders', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    const end = join(yard.folder, 'end')
    await hub.client.createTask(card(yard.folder, 'echo before the move'))
    await seen(hub.client, ({ kind, task }) => kind === 'task.done' && task === 1)
    await hub.client.createTask({ ...card(yard.folder, `touch kept; ${until(end)}`), workspace: 'scratch' })
    await seen(hub.client, ({ kind, task }) => kind === 'run.started' && task === 2)
    await hub.client.createTask({ ...card(yard.folder, 'ls'), workspace: 'scratch', draft: true })
    await hub.stop({ workers: 'leave' })

    const moved = join(yard.folder, 'elsewhere')
    renameSync(yard.home, moved)
    const { client } = await yard.start({ home: moved })
    expect((await client.log(1)).text).toBe('before the move\n')
    expect(await client.task(2)).toMatchObject({ status: 'running', runs: 1 })
    await client.createTask(card(yard.folder, `touch ${end}`))
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 2)
    await client.act(3, 'ready')
    await seen(client, ({ kind, task }) => kind === 'task.done' && task === 3)
    expect(existsSync(yard.home)).toBe(false)
  })
})

describe.skipIf(!canMount)('a disk of its own (needs the right to mount one)', () => {
  /** A hub in a home on a small disk; its tasks work elsewhere. */
  async function onDisk(work: (yard: Awaited<ReturnType<typeof makeYardHome>>, disk: SmallDisk) => Promise<void>) {
    using disk = mountSmallDisk(16)
    if (disk === undefined) throw new Error('the small disk cannot be mounted any more')
    await using yard = makeYardHome()
    await work(yard, disk)
  }

  test('C100: when it is full a card is refused by name, and what ends meanwhile is recorded once there is space', async () => {
    await onDisk(async (yard, disk) => {
      const { client } = await yard.start({ home: join(disk.folder, 'home') })
      const end = join(yard.folder, 'end')
      await client.createTask(card(yard.folder, `${until(end)}; exit 3`))
      await seen(client, ({ kind }) => kind === 'run.started')
      const pid = (await client.task(1)).last_run?.pid ?? expect.fail('it runs without a process')
      const makeSpace = disk.fill()
      const draft = { ...card(yard.folder, `true ${'x'.repeat(50_000)}`), title: 'too late', draft: true }
      const answers = await Promise.allSettled(Array.from({ length: 40 }, () => client.createTask(draft)))
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(refused.length).toBeGreaterThan(0)
      for (const fault of refused) expect(fault).toMatchObject({ code: 'BOARD_DISK_FULL', status: 507 })
      // Each card that was answered is there, and none else.
      const drafts = await client.listTasks({ status: 'triage', limit: 100 })
      expect(drafts.rows).toHaveLength(40 - refused.length)
      // Until not even the smallest change finds room in what a refused one has left of the log.
      for (let inRow = 0; inRow < 3; ) {
        const remark = client.act(1, 'comment', 'x')
        inRow = await remark.then(
          () => 0,
          () => inRow + 1,
        )
      }

      writeFileSync(end, '')
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
      expect(await client.task(1)).toMatchObject({ status: 'running' })
      makeSpace()
      await seen(client, ({ kind, task }) => kind === 'task.failed' && task === 1)
      expect((await client.task(1)).last_run).toMatchObject({ outcome: 'failed', exit_code: 3 })
      expect((await client.createTask(draft)).created).toBe(true)
    })
  })

  test('a home on a disk that only reads is refused by name', async () => {
    await onDisk(async (yard, disk) => {
      const home = join(disk.folder, 'home')
      await (await yard.start({ home })).stop({ workers: 'end' })
      disk.remount('ro')
      const refused = { status: 500, message: expect.stringMatching(/read-only/i) }
      await expect(yard.start({ home })).rejects.toMatchObject(refused)
      await expect(yard.start({ home: join(disk.folder, 'new') })).rejects.toMatchObject(refused)
      disk.remount('rw')
      expect(await (await yard.start({ home })).client.health()).toMatchObject({ dispatching: true })
    })
  })
})
