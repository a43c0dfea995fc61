import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Board } from '../../src/board/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { isInTable, Model } from './model.ts'
import { limits, openOnDisk } from './open-test-board.ts'
import { perform } from './perform-act.ts'
import { act } from './random-act.ts'

describe('whatever people, a dispatcher and the clock do, in any order', () => {
  test('the store has no half-state after any step, moves only by the table, and agrees with the plain-object board', () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 60, maxLength: 100, size: 'max' }), (acts) => {
        using yard = openOnDisk()
        yard.board.applyLimits(
          limits({
            slots: 3,
            lanes: { command: { account: null, slots: null }, claude: { account: 'claude', slots: 2 } },
          }),
        )
        using sound = openHalfStateFinder(yard.path)
        const model = new Model()
        for (const one of acts) {
          const before = new Map([...model.tasks.values()].map(({ id, status }) => [id, status]))
          perform(yard, model, one)
          expect(sound.findHalfStates()).toEqual([])
          expect(standing(yard.board)).toEqual(modelStanding(model))
          for (const { id, status } of model.tasks.values()) {
            const from = before.get(id) ?? 'new'
            if (from !== status) expect([from, status, isInTable(from, status)]).toEqual([from, status, true])
          }
        }
      }),
      { numRuns: 30 },
    )
  }, 600_000)
})

const standing = (board: Board) =>
  board
    .listTasks({ archived: 'with' }, { limit: 999 })
    .rows.map(
      ({ id, status, priority, lane, openNeeds, wish, failures, notBeforeMs, runs, archivedAtMs, reviewLane }) => ({
        id: Number(id),
        status,
        priority,
        lane,
        openNeeds,
        wish,
        failures,
        dueMs: notBeforeMs,
        runs,
        archived: archivedAtMs !== null,
        reviewLane,
        reviewFailures: board.tally(id).reviewFailures,
      }),
    )
    .sort((a, b) => a.id - b.id)

const modelStanding = (model: Model) =>
  [...model.tasks.values()].map((task) => {
    const { id, status, priority, lane, wish, failures, dueMs, runs, archived, reviewLane, reviewFailures } = task
    const review = { reviewLane, reviewFailures }
    return {
      ...review,
      id,
      status,
      priority,
      lane,
      openNeeds: model.openNeeds(task),
      wish,
      failures,
      dueMs,
      runs,
      archived,
    }
  })
