import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openBoard, restoreStore } from '../../src/board/index.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import {
  add,
  addOne,
  ann,
  claim,
  createTestRandom,
  finish,
  limits,
  openOnDisk,
  startMs,
  type TestBoard,
} from './open-test-board.ts'

const folderOf = ({ path }: TestBoard): string => join(path, '..')
const random = createTestRandom()

describe('a backup', () => {
  test('is a whole board of its own, for its owner alone, made while the work goes on', async () => {
    using yard = openOnDisk()
    add(
      yard.board,
      Array.from({ length: 3_000 }, () => ({})),
    )
    const file = join(folderOf(yard), 'copy.db')
    const making = yard.board.backup(file, ann)
    let during = 0
    for (let made: boolean | undefined; made !== true; during += 1) {
      addOne(yard.board)
      made = await Promise.race([
        making.then(() => true),
        new Promise<boolean>((next) => setImmediate(() => next(false))),
      ])
    }
    expect(during).toBeGreaterThan(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    using finder = openHalfStateFinder(file)
    expect(finder.findHalfStates()).toEqual([])
    const copy = openBoard({ path: file, clock: yard.clock, random })
    expect(copy.counts().ready).toBeGreaterThanOrEqual(3_000)
    copy.close()
    expect(readdirSync(folderOf(yard)).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  test.each(['a file', 'a dead link', 'the store itself'])('never takes the place of %s', async (what) => {
    using yard = openOnDisk()
    const file = what === 'the store itself' ? yard.path : join(folderOf(yard), 'taken')
    if (what === 'a file') writeFileSync(file, 'precious')
    if (what === 'a dead link') symlinkSync('/nowhere/at/all', file)
    await expect(yard.board.backup(file, ann)).rejects.toMatchObject({ code: 'BOARD_FILE_TAKEN' })
    if (what === 'a file') expect(readFileSync(file, 'utf8')).toBe('precious')
    addOne(yard.board)
  })

  test.each([
    ['below a file', '/etc/passwd/yard.db', 'ENOTDIR'],
    ['with a longer name than there can be', `/tmp/${'x'.repeat(300)}.db`, 'ENAMETOOLONG'],
    ['with a name that leaves no room for an unfinished one', `/tmp/${'x'.repeat(250)}.db`, 'ENAMETOOLONG'],
  ])('to a place %s says why', async (_, file, why) => {
    using yard = openOnDisk()
    await expect(yard.board.backup(file, ann)).rejects.toMatchObject({
      code: 'BOARD_FILE_NOT_MADE',
      message: expect.stringMatching(new RegExp(`^${file} cannot be written: ${why}: [a-z ]+$`)),
    })
  })

  test('of which two are made at once under one name is whole, and the other one is refused', async () => {
    using yard = openOnDisk()
    add(
      yard.board,
      Array.from({ length: 500 }, () => ({})),
    )
    const file = join(folderOf(yard), 'copy.db')
    const made = await Promise.allSettled([1, 2, 3].map(() => yard.board.backup(file, ann)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: { bytes: statSync(file).size } },
    ])
    expect(made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))).toEqual([
      'BOARD_FILE_TAKEN',
      'BOARD_FILE_TAKEN',
    ])
    const copy = new Sqlite(file, { readonly: true })
    expect(copy.prepare('select count(*) from task').pluck().get()).toBe(500)
    copy.close()
    expect(readdirSync(folderOf(yard)).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  test('that cannot be written says why and leaves nothing', async () => {
    using yard = openOnDisk()
    const file = join(folderOf(yard), 'no', 'such', 'folder.db')
    await expect(yard.board.backup(file, ann)).rejects.toMatchObject({
      code: 'BOARD_FILE_NOT_MADE',
      message: `${file} cannot be written: ENOENT: no such file or directory`,
    })
  })
})

/** A board with a done, an open and a running card, backed up, and then worked on. */
async function aBackup(yard: TestBoard) {
  const [done, running] = add(yard.board, [{}, {}])
  if (done === undefined || running === undefined) throw new Error('not added')
  finish(yard.board, done.id)
  const [open] = yard.board.openRuns()
  addOne(yard.board, { draft: true })
  const file = join(folderOf(yard), 'copy.db')
  await yard.board.backup(file, ann)
  yard.clock.atMs += 7_200_000
  addOne(yard.board)
  return { file, open: open?.id }
}

const restore = (yard: TestBoard, file: string, newest = { run: 0, task: 0 }) =>
  restoreStore({ clock: yard.clock, random }, { file, path: yard.path, newest }, ann)

describe('C104: a backup takes the place of the store', () => {
  test('C104: also of one that is missing, with its age, what was open in it, and everything paused', async () => {
    using yard = openOnDisk()
    const { file, open } = await aBackup(yard)
    yard.board.close()
    for (const rest of ['', '-wal', '-shm']) rmSync(`${yard.path}${rest}`, { force: true })

    const restored = restore(yard, file)

    expect(restored).toMatchObject({ copiedAtMs: startMs, tasks: 3, open: [{ run: open }], kept: null })
    const board = openBoard({ path: yard.path, clock: yard.clock, random })
    board.applyLimits(limits())
    addOne(board)
    expect(claim(board)).toEqual([])
    expect(board.holds()).toMatchObject([{ scope: 'all', kind: 'pause', text: expect.stringContaining(file) }])
    expect(board.openRuns().map(({ id }) => id)).toEqual([open])
    board.close()
    expect(statSync(yard.path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folderOf(yard)).filter((name) => name.includes('restoring'))).toEqual([])
  })

  test('C104: the store that was there is kept beside, whole', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    const { kept } = restore(yard, file)
    const before = openBoard({ path: kept ?? '', clock: yard.clock, random })
    expect(before.counts().ready).toBe(1)
    before.close()
    const again = restore(yard, file)
    expect(again.kept).not.toBe(kept)
  })

  test('after a kill in the middle of it the old store is there whole, and a second restore begins anew', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    // As it lies between the two last steps: the old one has its second name, the new one is complete beside it.
    copyFileSync(file, `${yard.path}.restoring`)
    linkSync(yard.path, `${yard.path}.replaced-20261129T130000Z`)
    const old = openBoard({ path: yard.path, clock: yard.clock, random })
    expect(old.counts().ready).toBe(1)
    old.close()
    expect(restore(yard, file).tasks).toBe(3)
    expect(readdirSync(folderOf(yard)).filter((name) => name.includes('restoring'))).toEqual([])
  })

  test('C104: also of one that is damaged, which is kept as it is', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    writeFileSync(yard.path, Buffer.alloc(20_000, 'x'))
    const { kept } = restore(yard, file)
    expect(readFileSync(kept ?? '', 'utf8').slice(0, 3)).toBe('xxx')
    openBoard({ path: yard.path, clock: yard.clock, random }).close()
  })

  test('numbers that were given after it was made are not given again', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    expect(restore(yard, file, { run: 40, task: 70 }).lastRun).toBe(2)
    const board = openBoard({ path: yard.path, clock: yard.clock, random })
    board.liftHold('all', null, ann)
    const task = addOne(board)
    expect(task.id).toBe(71)
    expect(claim(board).map(({ run }) => run.id)).toEqual([41])
    board.close()
  })

  test('of a board that never ran anything keeps them, too', async () => {
    using yard = openOnDisk()
    const file = join(folderOf(yard), 'copy.db')
    await yard.board.backup(file, ann)
    yard.board.close()
    restore(yard, file, { run: 40, task: 70 })
    const board = openBoard({ path: yard.path, clock: yard.clock, random })
    expect(addOne(board).id).toBe(71)
    board.close()
  })

  test.each<[string, string, (file: string) => void]>([
    ['there is none', 'BOARD_NO_BACKUP', (file) => rmSync(file)],
    ['it is empty', 'BOARD_NO_BACKUP', (file) => truncateSync(file, 0)],
    ['it is a folder', 'BOARD_NO_BACKUP', (file) => inPlaceOf(file, mkdirSync)],
    ['it is no board', 'BOARD_NOT_A_BACKUP', (file) => writeFileSync(file, Buffer.alloc(20_000, 'x'))],
    ['it is another program’s database', 'BOARD_NOT_A_BACKUP', (file) => strangers(file)],
    ['it is of a newer program', 'BOARD_BACKUP_TOO_NEW', (file) => sql(file, 'pragma user_version = 99')],
    ['it is cut off', 'BOARD_BACKUP_DAMAGED', (file) => truncateSync(file, statSync(file).size - 40_960)],
    ['it is damaged inside', 'BOARD_BACKUP_DAMAGED', (file) => spoil(file)],
  ])('is refused when %s, and nothing is changed', async (_, code, harm) => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    harm(file)
    const before = readFileSync(yard.path)
    expect(() => restore(yard, file)).toThrow(expect.objectContaining({ code }))
    expect(readFileSync(yard.path).equals(before)).toBe(true)
    expect(readdirSync(folderOf(yard)).filter((name) => /restoring|replaced/.test(name))).toEqual([])
  })

  test('of a file below a file, or of a name that is too long, is refused like one that is not there', () => {
    using yard = openOnDisk()
    yard.board.close()
    for (const file of ['/etc/passwd/yard.db', `/tmp/${'x'.repeat(300)}`]) {
      expect(() => restore(yard, file)).toThrow(expect.objectContaining({ code: 'BOARD_NO_BACKUP' }))
    }
  })

  test.skipIf(!canMount)('without room for the copy is refused by name, and the store is as it was', async () => {
    using yard = openOnDisk()
    add(
      yard.board,
      Array.from({ length: 2_000 }, () => ({})),
    )
    const file = join(folderOf(yard), 'copy.db')
    await yard.board.backup(file, ann)
    using disk = mountSmallDisk(1) ?? expect.fail('the small disk cannot be mounted any more')
    const path = join(disk.folder, 'yard.db')
    const restoring = () =>
      restoreStore({ clock: yard.clock, random }, { file, path, newest: { run: 0, task: 0 } }, ann)
    expect(restoring).toThrow(expect.objectContaining({ code: 'BOARD_DISK_FULL' }))
    expect(readdirSync(disk.folder)).toEqual([])
  })

  test('of what cannot be read says why', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    yard.board.close()
    mkdirSync(`${file}-wal`)
    expect(() => restore(yard, file)).toThrow(expect.objectContaining({ code: 'BOARD_BACKUP_NOT_READ' }))
    expect(readdirSync(folderOf(yard)).filter((name) => name.includes('restoring'))).toEqual([])
  })

  test('is not the store itself, under whatever name', async () => {
    using yard = openOnDisk()
    yard.board.close()
    const link = join(folderOf(yard), 'link.db')
    symlinkSync(yard.path, link)
    expect(() => restore(yard, link)).toThrow(expect.objectContaining({ code: 'BOARD_BACKUP_IS_STORE' }))
  })

  test('may be the store of another home that was cut off, with its log', async () => {
    using yard = openOnDisk()
    const { file } = await aBackup(yard)
    const raw = join(folderOf(yard), 'raw.db')
    copyFileSync(yard.path, raw)
    copyFileSync(`${yard.path}-wal`, `${raw}-wal`)
    yard.board.close()
    expect(existsSync(file)).toBe(true)
    expect(restore(yard, raw).tasks).toBe(4)
  })
})

function sql(file: string, text: string): void {
  const db = new Sqlite(file)
  db.exec(text)
  db.close()
}

function strangers(file: string): void {
  rmSync(file)
  sql(file, 'create table t (a); insert into t values (1)')
}

function spoil(file: string): void {
  const size = statSync(file).size
  execFileSync(
    'dd',
    [`of=${file}`, 'if=/dev/zero', 'bs=4096', `seek=${Math.floor(size / 8192)}`, 'count=3', 'conv=notrunc'],
    {
      stdio: 'ignore',
    },
  )
}

function inPlaceOf(file: string, make: (path: string) => void) {
  rmSync(file)
  make(file)
}
