import { describe, expect, test } from 'vitest'
import type { Board, Task } from '../../src/board/index.ts'
import type { NewCall } from '../../src/board/run-calls.ts'
import { taskId } from '../../src/kernel/index.ts'
import { add, addOne, ann, end, failedForGood, one, openInMemory, start, statusOf } from './open-test-board.ts'

/** A card whose run has said this of its end. */
function saidSo(board: Board, call: NewCall, move: Parameters<typeof end>[3], task: Task = addOne(board)): Task {
  const claim = one(start(board))
  board.recordCall({ run: claim.run.id, fence: claim.run.fence }, call)
  end(board, claim.run.id, call.kind === 'review' ? 'review' : 'blocked', move)
  return board.readTask(task.id) ?? task
}

const asks: NewCall = { kind: 'block', code: 'needs_input', text: 'Redis or in memory?', data: null, onTask: null }
const looks: NewCall = { kind: 'review', code: null, text: 'look at auth.ts', data: null, onTask: null }
const asked = { to: 'blocked', code: 'needs_input', text: 'Redis or in memory?' } as const
const inReview = { to: 'review', text: 'look at auth.ts' } as const

test('what a task that asks cannot be made names the answer as the first thing that is possible', () => {
  using yard = openInMemory()
  const task = saidSo(yard.board, asks, asked)
  expect(() => yard.board.approveTask(task.id, null, ann)).toThrow(
    expect.objectContaining({
      code: 'BOARD_MOVE_REFUSED',
      fix: expect.stringMatching(/^possible now: yardmaster answer T1 "…" · yardmaster unblock T1/),
    }),
  )
})

describe('a review by a person', () => {
  test('is waited for, and `why` says so with both verdicts', () => {
    using yard = openInMemory()
    const task = saidSo(yard.board, looks, inReview)
    expect(task).toMatchObject({ status: 'review', holdCode: 'review', holdText: 'look at auth.ts' })
    expect(start(yard.board)).toEqual([])
    expect(yard.board.explainTask(task.id, 'up')).toMatchObject({
      code: 'review',
      says: 'T1 does not run: it waits for a review by a person: look at auth.ts',
      youCan: ['yardmaster approve T1', 'yardmaster reject T1 "…"', 'yardmaster show T1'],
    })
  })

  test('approved: it is done, and what needs it may start', () => {
    using yard = openInMemory()
    const [task, child] = add(yard.board, [{ rowKey: 'a' }, { rowKey: 'b', needs: [{ on: 'a', when: 'done' }] }])
    saidSo(yard.board, looks, inReview, task)
    expect(statusOf(yard.board, child?.id ?? taskId(0))).toBe('todo')
    const done = yard.board.approveTask(task?.id ?? taskId(0), 'well done', ann)
    expect(done).toMatchObject({ status: 'done', holdCode: null, failures: 0 })
    expect(statusOf(yard.board, child?.id ?? taskId(0))).toBe('ready')
    expect(yard.board.comments(done.id)).toMatchObject([{ by: 'ann', text: 'well done' }])
  })

  test('rejected: another attempt follows, which reads what is to change; what it has failed stays counted', () => {
    using yard = openInMemory()
    const task = addOne(yard.board)
    end(
      yard.board,
      one(start(yard.board)).run.id,
      'failed',
      { to: 'back', notBeforeMs: null, code: 'failed', text: 'exit 1' },
      1,
    )
    saidSo(yard.board, looks, inReview, task)
    const back = yard.board.rejectTask(task.id, 'the tests are missing', ann)
    expect(back).toMatchObject({ status: 'ready', failures: 1, holdCode: null })
    expect(yard.board.comments(task.id)).toMatchObject([{ by: 'ann', text: 'the tests are missing' }])
    expect(one(start(yard.board)).run.attempt).toBe(3)
  })

  test('rejected while something that it needs was opened again: it waits for that first', () => {
    using yard = openInMemory()
    const [need, task] = add(yard.board, [{ rowKey: 'a' }, { rowKey: 'b', needs: [{ on: 'a', when: 'done' }] }])
    end(yard.board, one(start(yard.board)).run.id, 'done', { to: 'done' })
    saidSo(yard.board, looks, inReview, task)
    yard.board.retryTask(need?.id ?? taskId(0), null, ann)
    expect(yard.board.rejectTask(task?.id ?? taskId(0), 'again', ann)).toMatchObject({
      status: 'todo',
      openNeeds: 1,
    })
  })

  test('nothing else can be approved or rejected', () => {
    using yard = openInMemory()
    const { id } = addOne(yard.board)
    expect(() => yard.board.approveTask(id, null, ann)).toThrow('T1 is ready and cannot be approved')
    expect(() => yard.board.rejectTask(id, 'no', ann)).toThrow('T1 is ready and cannot be rejected')
    expect(yard.board.comments(id)).toEqual([])
  })
})

