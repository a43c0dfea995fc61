import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { addOne, ann, newTask, openOnDisk } from '../open-test-board.ts'

const one = { board: 'shop', tasks: [newTask()] }

describe('a store that is taken away under our hands', () => {
  test.each([
    ['removed', (path: string) => rmSync(path), 'removed'],
    [
      'replaced by an older copy',
      (path: string) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
      'replaced',
    ],
    ['left without its log', (path: string) => rmSync(`${path}-wal`), 'removed'],
  ])('%s is noticed, and from then on every change is refused', async (_, take, loss) => {
    using yard = openOnDisk()
    addOne(yard.board)
    expect(yard.board.findLoss()).toBeUndefined()
    take(yard.path)
    expect(yard.board.findLoss()).toMatchObject({ code: 'BOARD_REPLACED', values: { loss } })
    const refused = expect.objectContaining({ code: 'BOARD_REPLACED', message: expect.stringContaining(loss) })
    expect(() => addOne(yard.board)).toThrow(refused)
    await expect(yard.board.queue((board) => board.createTasks(one, ann))).rejects.toEqual(refused)
  })

  test('nothing is read out of the file that took its place, neither for a report nor for an export', () => {
    using yard = openOnDisk()
    addOne(yard.board)
    using other = openOnDisk()
    addOne(other.board)
    other.board.close()
    renameSync(other.path, yard.path)
    const refused = expect.objectContaining({ code: 'BOARD_REPLACED' })
    expect(() => yard.board.snapshot()).toThrow(refused)
    expect(() => yard.board.copyBoard('shop')).toThrow(refused)
  })

  test('not a byte is written into the file that took its place, also when ours is closed', () => {
    using yard = openOnDisk()
    addOne(yard.board)
    const { path } = yard
    for (const file of [path, `${path}-wal`]) {
      rmSync(file)
      writeFileSync(file, "somebody else's")
    }
    expect(() => addOne(yard.board)).toThrow(expect.objectContaining({ code: 'BOARD_REPLACED' }))
    yard.board.close()
    for (const file of [path, `${path}-wal`]) expect(readFileSync(file, 'utf8')).toBe("somebody else's")
  })

  test('our log does not stay behind when it is closed: it would be read into whatever is put in the place of the store', () => {
    using yard = openOnDisk()
    addOne(yard.board)
    rmSync(yard.path)
    yard.board.close()
    expect(readdirSync(dirname(yard.path))).toEqual([])
  })

  test('all it held can be saved into a file of its own, a board again', () => {
    using yard = openOnDisk()
    const { id } = addOne(yard.board)
    rmSync(yard.path)
    const saved = yard.board.rescue()
    expect(saved).toBe(`${yard.path}.rescued-20261129T130000Z`)
    expect(statSync(saved).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(saved)).filter((name) => name.includes('unfinished'))).toEqual([])
    const again = openBoard({ path: saved, clock: yard.clock, random: yard.board.random })
    expect(again.readTask(id)?.status).toBe('ready')
    again.close()
  })

  test('when only the log was taken, closing puts all that was committed into the store', () => {
    using yard = openOnDisk()
    const { id } = addOne(yard.board)
    rmSync(`${yard.path}-wal`)
    yard.board.close()
    const again = openBoard({ path: yard.path, clock: yard.clock, random: yard.board.random })
    expect(again.readTask(id)?.status).toBe('ready')
    again.close()
  })
})
