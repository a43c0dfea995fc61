import { describe, expect, test } from 'vitest'
import type { Board, Move, Task, TaskSpec } from '../../src/board/index.ts'
import type { NewCall } from '../../src/board/run-calls.ts'
import type { ClaimedAs } from '../../src/board/run-steps.ts'
import { type RunId, taskId } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import {
  add,
  addOne,
  ann,
  batchFile,
  claim,
  end,
  exit,
  limits,
  one,
  openInMemory,
  openOnDisk,
  rows,
  settle,
  start,
  startMs,
  statusOf,
} from './open-test-board.ts'

const toLane = { to: 'review', text: 'it is done', lane: 'claude' } as const satisfies Move
const good = { to: 'approved', text: 'well done' } as const satisfies Move
const changes = { to: 'rejected', text: 'the tests are missing' } as const satisfies Move

/** The author's attempt ends, and lane `claude` is to review it. */
function toReview(board: Board, task: Task = addOne(board), move: Move = toLane): Task {
  const mine = start(board).find((claimed) => claimed.task.id === task.id)
  if (mine === undefined) throw new Error('it did not start')
  end(board, mine.run.id, 'done', move)
  return board.readTask(task.id) as Task
}

/** The reviewer begins. */
const review = (board: Board) => one(start(board)).run

describe('a card that a lane reviews', () => {
  test('waits in the queue of that lane, is claimed for it, and stays a card of its own lane for people', () => {
    using yard = openOnDisk()
    const { board } = yard
    const task = toReview(board)
    expect(task).toMatchObject({ status: 'review', lane: 'command', reviewLane: 'claude', holdText: 'it is done' })
    expect(board.eventsAfter(0, 100).at(-1)).toMatchObject({
      kind: 'task.review',
      text: 'T1 waits for review by lane claude: it is done',
      data: { lane: 'claude' },
    })
    expect(board.lanesToClaim()).toEqual(new Set(['claude']))
    const asked: { readonly task: Task; readonly spec: TaskSpec; readonly as: ClaimedAs }[] = []
    const claims = board.claim({
      max: 4,
      prepare: (card, spec, _, as) => {
        asked.push({ task: card, spec, as })
        return { ok: true, settings: '{}' }
      },
    })
    expect(asked).toMatchObject([{ task: { lane: 'command' }, as: { lane: 'claude', from: 'review' } }])
    expect(one(claims).run).toMatchObject({ lane: 'claude', account: 'claude', claimedFrom: 'review', attempt: 2 })
    expect(board.readTask(task.id)).toMatchObject({ status: 'running', lane: 'command', reviewLane: 'claude' })
    expect(board.listTasks({ lane: 'command' }, { limit: 9 }).rows).toHaveLength(1)
    expect(board.lanesToClaim()).toEqual(new Set())
    expect(board.listTasks({ lane: 'claude' }, { limit: 9 }).rows).toEqual([])
    expect(board.eventsAfter(0, 100).at(-1)?.text).toBe('T1 attempt 2, a review by lane claude, begins')
    using sound = openHalfStateFinder(yard.path)
    expect(sound.findHalfStates()).toEqual([])
  })

  test('is held by what holds that lane, and by nothing that holds its own', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    board.setHold({ scope: 'lane', name: 'command', kind: 'pause', text: null }, ann)
    expect(board.explainTask(task.id, 'up')).toMatchObject({
      code: 'next',
      says: 'T1 is next: lane claude reviews it as soon as the hub gets to it',
      youCan: ['yardmaster approve T1', 'yardmaster reject T1 "…"'],
    })
    board.setHold({ scope: 'lane', name: 'claude', kind: 'pause', text: 'for tonight' }, ann)
    expect(claim(board)).toEqual([])
    expect(board.explainTask(task.id, 'up')).toMatchObject({
      code: 'paused',
      says: 'T1 waits for its review by lane claude: lane claude is paused, by ann: for tonight',
      youCan: ['yardmaster approve T1', 'yardmaster reject T1 "…"', 'yardmaster resume --lane claude'],
    })
  })

  test('waits its time where the reviewer ended without a verdict, and nothing of that counts for the author', () => {
    using yard = openInMemory()
    const { board, clock } = yard
    const task = toReview(board)
    const again = { ...toLane, text: 'no verdict', notBeforeMs: startMs + 60_000, counts: 1 } as const
    end(board, review(board).id, 'incomplete', again, 1)
    expect(board.readTask(task.id)).toMatchObject({ status: 'review', failures: 0, notBeforeMs: startMs + 60_000 })
    expect(board.tally(task.id)).toMatchObject({
      failures: 0,
      reviewFailures: 1,
      ends: [
        { outcome: 'incomplete', from: 'review' },
        { outcome: 'done', from: 'ready' },
      ],
    })
    expect(board.explainTask(task.id, 'up')).toMatchObject({ code: 'later', untilMs: startMs + 60_000 })
    expect(claim(board)).toEqual([])
    expect(board.nextDueMs()).toBe(startMs + 60_000)
    clock.atMs = startMs + 60_000
    expect(board.openDue()).toBe(1)
    expect(one(claim(board)).run.claimedFrom).toBe('review')
  })

  test('goes back to its review after a limit of the account, an interruption, or a reviewer that says only that it is done', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    end(board, review(board).id, 'tempfail', { to: 'back', notBeforeMs: null, code: 'tempfail', text: '75' })
    expect(board.readTask(task.id)).toMatchObject({ status: 'review', reviewLane: 'claude' })
    end(board, review(board).id, 'done', { to: 'done' })
    expect(board.readTask(task.id)).toMatchObject({
      status: 'review',
      holdText: 'the review ended without a verdict',
    })
    expect(board.tally(task.id)).toMatchObject({ failures: 0, reviewFailures: 1 })
    end(board, review(board).id, 'failed', { to: 'failed', code: 'failed', text: 'exit 1' }, 1)
    expect(board.readTask(task.id)).toMatchObject({ status: 'blocked', failures: 0, reviewLane: 'claude' })
    expect(board.unblockTask(task.id, ann)).toMatchObject({ status: 'review', reviewLane: 'claude' })
    expect(board.tally(task.id)).toMatchObject({ reviewFailures: 0 })
  })

  test('waits for a person where the reviewer hands it over', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    end(board, review(board).id, 'review', { to: 'review', text: 'look at auth.ts yourself' })
    expect(board.readTask(task.id)).toMatchObject({ status: 'review', reviewLane: null })
    expect(claim(board)).toEqual([])
    expect(board.explainTask(task.id, 'up').says).toContain('it waits for a review by a person')
  })

  test('a wait that a wall clock has made too long is shortened for reviews, too', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board, undefined, { ...toLane, notBeforeMs: startMs + 9e9 })
    expect(board.shortenWaits({ latestMs: startMs + 600_000 })).toBe(1)
    expect(board.readTask(task.id)?.notBeforeMs).toBe(startMs + 600_000)
  })
})

