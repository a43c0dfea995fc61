import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileChange, placeFiles } from '../../../../src/worker/tools/files/place-files.ts'
import { canMount, mountSmallDisk } from '../../../fixtures/small-disk.ts'
import { openFileDesk } from './file-desk.ts'

const changeOf = (path: string, after: string | undefined): FileChange => ({
  path,
  shown: path.split('/').at(-1) ?? path,
  before: existsSync(path) ? statSync(path) : undefined,
  after: after === undefined ? undefined : Buffer.from(after),
})

test('when a later file cannot be put in its place, all that were put there before are as they were', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old a')
  chmodSync(desk.at('a'), 0o640)
  desk.put('b', 'old b')
  const { ino } = statSync(desk.at('a'))
  const changes = [
    changeOf(desk.at('a'), 'new a'),
    changeOf(desk.at('b'), undefined),
    changeOf(desk.at('new/er/c'), 'new c'),
    changeOf(desk.at('in-the-way'), 'never'),
  ]
  mkdirSync(desk.at('in-the-way')) // after all was decided

  expect(await placeFiles(changes)).toEqual({ ok: false, says: 'in-the-way is a folder by now; nothing was changed' })

  expect([desk.text('a'), desk.text('b')]).toEqual(['old a', 'old b'])
  expect(statSync(desk.at('a'))).toMatchObject({ ino, nlink: 1 })
  expect(statSync(desk.at('a')).mode & 0o777).toBe(0o640)
  expect(desk.names()).toEqual(['a', 'b', 'in-the-way'])
})

test('a file that changes between the decision and its place is not written over, and the others are put back', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old a')
  desk.put('b', 'old b')
  const changes = [changeOf(desk.at('a'), 'new a'), changeOf(desk.at('b'), 'new b'), changeOf(desk.at('c'), 'new c')]
  writeFileSync(desk.at('b'), 'of somebody else')

  expect(await placeFiles(changes)).toMatchObject({
    ok: false,
    says: expect.stringContaining('b was changed by somebody else'),
  })
  expect([desk.text('a'), desk.text('b')]).toEqual(['old a', 'of somebody else'])
  expect(desk.names()).toEqual(['a', 'b'])
})

test('a text that finds no room beside its place changes nothing', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old a')
  desk.put('file', 'x')

  const placed = await placeFiles([changeOf(desk.at('a'), 'new a'), changeOf(desk.at('file/b'), 'b')])

  expect(placed).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^b cannot be written \(ENOTDIR: .*; nothing was changed$/),
  })
  expect(desk.text('a')).toBe('old a')
  expect(desk.names()).toEqual(['a', 'file'])
})

test('a folder that was swapped for a link out of the workspace is not written to', async () => {
  using desk = openFileDesk()
  const elsewhere = join(desk.outside, 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, desk.at('folder'))
  mkdirSync(join(elsewhere, 'deep'))

  expect(await placeFiles([changeOf(desk.at('folder/a'), 'x')])).toMatchObject({ ok: false })
  expect(await placeFiles([changeOf(desk.at('folder/deep/a'), 'x')])).toMatchObject({
    ok: false,
    says: expect.stringContaining('swapped for another one'),
  })
  expect(readdirSync(elsewhere)).toEqual(['deep'])
  expect(readdirSync(join(elsewhere, 'deep'))).toEqual([])
})

test('all is done, or nothing is left beside it', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old a')
  desk.put('b', 'old b')

  expect(
    await placeFiles([changeOf(desk.at('a'), 'new a'), changeOf(desk.at('c'), 'c'), changeOf(desk.at('b'), undefined)]),
  ).toEqual({ ok: true })
  expect(desk.names()).toEqual(['a', 'c'])
  expect(readFileSync(desk.at('a'), 'utf8')).toBe('new a')
})

test.runIf(canMount)('a full disk, and one that cannot be written, leave every file as it was', async () => {
  using disk = mountSmallDisk(1)
  const folder = disk?.folder ?? ''
  writeFileSync(join(folder, 'a'), 'old a')
  const changes = [changeOf(join(folder, 'a'), 'new a'), changeOf(join(folder, 'b'), 'b'.repeat(4_000_000))]

  expect(await placeFiles(changes)).toEqual({
    ok: false,
    says: 'b cannot be written (ENOSPC: no space left on device); nothing was changed',
  })
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old a')
  expect(readdirSync(folder)).toEqual(['a'])
  disk?.remount('ro')
  expect(await placeFiles([changeOf(join(folder, 'a'), 'new a')])).toMatchObject({
    ok: false,
    says: expect.stringContaining('EROFS'),
  })
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old a')
})
