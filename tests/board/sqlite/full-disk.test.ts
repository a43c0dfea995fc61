import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Board, openBoard } from '../../../src/board/index.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../../fixtures/small-disk.ts'
import { openHalfStateFinder } from '../find-half-states.ts'
import {
  addOne,
  createTestClock,
  createTestRandom,
  end,
  exit,
  limits,
  newTask,
  one,
  settle,
  spec,
  start,
} from '../open-test-board.ts'

describe.skipIf(!canMount)('a full disk (needs the right to mount a small one)', () => {
  let disk: SmallDisk
  let path: string
  let board: Board

  beforeAll(() => {
    disk = mountSmallDisk(3) ?? expect.fail('the small disk cannot be mounted any more')
    path = join(disk.folder, 'yard.db')
    board = openBoard({ path, clock: createTestClock(), random: createTestRandom() })
    board.applyLimits(limits())
  })
  afterAll(() => {
    board.close()
    disk[Symbol.dispose]()
  })

  test('C100: refuses what it cannot keep by name, leaves nothing half-written, and works again once there is space', () => {
    const running = addOne(board)
    const { run } = one(start(board))
    const seq = board.lastSeq()
    const heard: unknown[] = []
    const over = new AbortController()
    board.onEvents(over.signal, (events) => heard.push(...events))

    const makeSpace = disk.fill()
    const full = expect.objectContaining({ code: 'BOARD_DISK_FULL', status: 507 })
    const long = { prompt: 'x'.repeat(200_000), title: 'long', dir: '/' }
    expect(() => addOne(board, { spec: long })).toThrow(full)
    const many = Array.from({ length: 500 }, () => newTask({ spec: spec({ title: 'many' }) }))
    expect(() => board.createTasks({ board: 'shop', tasks: many }, { by: 'ann' })).toThrow(full)
    // What is there can still be read, and is as it was.
    expect(board.lastSeq()).toBe(seq)
    expect(heard).toEqual([])
    expect(board.counts()).toMatchObject({ running: 1, ready: 0 })
    {
      using finder = openHalfStateFinder(path)
      expect(finder.findHalfStates()).toEqual([])
    }

    makeSpace()
    exit(board, run.id)
    settle(board, run.id, { to: 'done' })
    expect(board.readTask(running.id)?.status).toBe('done')
    expect(addOne(board, { spec: long }).status).toBe('ready')
    over.abort()
  })

  test('C100: keeps an end for later: the same record is taken once there is space', () => {
    addOne(board, { priority: 9 })
    const { run } = one(start(board, 1))
    const makeSpace = disk.fill()
    const tail = 'y'.repeat(300_000)
    const facts = { exitCode: 0, signal: null, result: null, data: null, usage: null, stopDelivered: false }
    const exited = {
      run: run.id,
      fence: run.fence,
      outcome: 'done',
      reason: 'exit 0',
      outputTail: tail,
      ...facts,
    } as const
    expect(() => board.recordExited([exited])).toThrow(expect.objectContaining({ code: 'BOARD_DISK_FULL' }))
    expect(board.readRun(run.id)).toMatchObject({ phase: 'started', outcome: null })
    makeSpace()
    expect([...board.recordExited([exited])]).toEqual([run.id])
    settle(board, run.id, { to: 'done' })
    end(board, one(start(board, 1)).run.id, 'done', { to: 'done' })
  })

  test('a new board is refused by name where there is no space for one', () => {
    const makeSpace = disk.fill()
    const open = () =>
      openBoard({ path: join(disk.folder, 'second.db'), clock: createTestClock(), random: createTestRandom() })
    expect(open).toThrow(expect.objectContaining({ code: expect.stringMatching(/^BOARD_/) }))
    makeSpace()
    open().close()
  })
})