describe('the verdict', () => {
  test('approved: it is done, counters are at 0, and what needs it may start', () => {
    using yard = openInMemory()
    const { board } = yard
    const [task, child] = add(board, [{ rowKey: 'a' }, { rowKey: 'b', needs: [{ on: 'a', when: 'done' }] }])
    toReview(board, task)
    const run = review(board)
    end(board, run.id, 'done', good)
    const { id } = task as Task
    expect(board.readTask(id)).toMatchObject({ status: 'done', failures: 0, reviewLane: null, holdText: null })
    expect(statusOf(board, (child as Task).id)).toBe('ready')
    expect(board.comments(id)).toMatchObject([{ by: 'R2', text: 'well done' }])
    const told = board.eventsAfter(0, 100, { task: id }).filter(({ kind }) => kind === 'task.approved')
    expect(told).toMatchObject([
      { text: 'T1 done: approved by lane claude (R2): well done', run: run.id, data: { lane: 'claude' } },
    ])
  })

  test('changes requested: the author attempts it again with the text, and its failures stay as they were', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = addOne(board)
    end(board, one(start(board)).run.id, 'failed', { to: 'back', notBeforeMs: null, code: 'failed', text: 'x' }, 1)
    toReview(board, task)
    end(board, review(board).id, 'done', changes)
    expect(board.readTask(task.id)).toMatchObject({ status: 'ready', failures: 1, reviewLane: null })
    expect(board.comments(task.id)).toMatchObject([{ by: 'R3', text: 'the tests are missing' }])
    expect(board.eventsAfter(0, 100).at(-1)).toMatchObject({
      kind: 'task.rejected',
      text: 'T1 goes back: lane claude (R3) wants changes: the tests are missing',
    })
    expect(one(claim(board)).run).toMatchObject({ lane: 'command', claimedFrom: 'ready', attempt: 4 })
  })

  test('changes requested while something that it needs was opened again: it waits for that first', () => {
    using yard = openInMemory()
    const { board } = yard
    const [need, task] = add(board, [{ rowKey: 'a' }, { rowKey: 'b', needs: [{ on: 'a', when: 'done' }] }])
    end(board, one(start(board)).run.id, 'done', { to: 'done' })
    toReview(board, task)
    const run = review(board)
    board.retryTask((need as Task).id, null, ann)
    end(board, run.id, 'done', changes)
    expect(board.readTask((task as Task).id)).toMatchObject({ status: 'todo', openNeeds: 1 })
  })

  test('changes requested five times: a person is asked, and what they let go on is the author', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = addOne(board)
    for (let round = 1; round <= 5; round += 1) {
      expect(statusOf(board, task.id)).toBe('ready')
      toReview(board, task)
      end(board, review(board).id, 'done', { to: 'rejected', text: `still wrong, ${round}` })
    }
    expect(board.readTask(task.id)).toMatchObject({
      status: 'blocked',
      holdCode: 'review_loop',
      holdText: 'lane claude asked for changes 5 times; the last: still wrong, 5',
      reviewLane: null,
    })
    expect(board.comments(task.id)).toHaveLength(5)
    expect(board.unblockTask(task.id, ann).status).toBe('ready')
    toReview(board, task)
    end(board, review(board).id, 'done', changes)
    expect(statusOf(board, task.id)).toBe('ready')
  })

  test('is never the author’s: an attempt at the work cannot approve or reject it, whatever it is told to say', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = addOne(board)
    const { run, token } = one(start(board))
    const caller = { run: run.id, fence: run.fence }
    expect(board.verifyToken(token)).toMatchObject({ run: run.id, task: task.id })
    const say = (code: string): NewCall => ({ kind: 'complete', code, text: 'trust me', data: null, onTask: null })
    for (const code of ['approved', 'changes_requested']) {
      expect(() => board.recordCall(caller, say(code))).toThrow(
        expect.objectContaining({ code: 'BOARD_VERDICT_OF_AUTHOR' }),
      )
    }
    exit(board, run.id)
    for (const move of [good, changes]) {
      expect(() => settle(board, run.id, move)).toThrow('R1 did the work of T1 and cannot give a verdict on it')
    }
    expect(board.readTask(task.id)).toMatchObject({ status: 'running' })
    expect(board.readRun(run.id)).toMatchObject({ call: null, phase: 'exited' })
    // Another token of the author's than that of the reviewer is none: its run is over.
    settle(board, run.id, toLane)
    review(board)
    expect(board.recordCall(caller, say('approved'))).toMatchObject({ kind: 'over' })
  })

  test('is all that a reviewer may end with, but that it needs a person; changes name what must change', () => {
    using yard = openInMemory()
    const { board } = yard
    toReview(board)
    const { id: run, fence } = review(board)
    const call = (over: Partial<NewCall>) =>
      board.recordCall({ run, fence }, { kind: 'complete', code: null, text: '', data: null, onTask: null, ...over })
    const missing = expect.objectContaining({ code: 'BOARD_VERDICT_MISSING' })
    expect(() => call({})).toThrow(missing)
    expect(() => call({ kind: 'review', text: 'look' })).toThrow(missing)
    expect(() => call({ kind: 'wait', onTask: addOne(board).id })).toThrow(missing)
    expect(() => call({ code: 'changes_requested', text: ' ' })).toThrow(
      expect.objectContaining({ code: 'BOARD_VERDICT_WITHOUT_TEXT' }),
    )
    expect(call({ code: 'changes_requested', text: 'no tests' })).toEqual({ kind: 'recorded' })
    expect(call({ code: 'changes_requested', text: 'no tests' })).toEqual({ kind: 'recorded' })
    expect(call({ code: 'approved' })).toMatchObject({ kind: 'called' })
    expect(board.eventsAfter(0, 100).findLast(({ kind }) => kind === 'run.called')).toMatchObject({
      text: 'T1 attempt 2 says that it wants changes: no tests',
      data: { call: 'complete', verdict: 'changes_requested' },
    })
  })
})

