import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { judgeFileSystem, readFileSystem, refuseNetwork } from '../../../src/board/sqlite/file-system.ts'
import { createTestClock, createTestRandom } from '../open-test-board.ts'

const fuse = 0x65735546

test.each([
  ['NFS', 0x6969, 'network', 'nfs'],
  ['SMB', 0xff534d42, 'network', 'cifs'],
  // The same number where the system answers it signed.
  ['SMB 2', 0xfe534d42 - 2 ** 32, 'network', 'smb2'],
  ['Ceph', 0x00c36400, 'network', 'ceph'],
  ['a folder of the host (9p)', 0x01021997, 'unsure', '9p'],
  ['ext4', 0xef53, 'local', 'local'],
  ['btrfs', 0x9123683e, 'local', 'local'],
  ['tmpfs', 0x01021994, 'local', 'local'],
])('C96: %s is known by its number', (_, type, kind, name) => {
  const unasked = () => expect.fail('the table of mounts was asked')
  expect(judgeFileSystem(type, unasked)).toEqual({ kind, name })
})

test.each([
  ['fuse.sshfs', 'network'],
  ['fuse.rclone', 'network'],
  ['fuse.glusterfs', 'network'],
  ['fuseblk', 'local'],
  ['fuse.mergerfs', 'local'],
  ['fuse.somethingnew', 'unsure'],
  ['virtiofs', 'unsure'],
  [undefined, 'unsure'],
])('C96: a file system in a program of its own (%s) is known by its name: %s', (name, kind) => {
  expect(judgeFileSystem(fuse, () => name)).toEqual({ kind, name: name ?? 'fuse' })
})

test('the folder for temporary files is no network', () => {
  expect(readFileSystem(tmpdir()).kind).not.toBe('network')
  expect(readFileSystem('/nowhere/at/all')).toEqual({ kind: 'local', name: 'unknown' })
})

/** An empty folder that the kernel asks a program of ours about, under the name of another file system. */
async function mountFuse(type: string): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'yard-fuse-'))
  const server = spawn(process.execPath, ['tests/fixtures/board/serves-empty-folder.mjs', type, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const gone = new Promise((resolve) => server.once('exit', resolve))
  await Promise.race([new Promise((resolve) => server.stdout.once('data', resolve)), gone])
  return {
    folder,
    async [Symbol.asyncDispose]() {
      const unmount = spawn('umount', ['-l', folder], { stdio: 'ignore' })
      await new Promise((resolve) => unmount.once('exit', resolve))
      server.kill()
      await gone
      rmdirSync(folder)
    },
  }
}

const mayMount = process.getuid?.() === 0 && existsSync('/dev/fuse') && (await isMountable())

async function isMountable(): Promise<boolean> {
  await using mounted = await mountFuse('fuse.sshfs')
  return statfsSync(mounted.folder).type === fuse
}

describe.skipIf(!mayMount)('a real mount (needs root and /dev/fuse)', () => {
  test('C96: a store on sshfs is refused at the start, by name and with what to do, and nothing is written there', async () => {
    await using mounted = await mountFuse('fuse.sshfs')
    const path = join(mounted.folder, 'yard.db')
    expect(() => openBoard({ path, clock: createTestClock(), random: createTestRandom() })).toThrow(
      expect.objectContaining({
        code: 'BOARD_ON_NETWORK',
        message: expect.stringContaining(`${mounted.folder} lies on a network file system (fuse.sshfs)`),
        fix: expect.stringContaining('YARDMASTER_HOME'),
      }),
    )
  })

  test('C96: of one that nobody knows, the name is told and nothing refused', async () => {
    await using mounted = await mountFuse('fuse.somethingnew')
    expect(refuseNetwork(mounted.folder)).toEqual({ kind: 'unsure', name: 'fuse.somethingnew' })
  })
})
