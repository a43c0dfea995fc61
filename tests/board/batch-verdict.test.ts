import { describe, expect, test } from 'vitest'
import { planCut } from '../../src/board/batch-cut.ts'
import { type BatchFacts, planVerdict } from '../../src/board/batch-verdict.ts'

const facts = (over: Partial<BatchFacts>): BatchFacts => ({
  byStatus: {},
  cut: null,
  cutText: null,
  onWall: 'wait',
  ready: { free: 0, limit: 0, person: 0 },
  forPersons: 0,
  outsideWork: false,
  outsideStuck: false,
  canaryStuck: false,
  ...over,
})
const exitCode = (over: Partial<BatchFacts>): number | undefined => planVerdict(facts(over))?.exitCode

describe('the verdict of a batch is the first that holds: time, failed, a person, limits, all done', () => {
  test.each<[string, Partial<BatchFacts>, number | undefined]>([
    ['all done', { byStatus: { done: 3 } }, 0],
    ['something still runs', { byStatus: { done: 3, running: 1 } }, undefined],
    ['something still runs although it was cut', { byStatus: { running: 1, ready: 2 }, cut: 'time' }, undefined],
    ['something could start', { byStatus: { ready: 1 }, ready: { free: 1, limit: 0, person: 0 } }, undefined],
    ['time over with work left, and failures', { byStatus: { failed: 1, ready: 2 }, cut: 'time' }, 9],
    ['time over, but all was finished by then', { byStatus: { done: 2 }, cut: 'time' }, 0],
    ['time over, all ended, one failed', { byStatus: { done: 2, failed: 1 }, cut: 'time' }, 3],
    ['halted with nothing failed left', { byStatus: { done: 9, ready: 1 }, cut: 'halt', cutText: 'x' }, 3],
    ['the canary was lost', { byStatus: { blocked: 1, ready: 9 }, cut: 'canary', cutText: 'x' }, 3],
    ['cancelled', { byStatus: { done: 1, cancelled: 1 }, cut: 'cancelled', cutText: 'x' }, 3],
    ['one failed and one needs a person', { byStatus: { failed: 1, blocked: 1 } }, 3],
    ['one was cancelled', { byStatus: { done: 1, cancelled: 1 } }, 3],
    ['one needs a person', { byStatus: { done: 1, blocked: 1 } }, 5],
    ['a draft is left', { byStatus: { done: 1, triage: 1 } }, 5],
    ['one waits for a review by a person', { byStatus: { done: 1, review: 1 }, forPersons: 1 }, 5],
    [
      'one waits for a review by a lane that could begin',
      { byStatus: { done: 1, review: 1 }, ready: { free: 1, limit: 0, person: 0 } },
      undefined,
    ],
    [
      'only reviews by a lane whose account is limited, on_wall: stop',
      { byStatus: { done: 1, review: 1 }, ready: { free: 0, limit: 1, person: 0 }, onWall: 'stop' },
      7,
    ],
    ['one waits for ever', { byStatus: { done: 1, todo: 1 } }, 5],
    ['one waits for work outside', { byStatus: { todo: 1 }, outsideWork: true }, undefined],
    ['an account needs a person', { byStatus: { ready: 2 }, ready: { free: 0, limit: 0, person: 2 } }, 5],
    ['only limits are left', { byStatus: { ready: 2 }, ready: { free: 0, limit: 2, person: 0 } }, undefined],
    [
      'only limits, on_wall: stop',
      { byStatus: { ready: 2 }, ready: { free: 0, limit: 2, person: 0 }, onWall: 'stop' },
      7,
    ],
    [
      'limits and what waits for those, on_wall: stop',
      { byStatus: { ready: 1, todo: 2 }, ready: { free: 0, limit: 1, person: 0 }, onWall: 'stop' },
      7,
    ],
    [
      'limits, and what waits for a stuck card outside, on_wall: stop',
      {
        byStatus: { ready: 1, todo: 1 },
        ready: { free: 0, limit: 1, person: 0 },
        onWall: 'stop',
        outsideStuck: true,
      },
      5,
    ],
    [
      'limits and a person, on_wall: stop',
      { byStatus: { ready: 2, blocked: 1 }, ready: { free: 0, limit: 2, person: 0 }, onWall: 'stop' },
      5,
    ],
    [
      'cut at a limit',
      { byStatus: { ready: 2 }, ready: { free: 0, limit: 2, person: 0 }, cut: 'wall', cutText: 'x' },
      7,
    ],
    [
      'cut at a limit, and one needs a person since',
      { byStatus: { ready: 2, blocked: 1 }, ready: { free: 0, limit: 2, person: 0 }, cut: 'wall', cutText: 'x' },
      5,
    ],
    [
      'the first ones wait for a person',
      { byStatus: { ready: 5, blocked: 1 }, ready: { free: 5, limit: 0, person: 0 }, canaryStuck: true },
      5,
    ],
  ])('%s', (_, over, code) => {
    expect(exitCode(over)).toBe(code)
  })

  test('says what became of how many', () => {
    expect(planVerdict(facts({ byStatus: { done: 186, failed: 4, blocked: 1 } }))?.text).toBe(
      '186 done · 4 failed · 1 need a person',
    )
  })
})

describe('a batch is cut by its own ends', () => {
  const progress = { failed: 0, ended: 0, canary: 'none', canaryLost: false } as const
  test('never without a limit that says so', () => {
    expect(planCut({ onWall: 'wait' }, { ...progress, failed: 99, ended: 99 })).toBeUndefined()
  })
  test('at the share, not before ten have ended', () => {
    const limits = { halt: { share: 0.5 }, onWall: 'wait' } as const
    expect(planCut(limits, { ...progress, failed: 9, ended: 9 })).toBeUndefined()
    expect(planCut(limits, { ...progress, failed: 4, ended: 10 })).toBeUndefined()
    expect(planCut(limits, { ...progress, failed: 5, ended: 10 })).toEqual({
      cut: 'halt',
      text: '5 of 10 failed (halt: 50%)',
    })
  })
  test('by a lost canary only while it is out', () => {
    const limits = { first: 3, onWall: 'wait' } as const
    expect(planCut(limits, { ...progress, canary: 'open', canaryLost: true })?.cut).toBe('canary')
    expect(planCut(limits, { ...progress, canary: 'passed', canaryLost: true })).toBeUndefined()
  })
})
