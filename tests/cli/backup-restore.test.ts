import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aHome } from './a-home.ts'
import { aHub } from './a-hub.ts'

test('a backup goes into the home unless a file is named, and says how it is put back', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  const { code, out } = await yard.type('backup')
  expect(code).toBe(0)
  const [name = ''] = readdirSync(join(yard.home, 'backups'))
  const file = join(yard.home, 'backups', name)
  expect(out).toContain(`Backup ${file}: 1 task, `)
  expect(out).toContain(`Put it back: yardmaster restore ${file}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(yard.home, 'backups')).mode & 0o777).toBe(0o700)

  expect((await yard.type('backup', '-q', 'mine.db')).out).toBe(`${join(yard.cwd, 'mine.db')}\n`)
  expect(JSON.parse((await yard.type('backup', '--json')).out)).toMatchObject({ tasks: 1, bytes: expect.any(Number) })
  expect(await yard.type('backup', 'mine.db')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is there already, and nothing is written over'),
  })
})

test('a backup into a folder that is not there ends with 2, and names the file that was asked for and the way out', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  const file = join(yard.cwd, 'no', 'such', 'x.db')
  const { code, err } = await yard.type('backup', file)
  expect([code, err]).toEqual([
    2,
    `error: ${file} cannot be written: ENOENT: no such file or directory [BOARD_FILE_NOT_MADE]
  fix: name a file in a folder that exists and that you may write to
`,
  ])
})

test('the line that restores a backup can be copied, whatever its name', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  const { out } = await yard.type('backup', "it's mine; $(rm -r x).db")
  expect(out).toContain(`Put it back: yardmaster restore '${yard.cwd}/it'\\''s mine; $(rm -r x).db'\n`)
})

test('what a backup that was killed has left is taken away by the next one', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  mkdirSync(join(yard.home, 'backups'))
  writeFileSync(join(yard.home, 'backups', 'yard-x.db.unfinished-1'), 'half')
  await yard.type('backup')
  expect(readdirSync(join(yard.home, 'backups'))).toEqual([expect.stringMatching(/^yard-\d{8}T\d{6}Z\.db$/)])
})

test('C104: one command restores a lost store, says how old the backup is, what it does not know, and what comes next', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  await yard.type('backup', 'copy.db')
  mkdirSync(join(yard.home, 'runs', '0', 'R7'), { recursive: true })
  for (const rest of ['', '-wal', '-shm']) rmSync(join(yard.home, `yard.db${rest}`), { force: true })
  const { code, out } = await yard.type('restore', 'copy.db')
  expect(code).toBe(0)
  expect(out).toMatch(/^Restored 1 task from \S+copy\.db: \d+ s old, of \d\d:\d\d\.\n/)
  expect(out).toContain('Made after it, and not in it: R7.')
  expect(out).toContain('Everything is paused')
  expect(out).toContain('Next: yardmaster list · yardmaster up -d · yardmaster resume\n')
  expect((await yard.type('list')).out).toMatch(/PAUSED {2}everything, since/)
  expect((await yard.type('list')).out).toContain('one')
})

test('C104: works in a home in which there was nothing', async () => {
  await using from = aHome()
  await from.type('add', 'one', '--', 'true')
  await from.type('backup', 'copy.db')
  await using to = aHome()
  const restored = await to.type('restore', join(from.cwd, 'copy.db'), '--json')
  expect(JSON.parse(restored.out)).toMatchObject({ tasks: 1, replaced: null, open_runs: [], paused: true })
  expect((await to.type('list', '--all', '-q')).out).toBe('T1\n')
})

test('C104: a backup is made of a hub that works; restoring is refused while one is up, with its pid', async () => {
  await using yard = aHome()
  const hub = await aHub(yard.home)
  try {
    await yard.type('add', 'one', '--', 'true')
    const { out } = await yard.type('backup', '-q')
    expect(existsSync(out.trim())).toBe(true)
    const refused = await yard.type('restore', '-y', out.trim())
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`(pid ${process.pid})`)])
    expect(refused.err).toContain('yardmaster down')
    await yard.type('add', 'two', '--', 'true')
  } finally {
    await hub.stop({ workers: 'end' })
  }
})

test('a person is asked before boards are replaced, and not where the answer would change nothing', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  await yard.type('backup', 'copy.db')
  const typing = { types: 'n\n', terminal: 100 }
  const declined = await yard.typeWith(typing, 'restore', 'copy.db')
  expect([declined.code, declined.err]).toEqual([
    2,
    expect.stringMatching(/^Replace all boards of .* Nothing was done\.\n$/),
  ])
  const nowhere = await yard.typeWith(typing, 'restore', 'nowhere.db')
  expect(nowhere.err).toMatch(/^error: there is no backup /)
  const hub = await aHub(yard.home)
  try {
    expect((await yard.typeWith(typing, 'restore', 'copy.db')).err).toMatch(/^error: another process/)
  } finally {
    await hub.stop({ workers: 'end' })
  }
})

test('C104: where there is no home yet, a file that is no backup makes none', async () => {
  await using yard = aHome()
  writeFileSync(join(yard.cwd, 'notes.txt'), 'x'.repeat(200))
  expect((await yard.type('restore', 'nowhere.db')).err).toContain('[BOARD_NO_BACKUP]')
  expect((await yard.type('restore', 'notes.txt')).err).toContain('[BOARD_NOT_A_BACKUP]')
  await using from = aHome()
  await from.type('add', 'one', '--', 'true')
  const { out } = await from.type('backup', '-q')
  const damaged = readFileSync(out.trim())
  damaged.fill(0xff, 8_192, 40_960)
  writeFileSync(join(yard.cwd, 'damaged.db'), damaged)
  expect((await yard.type('restore', 'damaged.db')).err).toContain('[BOARD_BACKUP_DAMAGED]')
  expect(existsSync(yard.home)).toBe(false)
  expect(readdirSync(yard.cwd).sort()).toEqual(['damaged.db', 'notes.txt'])
})

test('a file that is no backup is refused, and the store stays as it is', async () => {
  await using yard = aHome()
  await yard.type('add', 'one', '--', 'true')
  const { code, err } = await yard.type('restore', 'nowhere.db')
  expect([code, err]).toEqual([2, expect.stringContaining('[BOARD_NO_BACKUP]')])
  expect((await yard.type('list', '--all', '-q')).out).toBe('T1\n')
})
