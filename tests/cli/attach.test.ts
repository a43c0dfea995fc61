import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AHome, aHome } from './a-home.ts'
import { aHub } from './a-hub.ts'

const mebibyte = 1_024 * 1_024

/** Bytes in the store of a home, and what is begun. */
function storedIn(home: string): readonly string[] {
  const folder = join(home, 'attachments')
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)))
}

/** A card that nobody starts. */
async function aCard(): Promise<AHome> {
  const at = aHome()
  await at.type('add', 'Read the spec', '--draft')
  return at
}

describe('attach', () => {
  test('C93 · gives files with a task, and says name, size and number of each', async () => {
    await using at = await aCard()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    writeFileSync(join(at.cwd, 'two words.txt'), 'x'.repeat(2_048))
    expect(await at.type('attach', 'T1', 'spec.pdf', 'two words.txt')).toEqual({
      code: 0,
      out: 'T1: spec.pdf, 8 B, is its file 1.\nT1: two words.txt, 2 KiB, is its file 2.\n',
      err: '',
    })
    expect((await at.type('show', 'T1')).out).toMatch(/^ {2}files +spec\.pdf 8 B \(.+\), two words\.txt 2 KiB \(.+\)$/m)
    expect((await at.type('attach', 'T1', '--list')).out).toMatch(
      /^1 +\S+ +8 B +\S+ ago +spec\.pdf\n2 +\S+ +2 KiB +\S+ ago +two words\.txt\n$/,
    )
    expect(JSON.parse((await at.type('attach', '-', '--list', '--json')).out)).toMatchObject([
      { id: 1, task: 1, run: null, name: 'spec.pdf', bytes: 8, media_type: 'application/pdf' },
      { id: 2, name: 'two words.txt' },
    ])
  })

  test('gives them back byte for byte, to a new file and over none', async () => {
    await using at = await aCard()
    const bytes = randomBytes(3 * mebibyte)
    writeFileSync(join(at.cwd, 'a.bin'), bytes)
    await at.type('attach', 'T1', 'a.bin')
    const again = await at.type('attach', 'T1', '--get', 'a.bin')
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('is there already') })
    expect(await at.type('attach', 'T1', '--get', 'a.bin', '-o', 'b.bin')).toEqual({
      code: 0,
      out: `${join(at.cwd, 'b.bin')} (3 MiB)\n`,
      err: '',
    })
    expect(readFileSync(join(at.cwd, 'b.bin')).equals(bytes)).toBe(true)
    const byNumber = await at.type('attach', 'T1', '--get', '1', '-o', 'c.bin', '--json')
    expect(JSON.parse(byNumber.out)).toMatchObject({
      file: join(at.cwd, 'c.bin'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(readdirSync(at.cwd).sort()).toEqual(['a.bin', 'b.bin', 'c.bin'])
  })

  test('takes standard input under a name', async () => {
    await using at = await aCard()
    expect(await at.typeWith({ stdin: 'piped in' }, 'attach', 'T1', '-', '--name', 'log.txt')).toMatchObject({
      code: 0,
      out: 'T1: log.txt, 8 B, is its file 1.\n',
    })
    await at.type('attach', 'T1', '--get', 'log.txt')
    expect(readFileSync(join(at.cwd, 'log.txt'), 'utf8')).toBe('piped in')
  })

  test.each([
    [['attach'], 'yardmaster attach needs to know which task'],
    [['attach', 'T1'], 'attach needs a file'],
    [['attach', 'T1', 'gone.pdf'], 'gone.pdf could not be read: there is no such file'],
    [['attach', 'T1', 'folder'], 'it is a folder; put it into one file'],
    [['attach', 'T1', '/dev/null'], 'it is no regular file'],
    [['attach', 'T1', 'spec.pdf', 'gone.pdf'], 'gone.pdf could not be read'],
    [['attach', 'T1', 'spec.pdf', 'folder/spec.pdf'], 'two of these files are called "spec.pdf"'],
    [['attach', 'T1', '-'], 'what comes from standard input has no name'],
    [['attach', 'T1', 'spec.pdf', '--name', 'a/b'], 'the name "a/b" has a slash in it'],
    [['attach', 'T1', 'two\nlines'], 'has characters in it that cannot be seen'],
    [['attach', 'T1', 'spec.pdf', 'spec.pdf', '--name', 'x'], '--name is for one file, and here are 2'],
    [['attach', 'T1', 'spec.pdf', '--list'], 'files and --list do not go together'],
    [['attach', 'T1', '--get', 'x', '--list'], '--list and --get do not go together'],
    [['attach', 'T1', 'spec.pdf', '-o', 'x'], '-o is for --get'],
    [['attach', 'T1', '--get', 'nothing'], 'T1 has no file "nothing"'],
    [['attach', 'T1-T2', 'spec.pdf'], 'T1-T2 names 2 tasks, and a file is given with one'],
    [['attach', 'T9', 'spec.pdf'], 'there is no task T9'],
  ])('%j is refused: %s', async (line, says) => {
    await using at = await aCard()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'x')
    writeFileSync(join(at.cwd, 'two\nlines'), 'x')
    mkdirSync(join(at.cwd, 'folder'))
    writeFileSync(join(at.cwd, 'folder', 'spec.pdf'), 'y')
    const { code, err } = await at.type(...line)
    expect(err).toContain(says)
    expect(code).toBe(2)
    expect(storedIn(at.home)).toEqual([])
  })

  test('without a yard there is nothing to attach to', async () => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'x')
    expect(await at.type('attach', 'T1', 'spec.pdf')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no yard'),
    })
  })
})

