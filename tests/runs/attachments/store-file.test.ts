import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAttachment, storeFile, storePatch } from '../../../src/runs/index.ts'
import { makeFolder } from '../run-folder.ts'

const mostBytes = 1_000_000

function places() {
  const home = makeFolder()
  const folder = makeFolder()
  const outside = makeFolder()
  writeFileSync(join(outside, 'secret'), 'not yours')
  const store = (name: string) => storeFile(home, { path: join(folder, name), within: [folder], mostBytes })
  return { home, folder, outside, store }
}

type Make = (folder: string, outside: string) => void
const nothing: Make = () => {}

const refused: readonly (readonly [what: string, why: string, path: string, make: Make])[] = [
  ['a file that is not there', 'missing', 'it', nothing],
  ['a file below a file', 'missing', 'x/y', (folder) => writeFileSync(join(folder, 'x'), '')],
  ['a name with a NUL in it', 'missing', 'a\0b', nothing],
  ['an empty file', 'empty', 'it', (folder) => writeFileSync(join(folder, 'it'), '')],
  ['a folder', 'not_a_file', 'it', (folder) => mkdirSync(join(folder, 'it'))],
  ['the folder itself', 'not_a_file', '.', nothing],
  ['a pipe that nobody writes into', 'not_a_file', 'it', (folder) => execFileSync('mkfifo', [join(folder, 'it')])],
  [
    'a link to a file elsewhere',
    'outside',
    'it',
    (folder, outside) => symlinkSync(join(outside, 'secret'), join(folder, 'it')),
  ],
  [
    'a file behind a linked folder',
    'outside',
    'l/secret',
    (folder, outside) => symlinkSync(outside, join(folder, 'l')),
  ],
  ['a file above the folder', 'outside', `${'../'.repeat(20)}etc/passwd`, nothing],
  ['a link to a device', 'outside', 'it', (folder) => symlinkSync('/dev/zero', join(folder, 'it'))],
  ['a link into /proc', 'outside', 'it', (folder) => symlinkSync('/proc/self/environ', join(folder, 'it'))],
  ['a link to itself', 'outside', 'it', (folder) => symlinkSync('it', join(folder, 'it'))],
  ['a link that leads nowhere', 'missing', 'it', (folder) => symlinkSync('gone', join(folder, 'it'))],
]

