import { describe, expect, test } from 'vitest'
import type { Board, NewBatch, SubmittedBatch } from '../../src/board/index.ts'
import { type BatchId, type TaskId, taskId } from '../../src/kernel/index.ts'
import {
  addOne,
  ann,
  backAtOnce,
  batchFile,
  claim,
  end,
  exit,
  failedForGood,
  finish,
  limits,
  newTask,
  one,
  openInMemory,
  rows,
  settle,
  spec,
  start,
  startMs,
  statusOf,
} from './open-test-board.ts'

const submit = (board: Board, over: Partial<NewBatch>): SubmittedBatch =>
  board.submitBatch({ board: 'shop', batch: batchFile(over) }, ann)

const twoRows = rows({ a: {}, b: { needs: [{ on: 'a', when: 'done' }] } })

/** The card behind a row key, wherever it stands. */
function row(board: Board, batch: BatchId, key: string) {
  return one(board.listTasks({ batch, key }, { limit: 9 }).rows)
}

/** Runs whatever can start to its end, until nothing can. */
function workOff(board: Board, failing: readonly string[] = []): void {
  for (let claims = start(board); claims.length > 0; claims = start(board)) {
    for (const { run, task } of claims) {
      const fails = failing.includes(task.rowKey ?? '')
      end(board, run.id, fails ? 'failed' : 'done', fails ? failedForGood : { to: 'done' }, fails ? 1 : 0)
    }
  }
}

function workToVerdict(board: Board, batch: BatchId, failing: readonly string[] = []) {
  workOff(board, failing)
  return board.endBatchIfOver(batch)
}

