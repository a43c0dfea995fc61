import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

/** Small enough to be filled in a moment, large enough for a store. */
function mountSmallDisk(): { root: string; close(): void } | undefined {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-disk-')))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', root], { stdio: 'ignore' })
  } catch {
    rmSync(root, { recursive: true })
    return undefined // not root here
  }
  return {
    root,
    close() {
      execFileSync('umount', ['-l', root])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const disk = mountSmallDisk()

test.skipIf(disk === undefined)(
  'an end that meets a full disk is told, and is on record as soon as there is room again',
  async () => {
    if (disk === undefined) return
    try {
      const faults: string[] = []
      const yard = await startYard({ home: disk.root, pollEveryMs: 50, onFault: (event) => faults.push(event) })
      const id = yard.add({ run: 'touch begun; while [ ! -e go ]; do sleep 0.02; done; exit 3' })
      while (!existsSync(join(yard.folder, 'begun'))) await new Promise((resolve) => setImmediate(resolve))
      writeFileSync(join(yard.folder, 'go'), '')
      fill(join(disk.root, 'filler'))
      while (faults.length === 0) await new Promise((resolve) => setImmediate(resolve))
      expect(yard.task(id).status).toBe('running')
      rmSync(join(disk.root, 'filler'))
      expect(await yard.over(id)).toMatchObject({ status: 'failed', runs: 1 })
      expect(yard.runs(id)).toMatchObject([{ outcome: 'failed', exitCode: 3 }])
      await yard.dispatcher.stop()
      yard.board.close()
    } finally {
      disk.close()
    }
  },
)

function fill(file: string): void {
  const { bavail, bsize } = statfsSync(join(file, '..'))
  writeFileSync(file, Buffer.alloc(bavail * bsize))
}