describe('a file that an attempt names', () => {
  test('is stored with its bytes', async () => {
    const { home, folder, store } = places()
    writeFileSync(join(folder, 'shot.png'), 'pixels')
    const stored = await store('shot.png')
    expect(stored).toMatchObject({ ok: true, bytes: 6 })
    const handle = stored.ok ? await openAttachment(home, stored.sha256) : undefined
    expect(await handle?.readFile('utf8')).toBe('pixels')
    await handle?.close()
  })

  test.each(refused)('%s is refused: %s', async (_what, why, path, make) => {
    const { folder, outside, store } = places()
    make(folder, outside)
    expect(await store(path)).toMatchObject({ ok: false, why })
  })

  test('a link to another file of the folder leads to that one', async () => {
    const { folder, store } = places()
    writeFileSync(join(folder, 'build-17.txt'), 'made')
    symlinkSync('build-17.txt', join(folder, 'latest.txt'))
    expect(await store('latest.txt')).toMatchObject({ ok: true, bytes: 4 })
  })

  test('the allowed folder may itself be named by a link, and one that is gone allows nothing', async () => {
    const { home, folder } = places()
    writeFileSync(join(folder, 'a'), 'a')
    const link = join(makeFolder(), 'link')
    symlinkSync(folder, link)
    const asked = { path: join(link, 'a'), mostBytes }
    expect(await storeFile(home, { ...asked, within: [link] })).toMatchObject({ ok: true })
    expect(await storeFile(home, { ...asked, within: [join(folder, 'gone')] })).toMatchObject({ why: 'outside' })
    expect(await storeFile(home, { ...asked, within: [] })).toMatchObject({ why: 'outside' })
  })

  test('a device and a socket are no files', async () => {
    const { home, folder, store } = places()
    expect(await storeFile(home, { path: '/dev/zero', within: ['/dev'], mostBytes })).toMatchObject({
      why: 'not_a_file',
    })
    const server = createServer().listen(join(folder, 'socket'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    expect(await store('socket')).toMatchObject({ why: 'not_a_file' })
  })

  test('the token of the home is not handed out, although the home lies in the folder', async () => {
    const folder = makeFolder()
    const home = join(folder, 'home')
    const runDir = join(home, 'runs', '0', 'R1')
    mkdirSync(runDir, { recursive: true })
    writeFileSync(join(home, 'token'), 'ym_…')
    writeFileSync(join(runDir, 'shot.png'), 'pixels')
    const store = (path: string) => storeFile(home, { path, within: [folder, runDir], mostBytes })
    expect(await store(join(home, 'token'))).toMatchObject({ why: 'outside' })
    expect(await store(join(runDir, 'shot.png'))).toMatchObject({ ok: true })
  })

  test('one that is too large is refused by its size, before it is read', async () => {
    const { folder, store } = places()
    writeFileSync(join(folder, 'sparse'), '')
    truncateSync(join(folder, 'sparse'), 10 ** 13)
    expect(await store('sparse')).toEqual({ ok: false, why: 'too_large', bytes: 10 ** 13 })
  })

  test('one that grows while it is read does not get past the limit', async () => {
    const { folder, store } = places()
    writeFileSync(join(folder, 'log'), Buffer.alloc(999_000))
    let growing = true
    const grow = () => {
      if (!growing) return
      appendFileSync(join(folder, 'log'), Buffer.alloc(100_000))
      setImmediate(grow)
    }
    setImmediate(grow)
    const stored = await store('log')
    growing = false
    expect(stored).toMatchObject({ ok: false, why: 'too_large' })
  })

  test('one that is exchanged for a link all the time never lets out what the link leads to', async () => {
    const { home, folder, outside, store } = places()
    writeFileSync(join(folder, 'mine'), 'mine')
    linkSync(join(folder, 'mine'), join(folder, 'it'))
    const script =
      'while :; do ln -sfn "$1/secret" t; mv -T t it; ln -f mine u; mv -T u it; rm -f d; ln -sfn "$1" d; rm d; mkdir -p d; echo mine > d/secret; rm -r d; done'
    const swapper = spawn('bash', ['-c', script, 'bash', outside], { cwd: folder, stdio: 'ignore' })
    onTestFinished(async () => {
      swapper.kill('SIGKILL')
      await once(swapper, 'exit')
    })
    const seen = new Map<string, number>()
    for (let n = 0; n < 1_500 || !seen.has('outside'); n += 1) {
      const stored = await store(n % 2 === 0 ? 'it' : 'd/secret')
      const what = stored.ok ? await textOf(home, stored.sha256) : stored.why
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    expect([...seen.keys()].filter((what) => what.includes('yours'))).toEqual([])
  })

  test('a name of two lines is a name', async () => {
    const { folder, store } = places()
    writeFileSync(join(folder, 'two\nlines'), 'x')
    expect(await store('two\nlines')).toMatchObject({ ok: true })
  })
})

describe('a patch of ours', () => {
  test('is stored whatever its size is, also an empty one', async () => {
    const { home, folder } = places()
    writeFileSync(join(folder, 'large'), Buffer.alloc(30_000_000))
    writeFileSync(join(folder, 'empty'), '')
    expect(await storePatch(home, join(folder, 'large'))).toMatchObject({ ok: true, bytes: 30_000_000 })
    expect(await storePatch(home, join(folder, 'empty'))).toMatchObject({ ok: true, bytes: 0 })
  })

  test('that is not there is a fault', async () => {
    const { home, folder } = places()
    await expect(storePatch(home, join(folder, 'gone'))).rejects.toThrow('ENOENT')
  })
})

async function textOf(home: string, sha256: string): Promise<string> {
  const handle = await openAttachment(home, sha256)
  const text = (await handle?.readFile('utf8')) ?? 'gone'
  await handle?.close()
  return text.trim()
}