describe('a person', () => {
  test('approves or rejects at any time while it waits, and is told the live attempt while a reviewer runs', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    review(board)
    for (const act of [
      () => board.approveTask(task.id, null, ann),
      () => board.rejectTask(task.id, 'no', ann),
      () => board.blockTask(task.id, 'no', ann),
    ]) {
      expect(act).toThrow(
        expect.objectContaining({ code: 'BOARD_TASK_RUNNING', message: expect.stringContaining('R2') }),
      )
    }
    end(board, 2 as RunId, 'interrupted', { to: 'back', notBeforeMs: null, code: 'interrupted', text: 'cut' })
    expect(board.rejectTask(task.id, 'shorter', ann)).toMatchObject({ status: 'ready', reviewLane: null })
    toReview(board, task)
    expect(board.approveTask(task.id, null, ann)).toMatchObject({ status: 'done', reviewLane: null })
    expect(claim(board)).toEqual([])
  })

  test('blocks it, and lets it go on where it was; a retry is for the author', () => {
    using yard = openOnDisk()
    const { board } = yard
    using sound = openHalfStateFinder(yard.path)
    for (const how of ['lane', 'person'] as const) {
      const move = how === 'lane' ? toLane : ({ to: 'review', text: 'look' } as const)
      const task = toReview(board, addOne(board), move)
      const reviewLane = how === 'lane' ? 'claude' : null
      expect(board.blockTask(task.id, 'later', ann)).toMatchObject({ status: 'blocked', reviewLane })
      expect(board.explainTask(task.id, 'up').youCan.map((line) => line.split(' ')[1])).toEqual([
        'unblock',
        'retry',
        'cancel',
      ])
      expect(claim(board)).toEqual([])
      expect(board.unblockTask(task.id, ann)).toMatchObject({ status: 'review', reviewLane })
      board.stopTask(task.id, null, ann)
      expect(board.retryTask(task.id, 'another way', ann)).toMatchObject({ status: 'ready', reviewLane: null })
      expect(sound.findHalfStates()).toEqual([])
      end(board, one(start(board)).run.id, 'done', { to: 'done' })
    }
  })

  test('stops or cancels the reviewer: stopped it waits for them and goes back to its review, cancelled it is over', () => {
    using yard = openInMemory()
    const { board } = yard
    const back = { to: 'back', notBeforeMs: null, code: 'stopped', text: 'stopped' } as const
    const stopped = toReview(board)
    const first = review(board)
    board.stopTask(stopped.id, 'enough', ann)
    end(board, first.id, 'stopped', back)
    expect(board.readTask(stopped.id)).toMatchObject({ status: 'blocked', holdCode: 'stopped', reviewLane: 'claude' })
    expect(board.unblockTask(stopped.id, ann).status).toBe('review')
    const second = review(board)
    board.cancelTask(stopped.id, ann)
    end(board, second.id, 'cancelled', back)
    expect(board.readTask(stopped.id)).toMatchObject({ status: 'cancelled', reviewLane: null })
  })

  test('stops it while the verdict comes: approved stands; changes are kept for the author, who does not begin by himself', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    const first = review(board)
    board.stopTask(task.id, null, ann)
    end(board, first.id, 'done', changes)
    expect(board.readTask(task.id)).toMatchObject({ status: 'blocked', holdCode: 'stopped', reviewLane: null })
    expect(board.comments(task.id)).toMatchObject([{ text: 'the tests are missing' }])
    expect(board.unblockTask(task.id, ann).status).toBe('ready')
    toReview(board, task)
    const second = review(board)
    board.stopTask(task.id, null, ann)
    end(board, second.id, 'done', good)
    expect(statusOf(board, task.id)).toBe('done')
  })

  test('stops the author while its work goes to review: no reviewer begins before somebody lets it', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = addOne(board)
    const { run } = one(start(board))
    board.stopTask(task.id, null, ann)
    end(board, run.id, 'done', toLane)
    expect(board.readTask(task.id)).toMatchObject({ status: 'blocked', holdCode: 'stopped' })
    expect(claim(board)).toEqual([])
  })

  test('gives it another lane while it waits: its review goes on, and the new lane gets what is rejected', () => {
    using yard = openOnDisk()
    const { board } = yard
    const task = toReview(board)
    board.editTask(task.id, { lane: 'chat', priority: 3 }, ann)
    using sound = openHalfStateFinder(yard.path)
    expect(sound.findHalfStates()).toEqual([])
    const run = review(board)
    expect(run.lane).toBe('claude')
    end(board, run.id, 'done', changes)
    expect(one(claim(board)).run.lane).toBe('chat')
    expect(sound.findHalfStates()).toEqual([])
  })

  test('answers what a reviewer asked: the review goes on', () => {
    using yard = openInMemory()
    const { board } = yard
    const task = toReview(board)
    const run = review(board)
    const call: NewCall = { kind: 'block', code: 'needs_input', text: 'which style guide?', data: null, onTask: null }
    board.recordCall({ run: run.id, fence: run.fence }, call)
    end(board, run.id, 'blocked', { to: 'blocked', code: 'needs_input', text: call.text })
    expect(board.answerTask(task.id, 'ours', ann)).toMatchObject({ status: 'review', reviewLane: 'claude' })
  })
})

