import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { BoardEvent } from '../../src/board/index.ts'
import type { TaskId } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import {
  add,
  addOne,
  ann,
  batchFile,
  end,
  failedForGood,
  finish,
  one,
  openOnDisk,
  rows,
  spec,
  start,
  statusOf,
  type TestBoard,
} from './open-test-board.ts'

/** A parent that failed for good and cards that need it: plainly, whatever its end, and with a second need. */
function aFailedParent({ board }: TestBoard) {
  const [parent, other] = add(board, [{}, { draft: true }])
  if (parent === undefined || other === undefined) throw new Error('not added')
  const needs = [{ on: parent.id, when: 'done' as const }]
  const [child, both] = add(board, [{ needs }, { needs: [...needs, { on: other.id, when: 'done' }] }])
  if (child === undefined || both === undefined) throw new Error('not added')
  const grandchild = addOne(board, { needs: [{ on: child.id, when: 'done' }] })
  end(board, one(start(board)).run.id, 'failed', failedForGood, 1)
  return { parent: parent.id, other: other.id, child: child.id, both: both.id, grandchild: grandchild.id }
}

const events = ({ board }: TestBoard, task: TaskId): readonly BoardEvent[] => board.eventsAfter(0, 1_000, { task })
const lastEvent = (yard: TestBoard, task: TaskId, kind: string) =>
  events(yard, task).findLast((event) => event.kind === kind)

function expectSound({ path }: TestBoard): void {
  using finder = openHalfStateFinder(path)
  expect(finder.findHalfStates()).toEqual([])
}

