import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readWhole } from '../../../../src/worker/tools/files/open-file.ts'
import { openFileDesk } from './file-desk.ts'

const everyTool = (desk: ReturnType<typeof openFileDesk>, path: string) =>
  Promise.all([
    desk.read(path),
    desk.write(path, 'x'),
    desk.replace(path, 'private', 'x'),
    desk.patch(`*** Begin Patch\n*** Update File: ${path}\n-private\n+x\n*** End Patch`),
    desk.patch(`*** Begin Patch\n*** Delete File: ${path}\n*** End Patch`),
    desk.search({ pattern: 'private', path }),
  ])

test.each([
  ['a path that leads out', '../private', 'outside the workspace'],
  ['a link that leads out', 'link', 'outside the workspace'],
  ['a path below a link that leads out', 'folder/private', 'outside the workspace'],
  ['a link to a link that leads out', 'second', 'outside the workspace'],
  ['a link that points at nothing yet, outside', 'dangling', 'outside the workspace'],
  ['an absolute path', '/etc/hostname', 'outside the workspace'],
  ['the home, which only a shell knows by that name', '~/private', 'only a shell takes ~ for the home'],
  ['a zero byte', 'a\0b', 'zero byte'],
  ['a name that is too long for the disk', 'n'.repeat(300), 'ENAMETOOLONG'],
  ['a path that is too long for the system', `${'d/'.repeat(3_000)}x`, 'the system takes 4095'],
  ['a link that leads to itself', 'ring', 'ELOOP'],
])('%s is refused by every tool in words', async (_, path, says) => {
  using desk = openFileDesk()
  writeFileSync(join(desk.outside, 'private'), 'private')
  symlinkSync(join(desk.outside, 'private'), desk.at('link'))
  symlinkSync('link', desk.at('second'))
  symlinkSync(desk.outside, desk.at('folder'))
  symlinkSync(join(desk.outside, 'not-there'), desk.at('dangling'))
  symlinkSync('ring', desk.at('ring'))

  for (const { text, outcome } of await everyTool(desk, path)) {
    expect(outcome).toBe('failed')
    expect(text).toContain(says)
  }
  expect(existsSync(join(desk.outside, 'not-there'))).toBe(false)
  expect(existsSync(join(desk.outside, 'private'))).toBe(true)
})

test('pipes, sockets and devices are named, and hold up nobody', async () => {
  using desk = openFileDesk()
  execFileSync('mkfifo', [desk.at('pipe')])
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(desk.at('socket'), resolve))
  onTestFinished(() => void server.close())

  for (const path of ['pipe', 'socket']) {
    for (const { outcome } of await everyTool(desk, path)) expect(outcome).toBe('failed')
  }
  expect((await desk.read('pipe')).text).toBe('error: pipe is a named pipe, and no file') // `head` would wait for ever
  expect((await desk.read('socket')).text).toContain('socket is a socket, and no file')
  expect(await readWhole('/dev/zero', 100)).toMatchObject({ kind: 'refused', says: 'is a device, and no file' })
  expect((await desk.search({ pattern: 'x' })).text).toBe('nothing found') // and past them
})

test('a link or a swapped folder that comes after the check is not followed', async () => {
  using desk = openFileDesk()
  desk.put('folder/a.txt', 'inside')
  mkdirSync(join(desk.outside, 'elsewhere'))
  writeFileSync(join(desk.outside, 'elsewhere', 'a.txt'), 'private')
  const checked = desk.at('folder/a.txt')
  renameSync(desk.at('folder'), desk.at('away'))
  symlinkSync(join(desk.outside, 'elsewhere'), desk.at('folder'))

  expect(await readWhole(checked, 100)).toMatchObject({
    kind: 'refused',
    says: expect.stringContaining('in place of something else'),
  })
  symlinkSync(join(desk.outside, 'elsewhere', 'a.txt'), desk.at('last'))
  expect(await readWhole(desk.at('last'), 100)).toMatchObject({ kind: 'refused' })
})