test('what cannot be reviewed, because the lane is not there or its program is missing, waits and says why', () => {
  using yard = openInMemory()
  const { board } = yard
  const task = toReview(board, undefined, { ...toLane, lane: 'nobody' })
  expect(claim(board)).toEqual([])
  expect(board.explainTask(task.id, 'up')).toMatchObject({
    code: 'lane_unknown',
    says: 'T1 waits for its review by lane nobody: there is no lane nobody in yardmaster.yaml',
    youCan: ['yardmaster approve T1', 'yardmaster reject T1 "…"', 'add lane nobody to yardmaster.yaml'],
  })
  const other = toReview(board)
  const move = { to: 'blocked', code: 'launch_failed', text: 'no such command' } as const
  const refusal = { ok: false, outcome: 'launch_failed', reason: 'no such command', move } as const
  expect(board.claim({ max: 4, prepare: () => refusal })).toEqual([])
  expect(board.readTask(other.id)).toMatchObject({ status: 'blocked', reviewLane: 'claude' })
  expect(board.runsOf(other.id)).toMatchObject([{ outcome: 'done' }, { lane: 'claude', claimedFrom: 'review' }])
})

test('a closed account sends a review through as its probe', () => {
  using yard = openInMemory()
  const { board, clock } = yard
  const task = toReview(board)
  clock.atMs += 1
  board.closeGate({ account: 'claude', untilMs: clock.atMs + 10, reason: 'limit', byRun: 1 as RunId, doublings: 0 })
  expect(board.explainTask(task.id, 'up').code).toBe('account_held')
  clock.atMs += 10
  expect(one(claim(board)).run).toMatchObject({ probe: true, claimedFrom: 'review' })
})

