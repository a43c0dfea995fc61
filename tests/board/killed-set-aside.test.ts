import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { openBoard } from '../../src/board/index.ts'
import { systemRandom as random } from '../../src/kernel/index.ts'
import { add, openOnDisk, type TestBoard } from './open-test-board.ts'
import { buildStoreUser, startStoreUser } from './store-process.ts'

beforeAll(buildStoreUser)

/** Damage that is only in the log: without it the store is sound, and lacks what was committed last. */
async function damageTheLog({ path }: TestBoard): Promise<void> {
  const holder = await startStoreUser('hold', path)
  holder.tell('go')
  expect(await holder.readLine()).toBe('holds')
  const raw = new Sqlite(path)
  raw.unsafeMode()
  raw.pragma('writable_schema = on')
  const other = raw.prepare(`select rootpage from sqlite_schema where name = 'task_by_lane'`).pluck().get()
  raw.exec(`update sqlite_schema set rootpage = ${other} where name = 'task_spec'`)
  raw.close()
  holder.process.kill('SIGKILL')
  await once(holder.process, 'exit')
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
}

test.each(['aside.decided', 'aside.log_kept', 'aside.store_kept'] as const)(
  'a damaged store whose hub is killed at %s while it sets it aside is not opened without its log: the next start finishes it',
  async (crashAt) => {
    using yard = openOnDisk()
    add(yard.board, [{}, {}, {}])
    yard.board.close()
    await damageTheLog(yard)

    const user = await startStoreUser('open', yard.path, { crashAt })
    const ended = once(user.process, 'exit')
    user.tell('go')
    expect((await ended)[1]).toBe('SIGKILL')

    expect(() => openBoard({ path: yard.path, clock: yard.clock, random })).toThrow(
      expect.objectContaining({ code: 'BOARD_SET_ASIDE' }),
    )
    const left = readdirSync(dirname(yard.path)).filter((name) => !/-shm$|\.suspect$/.test(name))
    expect(left).toEqual([expect.stringMatching(/\.damaged-\w+Z$/), expect.stringMatching(/\.damaged-\w+Z-wal$/)])
  },
)
