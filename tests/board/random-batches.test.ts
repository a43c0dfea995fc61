import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Board, NewBatch } from '../../src/board/index.ts'
import { batchId, taskId, YardError } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import {
  ann,
  backAtOnce,
  batchFile,
  claim,
  exit,
  failedForGood,
  limits,
  openOnDisk,
  rows,
  settle,
  spec,
} from './open-test-board.ts'

const keys = ['a', 'b', 'c', 'd', 'e'] as const

/** A file of some of five rows, each needing some of those before it, so that it has no circle. */
const file: fc.Arbitrary<Partial<NewBatch>> = fc
  .record({
    rows: fc.array(
      fc.record({
        present: fc.boolean(),
        text: fc.constantFrom('one', 'two'),
        lane: fc.constantFrom('command', 'claude'),
        needs: fc.nat(31),
        when: fc.constantFrom('done' as const, 'always' as const),
      }),
      { minLength: keys.length, maxLength: keys.length },
    ),
    key: fc.constantFrom(undefined, 'k'),
    mode: fc.constantFrom('auto' as const, 'auto' as const, 'resume' as const, 'failed' as const, 'new' as const),
    redo: fc.constantFrom([], [], ['a'], ['b', 'c']),
    first: fc.constantFrom(undefined, undefined, 1, 2),
    halt: fc.constantFrom(undefined, undefined, 1),
  })
  .map(({ rows: drawn, key, mode, redo, first, halt }) => {
    const present = keys.filter((_, index) => index === 0 || drawn[index]?.present)
    const tasks = present.map((rowKey, index) => {
      const row = drawn[keys.indexOf(rowKey)]
      const needs = present.slice(0, index).filter((_, bit) => ((row?.needs ?? 0) >> bit) % 2 === 1)
      const task = { spec: spec({ run: row?.text ?? '' }), lane: row?.lane ?? 'command' }
      return [rowKey, { ...task, needs: needs.map((on) => ({ on, when: row?.when ?? 'done' })) }] as const
    })
    return {
      tasks: rows(Object.fromEntries(tasks)),
      mode,
      redo: redo.filter((row) => present.includes(row as 'a')),
      limits: {
        onWall: 'wait',
        ...(first === undefined ? {} : { first }),
        ...(halt === undefined ? {} : { halt: { count: halt } }),
      },
      ...(key === undefined ? {} : { key }),
    }
  })

/** review: a lane is to look at it; of a reviewer: no verdict. Its done and failed are its verdicts. */
type End = 'done' | 'failed' | 'back' | 'review' | 'open'

type Act =
  | { do: 'submit'; file: Partial<NewBatch> }
  | { do: 'work'; ends: readonly End[] }
  | { do: 'end' | 'cancel'; batch: number }
  | { do: 'retry' | 'block' | 'cancelTask'; task: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), file }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      ends: fc.array(fc.constantFrom(...(['done', 'done', 'failed', 'back', 'review', 'review', 'open'] as const)), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'end' as const, 'cancel' as const), batch: fc.nat(3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('retry' as const, 'block' as const, 'cancelTask' as const),
      task: fc.nat(20),
    }),
  },
)

describe('whatever files are submitted, edited, worked off, cancelled and resumed, in any order', () => {
  test('the store has no half-state, done rows run again only when asked, and every batch comes to an end', () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 8, maxLength: 30 }), (acts) => {
        using yard = openOnDisk()
        using sound = openHalfStateFinder(yard.path)
        yard.board.applyLimits(limits({ slots: 3 }))
        for (const one of acts) {
          perform(yard.board, one)
          expect(sound.findHalfStates()).toEqual([])
          for (const batch of yard.board.listBatches({ limit: 99 }).rows) {
            const { total, byStatus } = yard.board.batchCounts(batch.id)
            expect(yard.board.listTasks({ batch: batch.id }, { limit: 99 }).rows).toHaveLength(total)
            if (batch.verdict !== null) expect(byStatus.running).toBeUndefined()
            if (batch.verdict?.exitCode === 0) expect(byStatus).toEqual({ done: total })
          }
        }
        workOff(yard.board)
        for (const { id } of yard.board.openBatches())
          expect([id, yard.board.endBatchIfOver(id)]).not.toContain(undefined)
      }),
      { numRuns: 25 },
    )
  }, 600_000)
})

/** A refusal is an error of the catalogue; anything else is a fault of ours and fails the test. */
function perform(board: Board, one: Act): void {
  const seq = board.lastSeq()
  try {
    performUnguarded(board, one)
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    expect(board.lastSeq()).toBe(seq)
  }
}

function performUnguarded(board: Board, one: Act) {
  switch (one.do) {
    case 'submit': {
      const done = doneTasks(board)
      const { how } = board.submitBatch({ board: 'shop', batch: batchFile(one.file) }, ann)
      const redo = new Set(how === 'continued' ? one.file.redo : [])
      for (const { id, rowKey } of done) {
        if (!redo.has(rowKey ?? '')) expect(board.readTask(id)?.status).toBe('done')
      }
      return
    }
    case 'work':
      return work(board, one.ends)
    case 'end':
      return void board.endBatchIfOver(batchId(one.batch + 1))
    case 'cancel':
      return void board.cancelBatch(batchId(one.batch + 1), ann)
    case 'retry':
      return void board.retryTask(taskId(one.task), null, ann)
    case 'block':
      return void board.blockTask(taskId(one.task), 'x', ann)
    case 'cancelTask':
      return void board.cancelTask(taskId(one.task), ann)
  }
}

/** Until nothing can start any more. */
function workOff(board: Board): void {
  do work(board, ['done'])
  while (claim(board).length > 0)
  work(board, ['done'])
}

const doneTasks = (board: Board) => board.listTasks({ status: ['done'] }, { limit: 999 }).rows

function work(board: Board, ends: readonly End[]): void {
  claim(board, ends.length)
  for (const [index, run] of board.openRuns().entries()) {
    const how = ends[index % ends.length]
    if (how === undefined || how === 'open') continue
    exit(board, run.id, how === 'done' ? 'done' : 'failed', how === 'done' ? 0 : 1)
    settle(board, run.id, run.claimedFrom === 'review' ? verdicts[how] : moves[how])
  }
}

const toReviewer = { to: 'review', text: 'look', lane: 'claude' } as const
const moves = { done: { to: 'done' }, failed: failedForGood, back: backAtOnce, review: toReviewer } as const
const verdicts = {
  done: { to: 'approved', text: 'good' },
  failed: { to: 'rejected', text: 'again' },
  back: backAtOnce,
  review: toReviewer,
} as const
