import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { startYard } from './start-yard.ts'

/** Small enough to be filled in a moment, large enough for a store. */
const diskMegabytes = 8

test.skipIf(!canMount)(
  'an end that meets a full disk is told, and is on record as soon as there is room again',
  async () => {
    using disk = mountSmallDisk(diskMegabytes) ?? expect.fail('the small disk cannot be mounted any more')
    const faults: string[] = []
    const yard = await startYard({ home: disk.folder, pollEveryMs: 50, onFault: (event) => faults.push(event) })
    const id = yard.add({ run: 'touch begun; while [ ! -e go ]; do sleep 0.02; done; exit 3' })
    while (!existsSync(join(yard.folder, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 5))
    writeFileSync(join(yard.folder, 'go'), '')
    const makeRoom = disk.fill()
    while (faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(yard.task(id).status).toBe('running')
    makeRoom()
    expect(await yard.over(id)).toMatchObject({ status: 'failed', runs: 1 })
    expect(yard.runs(id)).toMatchObject([{ outcome: 'failed', exitCode: 3 }])
    await yard.dispatcher.stop()
    yard.board.close()
  },
)
