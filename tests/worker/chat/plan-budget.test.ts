import { describe, expect, test } from 'vitest'
import { type BudgetView, planBudget, reserveOf } from '../../../src/worker/chat/plan-budget.ts'

const view = (rest: Partial<BudgetView>): BudgetView => ({
  turns: 0,
  maxTurns: 90,
  tokens: null,
  usd: null,
  time: null,
  told: new Set(),
  ...rest,
})
const names = (rest: Partial<BudgetView>) => {
  const plan = planBudget(view(rest))
  return plan.kind === 'go_on' ? plan.tell.map(({ name }) => name) : plan.reason
}
const time = (elapsedMs: number, runMs = 1_000_000) => ({ elapsedMs, runMs, reserveMs: reserveOf(runMs) })

describe('turns', () => {
  test('the model is reminded once, when 80 % of them are used', () => {
    expect(names({ turns: 71 })).toEqual([])
    expect(names({ turns: 72 })).toEqual(['turns'])
    expect(names({ turns: 73, told: new Set(['turns']) })).toEqual([])
  })

  test('when all are used the run ends with last words', () => {
    expect(planBudget(view({ turns: 90 }))).toMatchObject({ kind: 'end', reason: 'turn_limit', lastWords: 'asked' })
  })

  test('of three turns none is spent on being reminded', () => {
    expect(names({ turns: 2, maxTurns: 3 })).toEqual([])
  })
})

describe('tokens and money', () => {
  test('reminded at 80 %, ended while there is enough left for last words', () => {
    expect(names({ tokens: { used: 79, most: 100, lastCall: 1 } })).toEqual([])
    expect(names({ tokens: { used: 80, most: 100, lastCall: 1 } })).toEqual(['tokens'])
    expect(planBudget(view({ tokens: { used: 90, most: 100, lastCall: 6 } }))).toEqual({
      kind: 'end',
      reason: 'budget',
      says: 'the budget of 100 tokens is used up: 90, and no further call fits',
      lastWords: 'asked',
    })
  })

  test('a call that would not fit is not made, also not for last words', () => {
    const notAsked = { kind: 'end', reason: 'budget', lastWords: 'not_asked' }
    expect(planBudget(view({ tokens: { used: 95, most: 100, lastCall: 6 } }))).toMatchObject(notAsked)
    expect(planBudget(view({ usd: { used: 0.95, most: 1, lastCall: 0.06 } }))).toMatchObject(notAsked)
    expect(planBudget(view({ usd: { used: 2, most: 1, lastCall: 0.1 } }))).toMatchObject({
      ...notAsked,
      says: 'the budget of 1 USD is used up: 2.0000',
    })
  })

  test('a large first call does not end a run of which most is left', () => {
    expect(names({ tokens: { used: 40, most: 100, lastCall: 40 } })).toEqual([])
  })

  test('where the turns are used up, too, last words still have to fit', () => {
    expect(planBudget(view({ turns: 90, tokens: { used: 95, most: 100, lastCall: 6 } }))).toMatchObject({
      lastWords: 'not_asked',
    })
  })
})

describe('time', () => {
  test('told at 80 %, to save its work at 90 %, last words 30 seconds before the end', () => {
    expect(names({ time: time(799_000) })).toEqual([])
    expect(names({ time: time(800_000) })).toEqual(['time'])
    expect(names({ time: time(900_000), told: new Set(['time']) })).toEqual(['checkpoint'])
    expect(names({ time: time(969_000), told: new Set(['time', 'checkpoint']) })).toEqual([])
    expect(planBudget(view({ time: time(970_000) }))).toMatchObject({ kind: 'end', reason: 'budget' })
  })

  test('one who was busy past 80 % is told only to save its work', () => {
    expect(names({ time: time(950_000) })).toEqual(['checkpoint'])
  })

  test('a short run keeps less for its last words, and still is told to save its work before', () => {
    expect(reserveOf(10_000)).toBe(800)
    expect(names({ time: time(9_100, 10_000) })).toEqual(['checkpoint'])
    expect(reserveOf(7_200_000)).toBe(30_000)
  })
})