describe('C76: a parent with waiting children is archived only with a choice for them', () => {
  test('C76: without one nothing changes, and the answer names them and the three choices', () => {
    using yard = openOnDisk()
    const { parent, child, both } = aFailedParent(yard)
    expect(() => yard.board.archiveTask(parent, null, ann)).toThrow(
      expect.objectContaining({
        code: 'BOARD_CHILDREN_WAIT',
        message: expect.stringContaining(`T${child}, T${both}`),
        fix: expect.stringMatching(/release .* wait .* archive/),
      }),
    )
    expect(yard.board.readTask(parent)?.archivedAtMs).toBeNull()
    expect([statusOf(yard.board, child), statusOf(yard.board, both)]).toEqual(['todo', 'todo'])
  })

  test('C76: release lets them go on as far as their other needs allow, and is on record with both', () => {
    using yard = openOnDisk()
    const { parent, child, both, other } = aFailedParent(yard)
    expect(yard.board.archiveTask(parent, 'release', ann).children).toEqual([child, both])
    expect([statusOf(yard.board, child), statusOf(yard.board, both)]).toEqual(['ready', 'todo'])
    expect(yard.board.needsOf(child)).toEqual([expect.objectContaining({ task: parent, when: 'always' })])
    expect(lastEvent(yard, parent, 'task.archived')).toMatchObject({
      by: 'ann',
      data: { children: 'release', tasks: [child, both] },
    })
    expect(lastEvent(yard, child, 'need.released')).toMatchObject({ data: { needs: parent } })
    expectSound(yard)
    finish(yard.board, child)
    yard.board.readyTask(other, ann)
    finish(yard.board, other)
    expect(statusOf(yard.board, both)).toBe('ready')
  })

  test('C76: wait leaves them as they are, on record, and a retry of the archived one lets them go', () => {
    using yard = openOnDisk()
    const { parent, child } = aFailedParent(yard)
    yard.board.archiveTask(parent, 'wait', ann)
    expect(statusOf(yard.board, child)).toBe('todo')
    expect(lastEvent(yard, child, 'need.kept')).toMatchObject({ by: 'ann', data: { needs: parent } })
    expect(yard.board.retryTask(parent, null, ann)).toMatchObject({ status: 'ready', archivedAtMs: null })
    expect(lastEvent(yard, parent, 'task.unarchived')).toBeDefined()
    finish(yard.board, parent)
    expect(statusOf(yard.board, child)).toBe('ready')
    expectSound(yard)
  })

  test('C76: archive takes them along, and whatever waits for them in turn', () => {
    using yard = openOnDisk()
    const { parent, child, both, grandchild } = aFailedParent(yard)
    const { children } = yard.board.archiveTask(parent, 'archive', ann)
    expect([...children].sort()).toEqual([child, both, grandchild].sort())
    for (const id of [child, both, grandchild]) {
      expect(yard.board.readTask(id)).toMatchObject({ status: 'cancelled', holdCode: 'archived', archivedBy: 'ann' })
    }
    expect(yard.board.listTasks({ status: ['cancelled', 'failed', 'todo'] }, { limit: 9 }).rows).toEqual([])
    expectSound(yard)
  })

  test('C76: archive takes a child along once, also one that needs several of those that go', () => {
    using yard = openOnDisk()
    const { board } = yard
    const parent = addOne(board)
    const on = (task: TaskId) => ({ on: task, when: 'done' as const })
    const first = addOne(board, { needs: [on(parent.id)] })
    const second = addOne(board, { needs: [on(parent.id), on(first.id)] })
    const third = addOne(board, { needs: [on(first.id), on(second.id)] })
    end(board, one(start(board)).run.id, 'failed', failedForGood, 1)
    expect(board.archiveTask(parent.id, 'archive', ann).children).toEqual([first.id, second.id, third.id])
    for (const { id } of [first, second, third]) {
      expect(events(yard, id).filter(({ kind }) => kind === 'task.archived')).toHaveLength(1)
    }
    expectSound(yard)
  })

  test('C76: a child that runs keeps all of it from being archived, and its attempt is named', () => {
    using yard = openOnDisk()
    const { board } = yard
    const parent = addOne(board)
    const child = addOne(board, { needs: [{ on: parent.id, when: 'done' }] })
    finish(board, parent.id)
    const { run } = one(start(board))
    board.retryTask(parent.id, null, ann)
    end(board, one(start(board)).run.id, 'failed', failedForGood, 1)
    expect(() => board.archiveTask(parent.id, 'archive', ann)).toThrow(
      expect.objectContaining({ code: 'BOARD_TASK_RUNNING', message: expect.stringContaining(`R${run.id}`) }),
    )
    expect(board.readTask(parent.id)?.archivedAtMs).toBeNull()
    expect(board.archiveTask(parent.id, 'wait', ann).children).toEqual([child.id])
    expect(statusOf(board, child.id)).toBe('running')
    expectSound(yard)
  })

  test('C76: nothing waits for a parent that ended as it had to, so no choice is asked for', () => {
    using yard = openOnDisk()
    const parent = addOne(yard.board)
    const child = addOne(yard.board, { needs: [{ on: parent.id, when: 'done' }] })
    finish(yard.board, parent.id)
    expect(yard.board.archiveTask(parent.id, null, ann)).toMatchObject({ children: [] })
    expect(statusOf(yard.board, child.id)).toBe('ready')
  })
})

test('a card that runs is not archived: its attempt is named, and so is what ends it', () => {
  using yard = openOnDisk()
  const task = addOne(yard.board)
  const { run } = one(start(yard.board))
  expect(() => yard.board.archiveTask(task.id, 'archive', ann)).toThrow(
    expect.objectContaining({
      code: 'BOARD_TASK_RUNNING',
      message: expect.stringContaining(`R${run.id}`),
      fix: expect.stringContaining(`yardmaster stop T${task.id}`),
    }),
  )
})

test('a card that is not over is not archived', () => {
  using yard = openOnDisk()
  const task = addOne(yard.board)
  expect(() => yard.board.archiveTask(task.id, null, ann)).toThrow(
    expect.objectContaining({ code: 'BOARD_MOVE_REFUSED', fix: expect.stringContaining('yardmaster cancel') }),
  )
})

