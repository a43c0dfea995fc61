import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileDesk } from './file-desk.ts'

test('a file is read with the numbers of its lines, in parts that say how to go on', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', Array.from({ length: 5 }, (_, n) => `line ${n + 1}\n`).join(''))

  expect((await desk.read('a.txt')).text).toBe('1\tline 1\n2\tline 2\n3\tline 3\n4\tline 4\n5\tline 5')
  expect((await desk.read('a.txt', { offset: 2, limit: 2 })).text).toBe(
    '2\tline 2\n3\tline 3\n[lines 2 to 3 of 5; go on with offset 4]',
  )
})

test('long lines, many lines and many characters are cut, and each cut is named', async () => {
  using desk = openFileDesk()
  desk.put('long', `${'y'.repeat(1_999)}🙂${'y'.repeat(3_000)}\n${'z\n'.repeat(3_000)}`)
  desk.put('wide', `${'w'.repeat(1_500)}\n`.repeat(100))

  const long = (await desk.read('long')).text

  expect(long).toContain('[… 3002 characters left out]') // not through the middle of a sign
  expect(long).toContain('[lines 1 to 2000 of 3001; go on with offset 2001]')
  expect((await desk.read('wide')).text).toContain('[lines 1 to 66 of 100; go on with offset 67]')
})

test('what an edit must know and lines do not show is said: line ends, byte order mark, an open last line', async () => {
  using desk = openFileDesk()
  desk.put('windows.txt', 'a\r\nb\r\n')
  desk.put('mixed.txt', 'a\r\nb\nc')
  desk.put('marked.txt', '\ufeffa\n')
  desk.put('empty.txt', '')

  expect((await desk.read('windows.txt')).text).toBe('1\ta\n2\tb\n[line ends are CRLF]')
  expect((await desk.read('mixed.txt')).text).toBe(
    '1\ta\n2\tb\n3\tc\n[no newline at its end]\n[line ends are mixed: 1 CRLF, 1 LF]',
  )
  expect((await desk.read('marked.txt')).text).toBe('1\ta\n[it begins with a byte order mark]')
  expect((await desk.read('empty.txt')).text).toBe('[the file is empty]')
})

test('bytes that are no UTF-8 are named with their first line', async () => {
  using desk = openFileDesk()
  desk.put('latin.txt', Buffer.from('fine\ncaf\xe9\n', 'latin1'))

  expect((await desk.read('latin.txt')).text).toBe(
    '1\tfine\n2\tcaf\ufffd\n[not all of it is UTF-8, first in line 2: what is not shows as \ufffd]',
  )
})

test('the same part of an unchanged file is not sent twice in a row, and is sent again to whoever insists', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'one\ntwo\n')
  const whole = (await desk.read('a.txt')).text

  expect((await desk.read('a.txt')).text).toContain('is the same as when you read this part before')
  expect((await desk.read('a.txt')).text).toBe(whole)
  expect((await desk.read('a.txt', { offset: 2 })).text).toBe('2\ttwo')
  desk.put('a.txt', 'one\nthree\n')
  expect((await desk.read('a.txt')).text).toBe('1\tone\n2\tthree')
})

test('of a folder its names are listed, folders first', async () => {
  using desk = openFileDesk()
  desk.put('src/b.ts', '')
  desk.put('a.md', '')
  mkdirSync(desk.at('none'))
  for (let n = 0; n < 120; n += 1) desk.put(`many/${n}`, '')

  expect(await desk.read('.')).toMatchObject({
    outcome: 'ok',
    text: '. is a folder with 4 entries:\nmany/\nnone/\nsrc/\na.md',
  })
  expect((await desk.read('none')).text).toBe('none is an empty folder')
  expect((await desk.read('many')).text).toContain('[… and 20 more]')
})

test('for a file that is not there, names that are near are told', async () => {
  using desk = openFileDesk()
  desk.put('src/parse-lines.ts', '')
  desk.put('lib/deep/config.yaml', '')
  desk.put('README.md', '')

  expect((await desk.read('src/parse-line.ts')).text).toContain('did you mean src/parse-lines.ts?')
  expect((await desk.read('config.yaml')).text).toContain('did you mean lib/deep/config.yaml?')
  expect((await desk.read('readme.md')).text).toContain('did you mean README.md?')
  expect((await desk.read('qqqqqqqq')).text).toBe('error: qqqqqqqq is not there')
})

test.each([
  ['no text', 'binary', 'is no text: it holds zero bytes'],
  ['text in UTF-16', 'wide', 'is UTF-16; make it UTF-8 with iconv'],
  ['a file that is too large', 'huge', 'has 17 MiB, more than 16 MiB; take parts of it with the terminal'],
  ['an offset behind the end', 'short', 'short has 1 line; offset 9 is behind its end'],
])('%s is refused in words', async (_, path, says) => {
  using desk = openFileDesk()
  desk.put('binary', Buffer.from([1, 0, 2]))
  desk.put('wide', Buffer.from('\ufeffwide', 'utf16le'))
  desk.put('huge', '')
  truncateSync(desk.at('huge'), 17 * 1024 * 1024)
  desk.put('short', 'one\n')

  const result = await desk.read(path, path === 'short' ? { offset: 9 } : {})

  expect(result).toMatchObject({ outcome: 'failed', text: expect.stringContaining(`error: ${path}`) })
  expect(result.text).toContain(says)
})

test('known secrets are masked, what only looks like one is not', async () => {
  const secret = `very-${'secret'}-value`
  using desk = openFileDesk({ secrets: [secret] })
  desk.put('a.txt', `x ${secret}\ntoken = abcdefghijklmnop\n`)

  expect((await desk.read('a.txt')).text).toBe('1\tx [secret]\n2\ttoken = abcdefghijklmnop')
})

test('C93 · files that people gave are read by their whole path, and open nothing beside them', async () => {
  using desk = openFileDesk({ given: 'given' })
  const given = join(desk.outside, 'given')
  mkdirSync(given)
  writeFileSync(join(given, 'spec.txt'), 'the spec\n')
  writeFileSync(join(desk.outside, 'private'), 'private')
  symlinkSync(join(desk.outside, 'private'), join(given, 'link'))

  expect((await desk.read(join(given, 'spec.txt'))).text).toBe('1\tthe spec')
  expect((await desk.read(join(given, 'spec.tx'))).text).toContain(`did you mean ${join(given, 'spec.txt')}?`)
  for (const path of [join(desk.outside, 'private'), join(given, 'link'), join(given, '..', 'private')]) {
    expect((await desk.read(path)).text).toContain('outside the workspace')
  }
  expect((await desk.write(join(given, 'x'), 'x')).text).toContain('outside the workspace')
})

test('a workspace that vanishes or is swapped is told by every tool, and is not made anew', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'a\n')
  await desk.read('a.txt')
  renameSync(desk.workspace, join(desk.outside, 'moved'))

  const told = async () => [
    (await desk.read('a.txt')).text,
    (await desk.write('b.txt', 'b')).text,
    (await desk.replace('a.txt', 'a', 'b')).text,
    (await desk.patch('*** Begin Patch\n*** Add File: c\n+c\n*** End Patch')).text,
    (await desk.search({ pattern: 'a' })).text,
  ]
  for (const text of await told()) expect(text).toContain(`the folder ${desk.workspace} is gone`)
  symlinkSync(join(desk.outside, 'moved'), desk.workspace)
  for (const text of await told()) expect(text).toContain(`the folder ${desk.workspace} is gone`)
  rmSync(desk.workspace)
})