describe('which batch a file is', () => {
  test('a first submit makes a batch with its cards, needs by row key, in one step', () => {
    using yard = openInMemory()
    const { batch, how, tasks } = submit(yard.board, { tasks: twoRows, key: 'sha1' })
    expect([how, tasks]).toEqual(['created', 2])
    expect(batch).toMatchObject({ id: 1, board: 'shop', name: 'night', key: 'sha1', verdict: null, createdBy: 'ann' })
    expect(yard.board.batchCounts(batch.id)).toMatchObject({ total: 2, byStatus: { ready: 1, todo: 1 }, archived: {} })
    expect(yard.board.openBatches()).toEqual([batch])
    expect(yard.board.findBatch('night')).toEqual(batch)
  })

  test('the same name and key is the same batch: it goes on, and what is done is not done again', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'sha1' })
    finish(yard.board, row(yard.board, batch.id, 'a').id)
    const again = submit(yard.board, { tasks: twoRows, key: 'sha1' })
    expect(again).toMatchObject({ how: 'continued', batch: { id: batch.id }, changedDone: [], tasks: 2 })
    expect(workToVerdict(yard.board, batch.id)).toEqual({ exitCode: 0, text: '2 done' })
    expect(yard.board.runsOf(row(yard.board, batch.id, 'a').id)).toHaveLength(1)
  })

  test('a finished batch of the same key is answered again, and the file changes nothing in it', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'sha1' })
    workToVerdict(yard.board, batch.id, ['a'])
    const seq = yard.board.lastSeq()
    const edited = rows({ a: { spec: spec({ run: 'false' }) }, c: {} })
    expect(submit(yard.board, { tasks: edited, key: 'sha1' })).toMatchObject({
      how: 'finished',
      batch: { id: batch.id, verdict: { exitCode: 3 } },
    })
    expect(yard.board.lastSeq()).toBe(seq)
    expect(submit(yard.board, { tasks: twoRows, key: 'sha2' })).toMatchObject({ how: 'created', batch: { id: 2 } })
  })

  test('without a key one that was cut off goes on, and after a verdict a new one starts', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows })
    expect(submit(yard.board, { tasks: twoRows })).toMatchObject({ how: 'continued', batch: { id: batch.id } })
    workToVerdict(yard.board, batch.id)
    expect(submit(yard.board, { tasks: twoRows })).toMatchObject({ how: 'created', batch: { id: 2 } })
  })

  test('two files of one name in two folders, or one name on two boards, are two batches', () => {
    using yard = openInMemory()
    submit(yard.board, { tasks: twoRows })
    expect(submit(yard.board, { tasks: twoRows, file: '/other/night.yaml' }).batch.id).toBe(2)
    const elsewhere = yard.board.submitBatch({ board: 'two', batch: batchFile({ tasks: twoRows }) }, ann)
    expect(elsewhere).toMatchObject({ how: 'created', batch: { id: 3 } })
  })

  test('--new makes a new one beside the old, but not under a used key', () => {
    using yard = openInMemory()
    submit(yard.board, { tasks: twoRows, key: 'sha1' })
    expect(() => submit(yard.board, { tasks: twoRows, key: 'sha1', mode: 'new' })).toThrow(
      expect.objectContaining({ code: 'BOARD_BATCH_KEY_USED', message: 'key "sha1" of "night" is used by B1' }),
    )
    expect(submit(yard.board, { tasks: twoRows, mode: 'new' }).batch.id).toBe(2)
    expect(submit(yard.board, { tasks: twoRows, mode: 'new' }).batch.id).toBe(3)
  })

  test('--resume goes on with the last of this name whatever its verdict; there must be one', () => {
    using yard = openInMemory()
    expect(() => submit(yard.board, { tasks: twoRows, mode: 'resume' })).toThrow(
      'there is no batch "night" to go on with',
    )
    const { batch } = submit(yard.board, { tasks: twoRows })
    workToVerdict(yard.board, batch.id, ['a'])
    const resumed = submit(yard.board, { tasks: twoRows, mode: 'resume' })
    expect(resumed).toMatchObject({ how: 'continued', batch: { id: batch.id, verdict: null } })
    // Its failed row is still failed, so it is over at once.
    expect(row(yard.board, batch.id, 'a').status).toBe('failed')
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(3)
  })

  test('--failed goes on and retries what failed, with the counters at 0', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows })
    workToVerdict(yard.board, batch.id, ['a'])
    submit(yard.board, { tasks: twoRows, mode: 'failed' })
    expect(row(yard.board, batch.id, 'a')).toMatchObject({ status: 'ready', failures: 0 })
    expect(workToVerdict(yard.board, batch.id)).toEqual({ exitCode: 0, text: '2 done' })
  })

  test('--redo runs done rows again, and rows that need them wait for them again', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: { needs: [{ on: 'a', when: 'done' }] }, c: { needs: [{ on: 'b', when: 'done' }] } })
    const { batch } = submit(yard.board, { tasks, key: 'k' })
    workToVerdict(yard.board, batch.id, ['b'])
    expect(() => submit(yard.board, { tasks, key: 'k', redo: ['aa'] })).toThrow('--redo names "aa"')
    const again = submit(yard.board, { tasks, key: 'k', redo: ['a'] })
    expect(again).toMatchObject({ how: 'continued', batch: { id: batch.id, verdict: null } })
    expect(row(yard.board, batch.id, 'a').status).toBe('ready')
    expect(row(yard.board, batch.id, 'c').status).toBe('todo')
    workOff(yard.board)
    expect(yard.board.runsOf(row(yard.board, batch.id, 'a').id)).toHaveLength(2)
  })
})

