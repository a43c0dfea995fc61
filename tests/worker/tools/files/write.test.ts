import { chmodSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openFileDesk } from './file-desk.ts'

test('a new file gets its folders, and nothing is left beside it', async () => {
  using desk = openFileDesk()

  expect((await desk.write('a/b/c.txt', 'text\n')).text).toBe('wrote new a/b/c.txt, 5 bytes')
  expect((await desk.write('empty', '')).text).toBe('wrote new empty, 0 bytes')

  expect(desk.text('a/b/c.txt')).toBe('text\n')
  expect(desk.names()).toEqual(['a', 'empty'])
  expect(desk.names('a/b')).toEqual(['c.txt'])
})

test('a file keeps its mode, and a link inside the workspace stays a link', async () => {
  using desk = openFileDesk()
  desk.put('run.sh', 'old')
  chmodSync(desk.at('run.sh'), 0o750)
  symlinkSync('run.sh', desk.at('link'))
  await desk.read('link')

  expect((await desk.write('link', 'new')).text).toBe('wrote run.sh, 3 bytes')

  expect(desk.text('run.sh')).toBe('new')
  expect(statSync(desk.at('run.sh')).mode & 0o777).toBe(0o750)
  expect(lstatSync(desk.at('link')).isSymbolicLink()).toBe(true)
})

test('a file that is there must have been read, or be empty', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'work of a person')
  desk.put('empty', '')

  expect(await desk.write('a.txt', 'mine')).toMatchObject({
    outcome: 'failed',
    text: 'error: a.txt is there and was not read: read it first, so that nothing in it is lost',
    counts: ['write_changed_since_read'],
  })
  expect(desk.text('a.txt')).toBe('work of a person')
  expect((await desk.write('empty', 'x')).outcome).toBe('ok')
  await desk.read('a.txt')
  expect((await desk.write('a.txt', 'mine')).outcome).toBe('ok')
  expect((await desk.write('a.txt', 'mine, again')).outcome).toBe('ok') // what it wrote itself it knows
})

test('an edit of one line is no look at the rest of a file', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'one\nwork of a person\nthree\n')
  expect((await desk.replace('a.txt', 'one', 'two')).outcome).toBe('ok')
  expect((await desk.replace('a.txt', 'three', 'four')).outcome).toBe('ok')
  expect((await desk.patch('*** Begin Patch\n*** Update File: a.txt\n-two\n+1\n*** End Patch')).outcome).toBe('ok')
  expect((await desk.write('a.txt', 'mine')).text).toContain('was not read: read it first')
  await desk.read('a.txt')
  expect((await desk.replace('a.txt', 'four', 'five')).outcome).toBe('ok')
  expect((await desk.write('a.txt', 'mine')).outcome).toBe('ok')
})

test('a file that somebody changed since it was read is not written over, even with the same size and time', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'aaaa')
  await desk.read('a.txt')
  const { atime, mtime } = statSync(desk.at('a.txt'))
  writeFileSync(desk.at('a.txt'), 'bbbb')
  const { utimesSync } = await import('node:fs')
  utimesSync(desk.at('a.txt'), atime, mtime)

  expect((await desk.write('a.txt', 'mine')).text).toContain('a.txt was changed since you read it')
  expect(desk.text('a.txt')).toBe('bbbb')
  await desk.read('a.txt')
  expect((await desk.write('a.txt', 'mine')).outcome).toBe('ok')
})

test('the text that is there already is not written again', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'same')
  const { ino } = statSync(desk.at('a.txt'))

  expect((await desk.write('a.txt', 'same')).text).toBe('a.txt holds just this already')
  expect(statSync(desk.at('a.txt')).ino).toBe(ino)
})

test.each([
  ['a folder', 'sub', 'is a folder'],
  ['a path below a file', 'file/x', 'a part of the path is a file'],
  ['what belongs to git', '.git/hooks/pre-commit', 'belongs to git'],
  ['what belongs to git in other letters', 'sub/.GIT/config', 'belongs to git'],
  ['an env file', '.env', 'is an env file'],
  ['an env file of one place', 'sub/.env.production', 'is an env file'],
  ['a key', 'certs/server.pem', 'is a key'],
  ['a key of ssh', 'id_ed25519', 'is a key'],
  ['a folder of keys', '.ssh/config', 'is a key'],
  ['a link to an env file', 'harmless', 'is an env file'],
])('%s is not written, and the reason is said', async (_, path, says) => {
  using desk = openFileDesk()
  mkdirSync(desk.at('sub'))
  desk.put('file', 'kept')
  symlinkSync('.env', desk.at('harmless'))

  const [written, patched] = [
    await desk.write(path, 'x'),
    await desk.patch(`*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`),
  ]

  expect(written).toMatchObject({ outcome: 'failed', text: expect.stringContaining(says) })
  expect(patched).toMatchObject({ outcome: 'failed', text: expect.stringContaining(says) })
  expect(desk.text('file')).toBe('kept')
  expect(desk.names()).toEqual(['file', 'harmless', 'sub'])
})

