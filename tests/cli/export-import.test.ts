import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../src/main.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { aHome } from './a-home.ts'

test('a board goes into a file and comes back in another home, with its new numbers printed', async () => {
  await using from = aHome()
  await from.type('add', 'other board', '-b', 'other', '--', 'true')
  await from.type('add', 'first', '-b', 'shop', '--', 'true')
  await from.type('add', 'second', '-b', 'shop', '--needs', 'T2', '--', 'true')
  expect(await from.type('export', '-b', 'shop', 'shop.jsonl')).toEqual({
    code: 0,
    out: `2 tasks of board shop in ${join(from.cwd, 'shop.jsonl')}. Elsewhere: yardmaster import ${join(from.cwd, 'shop.jsonl')}\n`,
    err: '',
  })
  const file = join(from.cwd, 'shop.jsonl')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(3)
  expect(readdirSync(from.cwd)).toEqual(['shop.jsonl'])

  await using to = aHome()
  const { code, out } = await to.type('import', file)
  expect([code, out]).toEqual([
    0,
    'T2 is T1  first (ready)\nT3 is T2  second (waiting)\n2 tasks on board shop.\nNext: yardmaster list -b shop\n',
  ])
  expect((await to.type('list', '-b', 'shop', '--all', '-q')).out).toBe('T1\nT2\n')
  expect((await to.type('import', file)).err).toContain('[BOARD_IMPORT_BOARD_TAKEN]')
  expect(JSON.parse((await to.type('import', file, '-b', 'again', '--json')).out)).toMatchObject({
    board: 'again',
    tasks: [
      { from: 2, id: 3 },
      { from: 3, id: 4 },
    ],
  })
})

test('a fault of an imported file names the file, and at most one field that may be meant', async () => {
  await using yard = aHome()
  await yard.type('add', 'task', '--', 'true')
  const { out } = await yard.type('export')
  writeFileSync(join(yard.cwd, 'bad.jsonl'), out.replace('"left_out":', '"wholly_strange":1,"left_out":'))
  const strange = await yard.type('import', 'bad.jsonl', '-b', 'two')
  expect(strange).toMatchObject({ code: 2, err: expect.stringContaining('bad.jsonl: line 2: wholly_strange') })
  expect(strange.err).toContain('fix: take it out, or export the board again')
  const near = await yard.typeWith({ stdin: out.replace('"priority":', '"prioritty":1,"priority":') }, 'import', '-')
  expect(near.err).toContain('standard input: line 2: prioritty')
  expect(near.err).toContain('did you mean priority?')
})

test('it also goes through a pipe, and what lost a secret says so', async () => {
  await using from = aHome()
  await from.type('add', 'task', '--', 'true')
  const { out } = await from.type('export')
  await using to = aHome()
  const secret = out.replace('"left_out":[]', '"left_out":["env.API_TOKEN"]')
  const imported = await to.typeWith({ stdin: secret }, 'import', '-')
  expect(imported.out).toContain('T1 is T1  task (draft: env.API_TOKEN was left out of the file)\n')
  expect(imported.out).toContain('1 task on board main, 1 of them a draft now: it starts when you say so.\n')
  expect(imported.out).toContain('Next: yardmaster list -b main · yardmaster ready T1\n')
})

test('nothing is written over, and what cannot be read or is no board is refused with exit 2', async () => {
  await using yard = aHome()
  await yard.type('add', 'task', '--', 'true')
  writeFileSync(join(yard.cwd, 'taken'), 'precious')
  expect(await yard.type('export', 'taken')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is there already'),
  })
  expect(readFileSync(join(yard.cwd, 'taken'), 'utf8')).toBe('precious')
  const nowhere = await yard.type('export', 'no/such/folder')
  expect(nowhere).toMatchObject({ code: 2, err: expect.not.stringContaining('unfinished') })
  expect(nowhere.err).toContain(
    `${join(yard.cwd, 'no/such/folder')} cannot be written: ENOENT: no such file or directory [`,
  )
  const long = await yard.type('export', 'x'.repeat(300))
  expect([long.code, long.err]).toEqual([2, expect.stringContaining('ENAMETOOLONG: name too long [CLI_BAD_USE]')])
  expect((await yard.type('export', '-b', 'nowhere')).err).toContain('[BOARD_NO_BOARD]')
  expect((await yard.type('export', '-b', 'nowhere', 'new')).code).toBe(2)
  expect(readdirSync(yard.cwd)).toEqual(['taken'])
  expect((await yard.type('import', 'nowhere')).err).toContain('[CLI_FILE_NOT_READ]')
  expect(await yard.type('import', 'taken')).toMatchObject({ code: 2, err: expect.stringContaining('line 1') })
})

test('a file of a person beside the export stays as it is, and so does one that comes to be meanwhile', async () => {
  await using yard = aHome()
  await yard.type('add', 'task', '--', 'true')
  writeFileSync(join(yard.cwd, 'shop.jsonl.unfinished'), 'precious')
  expect(await yard.type('export', 'shop.jsonl')).toMatchObject({ code: 0 })
  expect(readFileSync(join(yard.cwd, 'shop.jsonl.unfinished'), 'utf8')).toBe('precious')

  const late = join(yard.cwd, 'late.jsonl')
  const openLate: typeof openStore = async (options) => {
    const store = await openStore(options)
    writeFileSync(late, 'precious')
    return store
  }
  const raced = await yard.typeWith({ main: { openStore: openLate } }, 'export', late)
  expect(raced).toMatchObject({ code: 2, err: expect.stringContaining('is there already') })
  expect(readFileSync(late, 'utf8')).toBe('precious')
  expect(readdirSync(yard.cwd).sort()).toEqual(['late.jsonl', 'shop.jsonl', 'shop.jsonl.unfinished'])
})

test.skipIf(!canMount)('a disk that is full at the last line leaves no file that looks whole', async () => {
  using disk = mountSmallDisk(1)
  await using yard = aHome()
  await yard.type('add', '--', 'echo', 'x'.repeat(5_000)) // longer than the page of room that is left
  const file = join(disk?.folder ?? '', 'shop.jsonl')
  disk?.fill()
  truncateSync(join(disk?.folder ?? '', 'filler'), statSync(join(disk?.folder ?? '', 'filler')).size - 4_096)
  const { code, out, err } = await yard.type('export', file)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`${file} could not be written: ENOSPC`)
  expect(err).toContain('[CLI_FILE_NOT_WRITTEN]')
  expect(readdirSync(disk?.folder ?? '')).toEqual(['filler'])
})