describe('an edited file of the same batch', () => {
  test('what waits takes the new text; what is done stays done and is listed as changed since', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'k' })
    finish(yard.board, row(yard.board, batch.id, 'a').id)
    const edited = rows({
      a: { spec: spec({ run: 'make' }) },
      b: { spec: spec({ run: 'make b', title: 'new' }), lane: 'claude', priority: 3 },
    })
    expect(submit(yard.board, { tasks: edited, key: 'k' }).changedDone).toEqual(['a'])
    const b = row(yard.board, batch.id, 'b')
    expect(b).toMatchObject({ title: 'new', lane: 'claude', priority: 3, status: 'ready', openNeeds: 0 })
    expect(yard.board.readSpec(b.id)?.run).toBe('make b')
    expect(yard.board.readSpec(row(yard.board, batch.id, 'a').id)?.run).toBe('true')
    // Said once more, because it is still so.
    expect(submit(yard.board, { tasks: edited, key: 'k' }).changedDone).toEqual(['a'])
    expect(submit(yard.board, { tasks: edited, key: 'k', redo: ['a'] }).changedDone).toEqual([])
    expect(yard.board.readSpec(row(yard.board, batch.id, 'a').id)?.run).toBe('make')
  })

  test('what runs finishes the old text: done with it, it is listed; back with it, it takes the new', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: {} })
    const { batch } = submit(yard.board, { tasks, key: 'k' })
    const [a, b] = start(yard.board)
    const edited = rows({ a: { spec: spec({ run: 'new a' }) }, b: { spec: spec({ run: 'new b' }), lane: 'claude' } })
    expect(submit(yard.board, { tasks: edited, key: 'k' }).changedDone).toEqual([])
    expect(yard.board.readSpec(a?.task.id ?? taskId(0))?.run).toBe('true')
    end(yard.board, a?.run.id ?? one([]), 'done', { to: 'done' })
    end(yard.board, b?.run.id ?? one([]), 'interrupted', backAtOnce)
    expect(yard.board.readSpec(a?.task.id ?? taskId(0))?.run).toBe('true')
    expect(yard.board.readSpec(b?.task.id ?? taskId(0))?.run).toBe('new b')
    expect(yard.board.readTask(b?.task.id ?? taskId(0))).toMatchObject({ lane: 'claude', status: 'ready' })
    expect(submit(yard.board, { tasks: edited, key: 'k' }).changedDone).toEqual(['a'])
    expect(batch.id).toBe(1)
  })

  test('new rows join, and needs follow the file', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'k' })
    const edited = rows({
      a: {},
      b: { needs: [{ on: 'fresh', when: 'always' }] },
      fresh: { needs: [{ on: 'a', when: 'done' }] },
    })
    submit(yard.board, { tasks: edited, key: 'k' })
    const [a, b, fresh] = ['a', 'b', 'fresh'].map((key) => row(yard.board, batch.id, key).id) as [
      TaskId,
      TaskId,
      TaskId,
    ]
    expect(yard.board.needsOf(b)).toMatchObject([{ task: fresh, when: 'always' }])
    expect(yard.board.needsOf(fresh)).toMatchObject([{ task: a, when: 'done' }])
    expect(workToVerdict(yard.board, batch.id)).toEqual({ exitCode: 0, text: '3 done' })
  })

  test('a row that is no longer in the file is cancelled with that reason and does not count against the batch', () => {
    using yard = openInMemory()
    const tasks = rows({ keep: {}, drop: { priority: -1 }, ran: { priority: 5 }, lost: { priority: 6 } })
    yard.board.applyLimits(limits({ slots: 1 }))
    const { batch } = submit(yard.board, { tasks, key: 'k' })
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    const [keep, drop, ran, lost] = ['keep', 'drop', 'ran', 'lost'].map((key) => row(yard.board, batch.id, key).id) as [
      TaskId,
      TaskId,
      TaskId,
      TaskId,
    ]
    finish(yard.board, ran)
    const edited = submit(yard.board, { tasks: rows({ keep: {} }), key: 'k' })
    expect(edited.tasks).toBe(2)
    expect(yard.board.readTask(drop)).toMatchObject({
      status: 'cancelled',
      batch: null,
      rowKey: null,
      holdText: 'it is no longer in the batch file',
    })
    // Done work stays a part of it; what failed and was taken out of the file is no failure of it any more.
    expect(yard.board.readTask(ran)).toMatchObject({ status: 'done', batch: batch.id })
    expect(yard.board.readTask(lost)).toMatchObject({ status: 'failed', batch: null })
    finish(yard.board, keep)
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({ exitCode: 0, text: '2 done' })
  })

  test('rows that waited for one that was dropped follow the file without a stumble', () => {
    using yard = openInMemory()
    const tasks = rows({
      a: {},
      b: { needs: [{ on: 'a', when: 'always' }] },
      c: { needs: [{ on: 'b', when: 'done' }] },
    })
    const { batch } = submit(yard.board, { tasks, key: 'k' })
    submit(yard.board, { tasks: rows({ c: {} }), key: 'k' })
    expect(row(yard.board, batch.id, 'c')).toMatchObject({ status: 'ready', openNeeds: 0 })
    expect(yard.board.batchCounts(batch.id)).toEqual({ total: 1, byStatus: { ready: 1 }, archived: {} })
  })

  test('an edit by hand stays until the file itself says something else of that row', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'k' })
    const { id } = row(yard.board, batch.id, 'a')
    yard.board.editTask(id, { spec: { run: 'by hand' }, lane: 'claude' }, ann)
    submit(yard.board, { tasks: twoRows, key: 'k' })
    expect(yard.board.readSpec(id)?.run).toBe('by hand')
    submit(yard.board, { tasks: rows({ a: { spec: spec({ run: 'by file' }) }, b: {} }), key: 'k' })
    expect(yard.board.readSpec(id)?.run).toBe('by file')
    expect(yard.board.readTask(id)?.lane).toBe('command')
  })

  test('a start time that is another moment each day is not an edit', () => {
    using yard = openInMemory()
    const at = (ms: number) => rows({ a: { notBeforeMs: ms } })
    const { batch } = submit(yard.board, { tasks: at(startMs + 1_000), key: 'k' })
    yard.clock.atMs += 1_000
    yard.board.openDue()
    finish(yard.board, row(yard.board, batch.id, 'a').id)
    expect(submit(yard.board, { tasks: at(startMs + 86_401_000), key: 'k' }).changedDone).toEqual([])
  })

  test('a folder that comes from changed defaults is guarded from then on', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: {} })
    submit(yard.board, { tasks, key: 'k' })
    const defaults = { workspace: { kind: 'dir' as const, path: '/x', shared: false } }
    submit(yard.board, { tasks, key: 'k', defaults })
    expect(claim(yard.board)).toHaveLength(1)
    expect(yard.board.explainTask(taskId(2), 'up').code).toBe('folder_busy')
  })

  test('a circle, also one that closes through a card outside the file, is refused and nothing is written', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows, key: 'k' })
    const [a, b] = ['a', 'b'].map((key) => row(yard.board, batch.id, key).id) as [TaskId, TaskId]
    const outside = one(
      yard.board.createTasks({ board: 'shop', tasks: [newTask({ needs: [{ on: b, when: 'done' }] })] }, ann),
    ).task.id
    const seq = yard.board.lastSeq()
    const direct = rows({ a: { needs: [{ on: 'b', when: 'done' }] }, b: { needs: [{ on: 'a', when: 'done' }] } })
    expect(() => submit(yard.board, { tasks: direct, key: 'k' })).toThrow('a -> b -> a')
    const through = rows({ a: { needs: [{ on: outside, when: 'done' }] }, b: { needs: [{ on: 'a', when: 'done' }] } })
    expect(() => submit(yard.board, { tasks: through, key: 'k' })).toThrow(`T${a} -> T${outside} -> T${b} -> T${a}`)
    expect(yard.board.lastSeq()).toBe(seq)
    expect(yard.board.needsOf(a)).toEqual([])
  })
})