describe('add --attach', () => {
  test('makes a card that may start when its files are there', async () => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    writeFileSync(join(at.cwd, 'shot.png'), 'pixels')
    const { code, out } = await at.type('add', 'Read the spec', '--attach', 'spec.pdf', '--attach', 'shot.png')
    expect(out).toMatch(/^T1 ready on main.*\nWith it: spec\.pdf 8 B \(.+\), shot\.png 6 B \(.+\)\n/)
    expect(code).toBe(0)
    expect((await at.type('attach', 'T1', '--list')).out).toContain('shot.png')
    const kinds = JSON.parse((await at.type('add', 'x', '--attach', 'spec.pdf', '--json')).out)
    expect(kinds).toMatchObject({
      created: true,
      task: { id: 2, status: 'ready' },
      attachments: [{ name: 'spec.pdf' }],
    })
  })

  test('a draft stays one', async () => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    const { out } = await at.type('add', 'Read the spec', '--draft', '--attach', 'spec.pdf', '--json')
    expect(JSON.parse(out)).toMatchObject({ task: { status: 'triage' } })
  })

  test.each([['gone.pdf'], ['.'], ['big.bin']])('%s is refused before there is a card', async (file) => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    writeFileSync(join(at.cwd, 'big.bin'), '')
    truncateSync(join(at.cwd, 'big.bin'), 26 * mebibyte)
    expect(await at.type('add', 'Read the spec', '--attach', 'spec.pdf', '--attach', file)).toMatchObject({
      code: 2,
      out: '',
    })
    expect(await at.type('list', '--all')).toMatchObject({ out: expect.not.stringContaining('Read the spec') })
  })

  test('one that is refused on its way leaves a draft, which nothing starts, and says so', async () => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    const log = join(at.cwd, 'log.txt')
    writeFileSync(log, Buffer.alloc(20 * mebibyte))
    let growing = true
    const grow = () => {
      if (!growing) return
      // Not before both were looked at: the second is refused while it is sent.
      const isOnItsWay = storedIn(at.home).length > 0
      if (isOnItsWay && statSync(log).size < 40 * mebibyte) appendFileSync(log, Buffer.alloc(mebibyte))
      setImmediate(grow)
    }
    setImmediate(grow)
    const { code, err } = await at.type('add', 'Read the spec', '--attach', 'spec.pdf', '--attach', 'log.txt')
    growing = false
    expect(err).toContain('T1 is a draft and lacks files: yardmaster attach T1 FILE…, then yardmaster ready T1')
    expect(err).toContain('is too large to be attached')
    expect(code).toBe(2)
    expect(JSON.parse((await at.type('show', 'T1', '--json')).out)).toMatchObject({ status: 'triage' })
  })

  test('where the key is held, nothing is attached', async () => {
    await using at = aHome()
    writeFileSync(join(at.cwd, 'spec.pdf'), 'the spec')
    await at.type('add', 'Read the spec', '--key', 'spec')
    const again = await at.type('add', 'Read the spec', '--key', 'spec', '--attach', 'spec.pdf')
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('nothing was added') })
    expect(storedIn(at.home)).toEqual([])
  })
})

describe('C92 · a file of 26 MB', () => {
  test('is refused before a byte of it is sent', async () => {
    await using at = await aCard()
    writeFileSync(join(at.cwd, 'big.bin'), '')
    truncateSync(join(at.cwd, 'big.bin'), 26 * mebibyte)
    const { code, err } = await at.type('attach', 'T1', 'big.bin')
    expect(err).toContain('big.bin is too large to be attached: more than 25 MiB; nothing of it is kept')
    expect(code).toBe(2)
    expect(storedIn(at.home)).toEqual([])
  })

  test('from standard input is refused while it is sent, with a hub and without', async () => {
    await using at = await aCard()
    const stdin = 'x'.repeat(26 * mebibyte)
    const sent = () => at.typeWith({ stdin }, 'attach', 'T1', '-', '--name', 'big.txt')
    expect(await sent()).toMatchObject({ code: 2, err: expect.stringContaining('standard input is too large') })
    expect(storedIn(at.home)).toEqual([])
    const hub = await aHub(at.home)
    try {
      expect(await sent()).toMatchObject({ code: 2, err: expect.stringContaining('standard input is too large') })
      while (storedIn(at.home).length > 0) await new Promise((resolve) => setImmediate(resolve))
      writeFileSync(join(at.cwd, 'small.txt'), 'small')
      expect(await at.type('attach', 'T1', 'small.txt')).toMatchObject({ code: 0 })
    } finally {
      await hub.stop({ workers: 'end' })
    }
  })

  test('that becomes so large while it is sent is refused then', async () => {
    await using at = await aCard()
    const path = join(at.cwd, 'log.txt')
    writeFileSync(path, Buffer.alloc(20 * mebibyte))
    let growing = true
    const grow = () => {
      if (!growing) return
      if (statSync(path).size < 40 * mebibyte) appendFileSync(path, Buffer.alloc(mebibyte))
      setImmediate(grow)
    }
    setImmediate(grow)
    const { code, err } = await at.type('attach', 'T1', 'log.txt')
    growing = false
    expect(err).toContain('log.txt is too large to be attached')
    expect(code).toBe(2)
    expect(storedIn(at.home)).toEqual([])
  })
})