describe('a batch', () => {
  const withReviews = (board: Board, limit: Parameters<typeof batchFile>[0] = {}) => {
    const { batch } = board.submitBatch(
      { board: 'shop', batch: batchFile({ tasks: rows({ a: {}, b: {} }), ...limit }) },
      ann,
    )
    return batch.id
  }

  test('goes on while a lane is to review something of it, and has ended once only people can', () => {
    using yard = openInMemory()
    const { board } = yard
    const id = withReviews(board)
    const [a, b] = start(board)
    if (a === undefined || b === undefined) throw new Error('both start')
    end(board, a.run.id, 'done', { to: 'done' })
    end(board, b.run.id, 'done', toLane)
    expect(board.endBatchIfOver(id)).toBeUndefined()
    board.setHold({ scope: 'lane', name: 'claude', kind: 'pause', text: 'no program' }, { by: 'dispatcher' })
    expect(board.endBatchIfOver(id)).toMatchObject({ exitCode: 5, text: '1 done · 1 in review' })
    board.liftHold('lane', 'claude', ann)
    end(board, review(board).id, 'done', good)
    expect(board.endBatchIfOver(id)).toMatchObject({ exitCode: 0 })
  })

  test('has ended at a limit where only reviews behind one are left and it does not wait for that', () => {
    using yard = openInMemory()
    const { board, clock } = yard
    const id = withReviews(board, { limits: { onWall: 'stop' } })
    for (const { run } of start(board)) end(board, run.id, 'done', toLane)
    clock.atMs += 1
    board.closeGate({ account: 'claude', untilMs: startMs + 9e6, reason: 'limit', byRun: 1 as RunId, doublings: 0 })
    expect(board.endBatchIfOver(id)).toMatchObject({ exitCode: 7 })
  })

  test('ends without a verdict of people where it is cut with a review by a lane still to come', () => {
    using yard = openInMemory()
    const { board } = yard
    const id = withReviews(board)
    for (const { run } of start(board)) end(board, run.id, 'done', toLane)
    board.cutBatch(id, 'time', 'its time is over', ann)
    expect(claim(board)).toEqual([])
    expect(board.endBatchIfOver(id)).toMatchObject({ exitCode: 9 })
  })

  test('that waits for a card outside goes on while a lane reviews that one, and needs a person where one must', () => {
    using yard = openInMemory()
    const { board } = yard
    const outside = toReview(board)
    const task = { ...rows({ a: {} })[0], needs: [{ on: outside.id, when: 'done' as const }] }
    const { batch } = board.submitBatch(
      { board: 'shop', batch: batchFile({ tasks: [task as ReturnType<typeof rows>[number]] }) },
      ann,
    )
    expect(board.endBatchIfOver(batch.id)).toBeUndefined()
    end(board, review(board).id, 'review', { to: 'review', text: 'look yourself' })
    expect(board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 5 })
  })

  test('that sends its first ones ahead lets their reviews through, and counts no reviewer among them', () => {
    using yard = openInMemory()
    const { board } = yard
    const id = withReviews(board, { limits: { first: 1, onWall: 'wait' }, tasks: rows({ a: {}, b: {}, c: {} }) })
    const first = one(start(board))
    end(board, first.run.id, 'done', toLane)
    // The canary itself is reviewed; the others wait for it.
    expect(board.endBatchIfOver(id)).toBeUndefined()
    const reviewer = one(claim(board))
    expect(reviewer).toMatchObject({ task: { id: first.task.id }, run: { claimedFrom: 'review' } })
    end(board, reviewer.run.id, 'done', good)
    expect(start(board)).toHaveLength(2)
  })

  test('that is resumed with new first ones still reviews what was done before', () => {
    using yard = openInMemory()
    const { board } = yard
    const file = { limits: { first: 1, onWall: 'wait' }, tasks: rows({ a: {}, b: {}, c: {} }) } as const
    const id = withReviews(board, file)
    const first = one(start(board))
    end(board, first.run.id, 'done', toLane)
    board.cutBatch(id, 'time', 'over', ann)
    withReviews(board, { ...file, mode: 'resume' })
    const claims = claim(board)
    expect(claims.map(({ run }) => run.claimedFrom).toSorted()).toEqual(['ready', 'review'])
    expect(claim(board)).toEqual([])
    expect(board.explainTask(taskId(3), 'up').code).toBe('batch_canary')
  })
})

test('of reviews in a folder that only one may use, one runs at a time', () => {
  using yard = openInMemory()
  const { board } = yard
  board.applyLimits(limits({ slots: 4 }))
  const spec = {
    title: 't',
    run: 'true',
    dir: '/x',
    workspace: { kind: 'dir', path: '/shared', shared: false },
  } as const
  const cards = add(board, [{ spec }, { spec }])
  board.setHold({ scope: 'lane', name: 'claude', kind: 'pause', text: null }, ann)
  for (const card of cards) toReview(board, card)
  board.liftHold('lane', 'claude', ann)
  expect(claim(board)).toHaveLength(1)
  expect(claim(board)).toEqual([])
})