describe('bad batch files', () => {
  const codeOf = (over: Partial<NewBatch>): unknown => {
    using yard = openInMemory()
    try {
      submit(yard.board, over)
      return 'accepted'
    } catch (fault) {
      expect(yard.board.lastSeq()).toBe(0)
      expect(yard.board.listBatches({ limit: 9 }).rows).toEqual([])
      return (fault as { code: string }).code
    }
  }
  test.each([
    ['no tasks', { tasks: [] }, 'BOARD_NO_TASKS'],
    ['a row key twice', { tasks: [...rows({ a: {} }), ...rows({ a: {} })] }, 'BOARD_ROW_KEY_TWICE'],
    ['a row without a key', { tasks: [newTask()] }, 'BOARD_ROW_KEY_MISSING'],
    ['a duplicate guard', { tasks: rows({ a: { key: 'k' } }) }, 'BOARD_KEY_IN_BATCH'],
    [
      'a need on nothing',
      { tasks: rows({ a: { needs: [{ on: 'bb', when: 'done' as const }] } }) },
      'BOARD_UNKNOWN_ROW',
    ],
    ['an unknown lane in its last row', { tasks: rows({ a: {}, b: { lane: 'x' } }) }, 'BOARD_UNKNOWN_LANE'],
  ])('%s: refused by name, and nothing is created', (_, over, code) => {
    expect(codeOf(over)).toBe(code)
  })
})

