import { expect, test } from 'vitest'
import { openBoard } from '../../src/board/index.ts'
import { describeBoard } from './describe-board.ts'
import {
  add,
  claim,
  createTestClock,
  createTestRandom,
  openInMemory,
  openOnDisk,
  openReopened,
} from './open-test-board.ts'

describeBoard('in memory', openInMemory)
describeBoard('on disk', openOnDisk)
describeBoard('opened again before each call', openReopened)

test('C129: a store that no configuration was ever handed to starts one at a time', () => {
  const board = openBoard({ path: ':memory:', clock: createTestClock(), random: createTestRandom() })
  add(board, [{}, {}, { lane: 'anything' }])
  expect(claim(board)).toHaveLength(1)
  expect(claim(board)).toEqual([])
  board.close()
})

test('a listener that fails neither undoes the change nor keeps it from the others', async () => {
  using yard = openInMemory()
  const surprises: unknown[] = []
  const wasHeard: string[] = []
  const catchSurprise = (fault: unknown): void => void surprises.push(fault)
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', catchSurprise)
  const over = new AbortController()
  yard.board.onEvents(over.signal, () => {
    throw new Error('a listener of ours is broken')
  })
  yard.board.onEvents(over.signal, (events) => wasHeard.push(...events.map(({ kind }) => kind)))
  add(yard.board, [{}])
  await new Promise((resolve) => setImmediate(resolve))
  process.removeAllListeners('uncaughtException')
  for (const other of others) process.on('uncaughtException', other)
  over.abort()
  expect(wasHeard).toEqual(['board.created', 'task.created'])
  expect(yard.board.counts().ready).toBe(1)
  expect(surprises).toMatchObject([{ message: 'a listener of ours is broken' }])
})

test('a listener that changes the board itself is heard in order by everybody', () => {
  using yard = openInMemory()
  const heard: number[] = []
  const over = new AbortController()
  yard.board.onEvents(over.signal, (events) => {
    if (events.some(({ kind }) => kind === 'task.created')) claim(yard.board)
  })
  yard.board.onEvents(over.signal, (events) => heard.push(...events.map(({ seq }) => seq)))
  add(yard.board, [{}])
  expect(heard).toEqual([1, 2, 3])
  over.abort()
})