test.each(['.env.example', 'env.ts', 'id_rsa.pub', '.gitignore', 'keyboard.ts', '.github/workflows/ci.yml'])(
  '%s is no secret and is written',
  async (path) => {
    using desk = openFileDesk()
    expect((await desk.write(path, 'x')).outcome).toBe('ok')
  },
)

test('more than 8 MiB is refused, and so is a line that stands for text that was left out', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', 'const a = 1\nconst b = 2\n')
  await desk.read('a.ts')

  expect((await desk.write('big', 'x'.repeat(8 * 1024 * 1024 + 1))).text).toContain('more than 8388608')
  expect(await desk.write('a.ts', 'const a = 3\n// ... rest of the code unchanged\n')).toMatchObject({
    outcome: 'failed',
    counts: ['write_placeholder'],
  })
  expect(desk.text('a.ts')).toBe('const a = 1\nconst b = 2\n')
})

test('a new name that differs from one that is there in case only is warned of, in folders too', async () => {
  using desk = openFileDesk()
  desk.put('src/Parser.ts', '')

  expect((await desk.write('src/parser.ts', 'x')).text).toContain('[warning: src/Parser.ts is there already')
  expect((await desk.write('Src/other.ts', 'x')).text).toContain('[warning: src is there already')
  expect((await desk.write('src/new.ts', 'x')).text).toBe('wrote new src/new.ts, 1 bytes')
})

test('JSON that does not parse and edits that undo each other are warned of', async () => {
  using desk = openFileDesk()

  expect(await desk.write('a.json', '{"a": 1,}')).toMatchObject({
    text: expect.stringContaining('[warning: a.json is no valid JSON now:'),
    counts: ['edit_bad_syntax'],
  })
  expect((await desk.write('tsconfig.json', '{ // comment\n}')).text).not.toContain('warning')
  await desk.write('b.txt', 'A')
  await desk.write('b.txt', 'B')
  expect(await desk.write('b.txt', 'A')).toMatchObject({ counts: ['edit_undone'] })
})

test('other names of the same file keep the old text, and that is said', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old')
  linkSync(desk.at('a'), desk.at('b'))
  await desk.read('a')

  expect((await desk.write('a', 'new')).text).toContain('hard links')
  expect([desk.text('a'), desk.text('b')]).toEqual(['new', 'old'])
})

test('an absolute path into the workspace is as good, wherever the workspace lies', async () => {
  using desk = openFileDesk()
  expect((await desk.write(desk.at('a/b.txt'), 'x')).text).toBe('wrote new a/b.txt, 1 bytes')
  expect((await desk.write(desk.at('.env'), 'x')).text).toContain('is an env file')
  expect((await desk.write(desk.at('.git/config'), 'x')).text).toContain('belongs to git')
})

test('nothing is written once the worker is told to stop', async () => {
  using desk = openFileDesk()
  desk.put('a', 'old')
  desk.stop.abort()

  expect((await desk.write('b', 'x')).text).toContain('told to stop')
  expect((await desk.replace('a', 'old', 'new')).text).toContain('told to stop')
  expect((await desk.patch('*** Begin Patch\n*** Add File: c\n+c\n*** End Patch')).text).toContain('told to stop')
  expect(desk.names()).toEqual(['a'])
  expect(desk.text('a')).toBe('old')
})

test('a secret that the model sees as a mask is not lost by what it writes', async () => {
  const secret = `very-${'secret'}-value`
  using desk = openFileDesk({ secrets: [secret] })
  const text = `key = "${secret}"\nport = 1\n`
  desk.put('config.ts', text)
  const masked = text.replace(secret, '[secret]')
  await desk.read('config.ts')

  expect((await desk.write('config.ts', masked)).text).toContain(
    'a value that you are not shown and that would be lost',
  )
  expect((await desk.replace('config.ts', 'port = 1', 'port = 2\nother = "[secret]"')).outcome).toBe('failed')
  expect(desk.text('config.ts')).toBe(text)
  expect((await desk.replace('config.ts', 'port = 1', 'port = 2')).outcome).toBe('ok')
  expect(desk.text('config.ts')).toBe(text.replace('port = 1', 'port = 2'))
  expect((await desk.write('copy.ts', masked)).text).toContain('[warning: copy.ts now holds the word [secret]')
})
