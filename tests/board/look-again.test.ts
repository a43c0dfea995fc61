import { describe, expect, test } from 'vitest'
import type { Board, NewBatch } from '../../src/board/index.ts'
import {
  ann,
  batchFile,
  claim,
  claimedTasks,
  end,
  one,
  openInMemory,
  rows,
  start,
  statusOf,
} from './open-test-board.ts'

const inReview = { to: 'review', text: 'look at it' } as const
const asks = { to: 'blocked', code: 'needs_input', text: 'which one?' } as const

const submit = (board: Board, batch: Partial<NewBatch>) =>
  board.submitBatch({ board: 'shop', batch: batchFile(batch) }, ann).batch.id

describe('what a person ends counts in its batch as what an attempt ends', () => {
  test('first: the others start once a person has approved the one that was sent ahead', () => {
    using yard = openInMemory()
    const batch = submit(yard.board, { tasks: rows({ a: {}, b: {}, c: {} }), limits: { first: 1, onWall: 'wait' } })
    const ahead = one(start(yard.board))
    end(yard.board, ahead.run.id, 'review', inReview)
    expect(yard.board.endBatchIfOver(batch)).toMatchObject({ exitCode: 5 })
    expect(claim(yard.board)).toEqual([])

    yard.board.approveTask(ahead.task.id, null, ann)

    expect(yard.board.readBatch(batch)?.verdict).toBeNull()
    expect(yard.board.eventsAfter(0, 100, { batch }).at(-1)).toMatchObject({ kind: 'batch.resumed' })
    expect(claimedTasks(yard.board)).toHaveLength(2)
  })

  test('first: the batch stops when a person cancels one that was sent ahead', () => {
    using yard = openInMemory()
    const batch = submit(yard.board, { tasks: rows({ a: {}, b: {} }), limits: { first: 1, onWall: 'wait' } })
    const ahead = one(start(yard.board))
    end(yard.board, ahead.run.id, 'blocked', asks)
    yard.board.cancelTask(ahead.task.id, ann)
    expect(yard.board.readBatch(batch)).toMatchObject({ cut: 'canary', cutText: 'one of the first 1 did not end well' })
    expect(yard.board.endBatchIfOver(batch)).toMatchObject({ exitCode: 3 })
  })

  test('a verdict that asked for a person is given anew when the person has acted', () => {
    using yard = openInMemory()
    const batch = submit(yard.board, { tasks: rows({ a: {}, b: {} }) })
    const [a, b] = start(yard.board)
    if (a === undefined || b === undefined) throw new Error('two were to start')
    end(yard.board, a.run.id, 'review', inReview)
    end(yard.board, b.run.id, 'blocked', asks)
    expect(yard.board.endBatchIfOver(batch)).toMatchObject({ exitCode: 5 })
    yard.board.approveTask(a.task.id, null, ann)
    expect(yard.board.readBatch(batch)?.verdict).toEqual({ exitCode: 5, text: '1 done · 1 need a person' })
    yard.board.cancelTask(b.task.id, ann)
    expect(yard.board.readBatch(batch)?.verdict).toEqual({ exitCode: 3, text: '1 done · 1 cancelled' })
  })

  test('so is that of a batch whose waiting task is archived with what it needs', () => {
    using yard = openInMemory()
    const batch = submit(yard.board, { tasks: rows({ a: {}, b: { needs: [{ on: 'a', when: 'done' }] } }) })
    const { task, run } = one(start(yard.board))
    end(yard.board, run.id, 'failed', { to: 'failed', code: 'failed', text: 'exit 1' }, 1)
    expect(yard.board.endBatchIfOver(batch)?.text).toBe('1 failed · 1 waiting for others')
    const { children } = yard.board.archiveTask(task.id, 'archive', ann)
    expect(children.map((child) => statusOf(yard.board, child))).toEqual(['cancelled'])
    expect(yard.board.readBatch(batch)?.verdict?.text).toBe('1 failed · 1 cancelled')
  })

  test('a second wish for the same changes nothing', () => {
    using yard = openInMemory()
    submit(yard.board, { tasks: rows({ a: {} }) })
    const { task, run } = one(start(yard.board))
    end(yard.board, run.id, 'blocked', asks)
    yard.board.cancelTask(task.id, ann)
    const seq = yard.board.lastSeq()
    yard.board.cancelTask(task.id, ann)
    expect(yard.board.lastSeq()).toBe(seq)
  })
})