describe('limits of a batch', () => {
  test('its slots are its own', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: rows({ a: {}, b: {}, c: {} }), limits: { slots: 2, onWall: 'wait' } })
    expect(claim(yard.board)).toHaveLength(2)
    expect(yard.board.explainTask(row(yard.board, batch.id, 'c').id, 'up')).toMatchObject({
      code: 'batch_slots_full',
      says: 'T3 does not run: its batch B1 night has all 2 slots taken, by T1 T2',
    })
  })

  test('first: a few go ahead, and the others start only when all of those ended done', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: {}, c: {}, d: {} })
    const { batch } = submit(yard.board, { tasks, limits: { first: 2, onWall: 'wait' } })
    const [a, b] = start(yard.board)
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.explainTask(row(yard.board, batch.id, 'd').id, 'up').code).toBe('batch_canary')
    end(yard.board, a?.run.id ?? one([]), 'done', { to: 'done' })
    expect(claim(yard.board)).toEqual([])
    end(yard.board, b?.run.id ?? one([]), 'tempfail', backAtOnce)
    // One that goes back is still one of the first.
    const again = one(start(yard.board))
    expect(again.task.id).toBe(b?.task.id)
    end(yard.board, again.run.id, 'done', { to: 'done' })
    expect(claim(yard.board)).toHaveLength(2)
  })

  test('first: one that fails stops the batch, which ends with 3; a resume sends new ones ahead', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: {}, c: {} })
    const { batch } = submit(yard.board, { tasks, limits: { first: 1, onWall: 'wait' } })
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    expect(yard.board.readBatch(batch.id)).toMatchObject({ cut: 'canary' })
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 3 })
    submit(yard.board, { tasks, limits: { first: 1, onWall: 'wait' }, mode: 'resume' })
    expect(yard.board.readBatch(batch.id)).toMatchObject({ cut: null, verdict: null })
    finish(yard.board, row(yard.board, batch.id, 'b').id)
    finish(yard.board, row(yard.board, batch.id, 'c').id)
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({ exitCode: 3, text: '2 done · 1 failed' })
  })

  test('first: one that needs a person keeps the others back, and the batch ends with 5', () => {
    using yard = openInMemory()
    const tasks = rows({ a: {}, b: {} })
    const { batch } = submit(yard.board, { tasks, limits: { first: 1, onWall: 'wait' } })
    end(yard.board, one(start(yard.board)).run.id, 'unknown', { to: 'blocked', code: 'unknown', text: 'x' })
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 5 })
  })

  test('first: one that has to wait for another gives its place to that one, so that nothing waits for ever', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, {
      tasks: rows({ ahead: { priority: 1 }, other: {} }),
      limits: { first: 1, onWall: 'wait' },
    })
    end(yard.board, one(start(yard.board)).run.id, 'failed', backAtOnce, 1)
    const other = row(yard.board, batch.id, 'other').id
    yard.board.editTask(row(yard.board, batch.id, 'ahead').id, { addNeeds: [{ task: other, when: 'done' }] }, ann)
    expect(workToVerdict(yard.board, batch.id)).toEqual({ exitCode: 0, text: '2 done' })
  })

  test('halt: a share counts once ten have ended, and starts nothing new from the very end that reached it', () => {
    using yard = openInMemory()
    const keys = Array.from({ length: 20 }, (_, index) => `r${index}`)
    const tasks = rows(Object.fromEntries(keys.map((key) => [key, {}])))
    yard.board.applyLimits(limits({ slots: 1 }))
    const file = "/my nights/it's.yaml" // the line that goes on with it can be copied, whatever the file is called
    const { batch } = submit(yard.board, { tasks, file, limits: { halt: { share: 0.2 }, onWall: 'wait' } })
    for (let ended = 0; ended < 9; ended += 1) {
      const fails = ended < 5
      end(yard.board, one(start(yard.board)).run.id, fails ? 'failed' : 'done', fails ? failedForGood : { to: 'done' })
      expect(yard.board.readBatch(batch.id)?.cut).toBe(null)
    }
    end(yard.board, one(start(yard.board)).run.id, 'done', { to: 'done' })
    expect(yard.board.readBatch(batch.id)).toMatchObject({ cut: 'halt', cutText: '5 of 10 failed (halt: 20%)' })
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.explainTask(row(yard.board, batch.id, 'r15').id, 'up')).toMatchObject({
      code: 'batch_cut',
      says: 'T16 does not run: its batch B1 night starts nothing new: 5 of 10 failed (halt: 20%)',
      youCan: [`yardmaster run '/my nights/it'\\''s.yaml' --resume`],
    })
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(3)
    // A resume counts from where it stands; what failed before does not stop it at once.
    submit(yard.board, { tasks, file, limits: { halt: { share: 0.2 }, onWall: 'wait' }, mode: 'resume' })
    expect(start(yard.board)).toHaveLength(1)
  })

  test('halt: a number counts at once', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, {
      tasks: rows({ a: {}, b: {} }),
      limits: { halt: { count: 1 }, slots: 1, onWall: 'wait' },
    })
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    expect(yard.board.readBatch(batch.id)?.cut).toBe('halt')
  })

  test('halt: a limit that an edited file brings, and that is passed already, ends the batch instead of keeping it open', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: rows({ a: {} }), key: 'k' })
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    submit(yard.board, { tasks: rows({ a: {}, b: {} }), key: 'k', limits: { halt: { count: 1 }, onWall: 'wait' } })
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 3 })
  })

  test('its time: nothing starts after it, also before anybody has cut the batch', () => {
    using yard = openInMemory()
    const stopAtMs = startMs + 5_000
    const { batch } = submit(yard.board, { tasks: twoRows, limits: { stopAtMs, onWall: 'wait' } })
    expect(yard.board.nextDueMs()).toBe(stopAtMs)
    yard.clock.atMs = stopAtMs
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.explainTask(taskId(1), 'up').code).toBe('batch_cut')
    yard.board.cutBatch(batch.id, 'time', 'its time is over', { by: 'dispatcher' })
    yard.board.cutBatch(batch.id, 'wall', 'second reason', { by: 'dispatcher' })
    expect(yard.board.readBatch(batch.id)?.cut).toBe('time')
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({
      exitCode: 9,
      text: 'stopped by its time with 2 of 2 not finished; 1 not started · 1 waiting for others',
    })
  })
})