test('archived cards leave lists and their counts, and stay on record, in their batch and under their key', () => {
  using yard = openOnDisk()
  const { board } = yard
  const [done, open] = add(board, [{ key: 'k', spec: spec({ labels: ['red'] }), priority: 3 }, { draft: true }])
  if (done === undefined || open === undefined) throw new Error('not added')
  finish(board, done.id)
  const { batch } = board.submitBatch({ board: 'shop', batch: batchFile({ tasks: rows({ a: {} }) }) }, ann)
  const row = one(board.readTasks(board.taskIdsOfBatch(batch.id)))
  finish(board, row.id)
  for (const id of [done.id, row.id]) {
    board.archiveTask(id, null, ann)
    board.archiveTask(id, null, ann)
  }
  const listed = (filter: object) => board.listTasks(filter, { limit: 9 }).rows.map(({ id }) => id)
  expect(listed({})).toEqual([open.id])
  for (const filter of [{ board: 'shop' }, { lane: 'command' }, { batch: batch.id }, { label: 'red' }]) {
    expect(listed({ ...filter, status: ['done'] })).toEqual([])
  }
  expect(listed({ archived: 'only' })).toEqual([done.id, row.id])
  expect(listed({ archived: 'with' })).toEqual([done.id, open.id, row.id])
  expect(listed({ archived: 'only', label: 'red' })).toEqual([done.id])
  expect(listed({ archived: 'only', batch: batch.id })).toEqual([row.id])
  expect(listed({ key: 'k' })).toEqual([done.id])
  expect(board.counts()).toMatchObject({ done: 0, triage: 1, archived: 2 })
  expect(board.batchCounts(batch.id)).toEqual({ total: 1, byStatus: { done: 1 }, archived: { done: 1 } })
  expect(board.endBatchIfOver(batch.id)).toMatchObject({ exitCode: 0 })
  expectSound(yard)

  board.editTask(done.id, { spec: { labels: ['red', 'blue'] } }, ann)
  expectSound(yard)
  expect(board.unarchiveTask(done.id, ann)).toMatchObject({ archivedAtMs: null, archivedBy: null, status: 'done' })
  board.unarchiveTask(done.id, ann)
  expect(listed({ label: 'blue' })).toEqual([done.id])
  expect(board.counts()).toMatchObject({ done: 1, archived: 1 })
  expectSound(yard)
})

test('a page of a list costs the same with 5,000 archived cards in front of it', () => {
  using yard = openOnDisk()
  const { board } = yard
  const crowd = Array.from({ length: 5_000 }, (_, n) => [`${n}`, { spec: spec({ labels: ['red'] }) }] as const)
  const tasks = rows({ ...Object.fromEntries(crowd), last: { spec: spec({ labels: ['red'] }), priority: -9 } })
  const { batch } = board.submitBatch({ board: 'shop', batch: batchFile({ tasks }) }, ann)
  board.cancelBatch(batch.id, ann)
  const pageMs = (): number => {
    const times = Array.from({ length: 20 }, () => {
      const before = performance.now()
      for (const filter of [{}, { board: 'shop' }, { lane: 'command' }, { label: 'red' }, { batch: batch.id }]) {
        expect(board.listTasks({ ...filter, status: ['cancelled'] }, { limit: 1 }).rows).toHaveLength(1)
      }
      return performance.now() - before
    })
    return Math.min(...times)
  }
  const before = pageMs()
  const hand = new Sqlite(yard.path)
  hand.exec("update task set archived_at_ms = 1, archived_by = 'ann' where priority = 0")
  hand.close()
  expect(board.counts()).toMatchObject({ cancelled: 1, archived: 5_000 })
  // A walk past them takes a hundred times as long; a busy machine alone does not.
  expect(pageMs()).toBeLessThan(before * 10 + 1)
})