describe('an answer', () => {
  test('is a comment for the next attempt and lets the task go on, in one act', () => {
    using yard = openInMemory()
    const task = saidSo(yard.board, asks, asked)
    expect(yard.board.explainTask(task.id, 'up')).toMatchObject({
      code: 'blocked',
      says: 'T1 does not run: it asks you: Redis or in memory?',
      youCan: ['yardmaster answer T1 "…"', 'yardmaster cancel T1'],
    })
    expect(yard.board.answerTask(task.id, 'Redis', ann)).toMatchObject({ status: 'ready', holdCode: null })
    expect(yard.board.comments(task.id)).toMatchObject([{ by: 'ann', text: 'Redis' }])
    const kinds = yard.board.eventsAfter(0, 100, { task: task.id }).map(({ kind }) => kind)
    expect(kinds.slice(-2)).toEqual(['task.commented', 'task.unblocked'])
  })

  test('is refused where nothing was asked, and leaves nothing behind', () => {
    using yard = openInMemory()
    const { id } = addOne(yard.board)
    yard.board.blockTask(id, 'wait for the design', ann)
    expect(() => yard.board.answerTask(id, 'yes', ann)).toThrow(
      expect.objectContaining({ code: 'BOARD_NOT_ASKED', message: expect.stringContaining('wait for the design') }),
    )
    expect(yard.board.comments(id)).toEqual([])
    expect(() => yard.board.approveTask(id, null, ann)).toThrow('T1 needs you and cannot be approved')
    yard.board.unblockTask(id, ann)
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    expect(() => yard.board.answerTask(id, 'yes', ann)).toThrow('T1 is failed and cannot be answered')
  })
})

test('C61: a retry of what only waits for its time ends the wait, and forgets nothing that counts against it', () => {
  using yard = openInMemory()
  const { id } = addOne(yard.board)
  const wait = { to: 'back', notBeforeMs: yard.clock.atMs + 60_000, code: 'failed', text: 'exit 1' } as const
  end(yard.board, one(start(yard.board)).run.id, 'failed', wait, 1)
  expect(start(yard.board)).toEqual([])
  expect(yard.board.retryTask(id, null, ann)).toMatchObject({ status: 'ready', notBeforeMs: null, failures: 1 })
  expect(yard.board.tally(id).ends).toMatchObject([{ outcome: 'failed' }])
  end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
  expect(yard.board.retryTask(id, null, ann)).toMatchObject({ status: 'ready', failures: 0 })
  expect(yard.board.tally(id).ends).toEqual([])
})

test('a lane that the hub holds because something is missing says what, and that no resume brings it', () => {
  using yard = openInMemory()
  const task = addOne(yard.board)
  yard.board.setHold({ scope: 'lane', name: task.lane, kind: 'pause', text: 'no model' }, { by: 'dispatcher' })
  const why = yard.board.explainTask(task.id, 'up')
  expect(why.says).toBe(`T1 does not run: lane ${task.lane} cannot start anything: no model`)
  expect(why.youCan[0]).toBe('yardmaster up -d --replace (after mending it)')
})

test('what the hub itself has paused is said to be paused by the hub', () => {
  using yard = openInMemory()
  const task = addOne(yard.board)
  yard.board.setHold({ scope: 'all', name: null, kind: 'pause', text: 'three kills' }, { by: 'hub' })
  expect(yard.board.explainTask(task.id, 'up').says).toBe(
    'T1 does not run: everything is paused, by the hub: three kills',
  )
})
