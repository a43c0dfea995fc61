// biome-ignore-all lint/suspicious/noThenProperty: the public field of an explanation
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { neededDiskBytes } from '../../src/dispatcher/disk/disk-space.ts'
import { measureHome } from '../../src/dispatcher/disk/measure-home.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { waitFor } from '../wait-for.ts'
import { startYard } from './start-yard.ts'

const MiB = 2 ** 20
const GiB = 2 ** 30

describe.skipIf(!canMount)('C101: a disk with too little room (needs the right to mount a small one)', () => {
  test('C101: nothing new starts and `why` says so with the largest folders; ends are recorded; it goes on by itself', async () => {
    using disk = mountSmallDisk(32) ?? expect.fail('the small disk cannot be mounted any more')
    const root = disk.folder
    const yard = await startYard({ home: root, diskFreeBytes: 8 * MiB })
    const filler = join(root, 'home', 'workspaces', 'T900', 'filler')
    try {
      const gate = join(root, 'gate')
      const first = yard.add({ run: `until [ -e ${gate} ]; do sleep 0.02; done` })
      await yard.seen('run.started', { task: first })
      mkdirSync(join(filler, '..'), { recursive: true })
      writeFileSync(filler, Buffer.alloc(26 * MiB))

      const low = yard.seen('disk.low')
      const second = yard.add({ run: 'true' })
      expect(await low).toMatchObject({ text: expect.stringContaining('8 MiB needed') })
      await waitFor(() => expect(yard.board.diskLow()?.largest).not.toEqual([])) // measured beside the work
      const why = yard.board.explainTask(second, 'up')
      expect(why).toMatchObject({ code: 'disk_low', then: expect.stringContaining('workspaces/T900 26 MiB') })

      const ended = yard.seen('run.settled', { task: first })
      writeFileSync(gate, '')
      await ended
      expect(yard.task(first).status).toBe('done')
      expect(yard.task(second).status).toBe('ready')

      const enough = yard.seen('disk.enough')
      rmSync(filler)
      await enough
      expect((await yard.over(second)).status).toBe('done')
      expect(yard.board.diskLow()).toBeNull()
    } finally {
      rmSync(filler, { force: true })
      yard.dispatcher.hurry()
      await yard.dispatcher.stop({ workers: 'end' })
      yard.board.close()
    }
  })
})

test('the built-in room is 1 GiB, less on a disk that is small itself, and what the file says counts before both', () => {
  const disk = (totalBytes: number) => ({ totalBytes, freeBytes: 0 })
  expect(neededDiskBytes(null, disk(500 * GiB))).toBe(GiB)
  expect(neededDiskBytes(null, disk(10 * GiB))).toBe(GiB / 2)
  expect(neededDiskBytes(5 * GiB, disk(10 * GiB))).toBe(5 * GiB)
})

test('the largest parts of a home are measured by the space that they take up, through no link', async () => {
  const home = mkdtempSync(join(tmpdir(), 'yard-measure-'))
  try {
    mkdirSync(join(home, 'runs', '0', 'R12'), { recursive: true })
    writeFileSync(join(home, 'runs', '0', 'R12', 'output.log'), Buffer.alloc(3_000_000))
    mkdirSync(join(home, 'workspaces', 'T7', 'deep'), { recursive: true })
    writeFileSync(join(home, 'workspaces', 'T7', 'deep', 'file'), Buffer.alloc(6_000_000))
    writeFileSync(join(home, 'workspaces', 'T7', 'sparse'), '')
    truncateSync(join(home, 'workspaces', 'T7', 'sparse'), 10 * GiB)
    mkdirSync(join(home, 'backups'))
    symlinkSync(join(home, 'workspaces'), join(home, 'backups', 'link'))
    const largest = await measureHome(home, new AbortController().signal)
    expect(largest.map(({ path }) => path)).toEqual(['workspaces/T7', 'runs/0/R12'])
    expect(largest[0]?.bytes).toBeLessThan(8 * MiB)
  } finally {
    rmSync(home, { recursive: true })
  }
})