describe('a batch ends when nothing of it runs and nothing will start by itself', () => {
  test('not while something runs, could start, or waits for a time', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows })
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    const { run } = one(start(yard.board))
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    exit(yard.board, run.id, 'tempfail', 75)
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    settle(yard.board, run.id, { ...backAtOnce, notBeforeMs: startMs + 1_000 })
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    yard.board.setHold({ scope: 'all', name: null, kind: 'pause', text: null }, ann)
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
  })

  test('5 when only people can go on, and open again when one does', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: twoRows })
    end(yard.board, one(start(yard.board)).run.id, 'lost', { to: 'blocked', code: 'lost', text: 'cut by reboot' })
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({ exitCode: 5, text: '1 need a person · 1 waiting for others' })
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(5)
    expect(yard.board.openBatches()).toEqual([])
    yard.board.retryTask(row(yard.board, batch.id, 'a').id, null, ann)
    expect(yard.board.openBatches()).toMatchObject([{ id: batch.id, verdict: null }])
    expect(workToVerdict(yard.board, batch.id)).toEqual({ exitCode: 0, text: '2 done' })
  })

  test('waiting for the limit of an account goes on; with on_wall: stop it ends with 7', () => {
    const held = (onWall: 'wait' | 'stop') => {
      using yard = openInMemory()
      const tasks = rows({ a: { lane: 'claude' }, b: { lane: 'claude', notBeforeMs: startMs + 1 } })
      const { batch } = submit(yard.board, { tasks, limits: { onWall } })
      const { run } = one(start(yard.board))
      end(yard.board, run.id, 'tempfail', backAtOnce)
      yard.board.closeGate({ account: 'claude', untilMs: startMs + 1e6, reason: 'x', byRun: run.id, doublings: 0 })
      return yard.board.endBatchIfOver(batch.id)
    }
    expect(held('wait')).toBeUndefined()
    expect(held('stop')).toEqual({ exitCode: 7, text: 'only limits of accounts are left; 2 not started' })
  })

  test('on_wall: stop: what it left does not start when the account serves again, but when somebody goes on with it', () => {
    using yard = openInMemory()
    const asked = { tasks: rows({ a: { lane: 'claude' } }), limits: { onWall: 'stop' } } as const
    const { batch } = submit(yard.board, asked)
    const { run } = one(start(yard.board))
    end(yard.board, run.id, 'tempfail', backAtOnce)
    yard.board.closeGate({ account: 'claude', untilMs: startMs + 1e6, reason: 'x', byRun: run.id, doublings: 0 })
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(7)
    yard.board.openGate('claude', 'served', { by: 'dispatcher' })
    expect(claim(yard.board)).toEqual([])
    expect(yard.board.explainTask(row(yard.board, batch.id, 'a').id, 'up').code).toBe('batch_cut')
    submit(yard.board, { ...asked, mode: 'resume' })
    expect(claim(yard.board)).toHaveLength(1)
  })

  test('5 when its account waits for a person, or its lane is held because its program is missing', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: rows({ a: { lane: 'claude' }, b: { lane: 'command' } }) })
    yard.board.setHold({ scope: 'lane', name: 'command', kind: 'pause', text: 'no bash' }, { by: 'dispatcher' })
    const { run } = one(start(yard.board))
    end(yard.board, run.id, 'tempfail', backAtOnce)
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    yard.board.parkGate({ account: 'claude', reason: 'credit', byRun: run.id })
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({ exitCode: 5, text: '2 not started' })
    yard.board.liftHold('lane', 'command', ann)
    expect(claim(yard.board)).toHaveLength(1)
    expect(yard.board.readBatch(batch.id)?.verdict).toBe(null)
  })

  test('a card outside that is still at work keeps a batch open that needs it', () => {
    using yard = openInMemory()
    const outside = one(yard.board.createTasks({ board: 'shop', tasks: [newTask()] }, ann)).task.id
    const { batch } = submit(yard.board, { tasks: rows({ a: { needs: [{ on: outside, when: 'done' }] } }) })
    expect(yard.board.endBatchIfOver(batch.id)).toBeUndefined()
    end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
    expect(yard.board.endBatchIfOver(batch.id)).toEqual({ exitCode: 5, text: '1 waiting for others' })
  })

  test.each(['blocked', 'cancelled'] as const)(
    'beside a limit at which it stops, a row that waits for a card outside that is %s makes it 5, not 7',
    (how) => {
      using yard = openInMemory()
      const stuck = addOne(yard.board).id
      if (how === 'blocked') yard.board.blockTask(stuck, 'wait', ann)
      else yard.board.cancelTask(stuck, ann)
      const outside = addOne(yard.board, { needs: [{ on: stuck, when: 'done' }] }).id
      const { batch } = submit(yard.board, {
        tasks: rows({ a: { lane: 'claude' }, b: { needs: [{ on: outside, when: 'done' }] } }),
        limits: { onWall: 'stop' },
      })
      const { run } = one(start(yard.board))
      end(yard.board, run.id, 'tempfail', backAtOnce)
      const untilMs = yard.clock.nowMs() + 60_000
      yard.board.closeGate({ account: 'claude', untilMs, reason: 'limit', byRun: run.id, doublings: 0 })
      expect(yard.board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 5 })
    },
  )

  test('cancelled: waiting cards at once, running ones when they end; it ends with 3 and a resume takes them up again', () => {
    using yard = openInMemory()
    yard.board.applyLimits(limits({ slots: 1 }))
    const { batch } = submit(yard.board, { tasks: rows({ a: {}, b: {}, c: {} }) })
    const mine = row(yard.board, batch.id, 'c').id
    yard.board.cancelTask(mine, ann)
    const { run, task } = one(start(yard.board))
    expect(yard.board.cancelBatch(batch.id, ann)).toMatchObject({ cut: 'cancelled', verdict: null })
    expect(yard.board.readTask(task.id)).toMatchObject({ status: 'running', wish: 'cancel' })
    expect(row(yard.board, batch.id, 'b')).toMatchObject({ status: 'cancelled', holdCode: 'batch_cancelled' })
    end(yard.board, run.id, 'cancelled', backAtOnce)
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(3)
    expect(() => yard.board.cancelBatch(batch.id, ann)).toThrow('B1 has ended and nothing of it is left')

    submit(yard.board, { tasks: rows({ a: {}, b: {}, c: {} }), mode: 'resume' })
    expect(statusOf(yard.board, row(yard.board, batch.id, 'b').id)).toBe('ready')
    expect(statusOf(yard.board, task.id)).toBe('ready')
    // What a person cancelled by itself stays so.
    expect(statusOf(yard.board, mine)).toBe('cancelled')
  })

  test('cancelled with rows that only waited for the end of others: those do not start first', () => {
    using yard = openInMemory()
    const tasks = rows({
      a: {},
      b: { needs: [{ on: 'a', when: 'always' }] },
      c: { needs: [{ on: 'b', when: 'always' }] },
    })
    const { batch } = submit(yard.board, { tasks })
    yard.board.cancelBatch(batch.id, ann)
    expect(yard.board.batchCounts(batch.id).byStatus).toEqual({ cancelled: 3 })
    expect(yard.board.eventsAfter(0, 99).filter(({ kind }) => kind === 'task.ready')).toEqual([])
  })

  test('one that waits for people is cancelled and judged anew at once', () => {
    using yard = openInMemory()
    const { batch } = submit(yard.board, { tasks: rows({ a: {} }) })
    yard.board.blockTask(row(yard.board, batch.id, 'a').id, 'x', ann)
    expect(yard.board.endBatchIfOver(batch.id)?.exitCode).toBe(5)
    expect(yard.board.cancelBatch(batch.id, ann)).toMatchObject({ verdict: { exitCode: 3 } })
  })
})

test('batches are listed newest first, page by page', () => {
  using yard = openInMemory()
  for (let n = 0; n < 5; n += 1) submit(yard.board, { tasks: twoRows, mode: 'new' })
  const page = yard.board.listBatches({ limit: 3 })
  expect(page.rows.map(({ id }) => id)).toEqual([5, 4, 3])
  const rest = yard.board.listBatches({ limit: 3, after: page.next ?? '' })
  expect(rest.rows.map(({ id }) => id)).toEqual([2, 1])
  expect(rest.next).toBeUndefined()
  expect(() => yard.board.listBatches({ limit: 3, after: 'x' })).toThrow('no place in this list')
})
