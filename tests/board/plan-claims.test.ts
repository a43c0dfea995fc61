import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findObstacle } from '../../src/board/admission/find-obstacle.ts'
import { chooseProbe, type Line, planClaims } from '../../src/board/admission/plan-claims.ts'
import type { Candidate, YardState } from '../../src/board/admission/yard-state.ts'
import { batchId, taskId } from '../../src/kernel/index.ts'

const yard = (over: Partial<YardState> = {}): YardState => ({
  nowMs: 1_000,
  slots: 4,
  isConfigured: true,
  lanes: new Map([
    ['command', { account: null, slots: null }],
    ['claude', { account: 'claude', slots: 2 }],
  ]),
  accounts: new Map([['claude', { slots: null }]]),
  gates: new Map(),
  holds: [],
  disk: null,
  occupied: [],
  batches: new Map(),
  ...over,
})

const candidate = (task: number, over: Partial<Candidate> = {}): Candidate => ({
  task: taskId(task),
  rank: 0,
  board: 'shop',
  batch: null,
  lane: 'command',
  account: null,
  folder: '',
  canary: false,
  probe: false,
  ...over,
})
const line = (served: number, ...candidates: readonly Candidate[]): Line => ({ served, candidates })
const plan = (state: YardState, lines: readonly Line[], max = 9): readonly number[] =>
  planClaims(state, lines, max).map(({ task }) => task)

describe('what starts next', () => {
  test('the board that was served longest ago comes first, and each start counts as a service', () => {
    const a = [1, 2, 3].map((task) => candidate(task))
    const b = [4, 5].map((task) => candidate(task, { board: 'other' }))
    expect(plan(yard(), [line(7, ...a), line(3, ...b)])).toEqual([4, 1, 5, 2])
  })

  test('higher priority goes before fairness', () => {
    const lines = [line(0, candidate(1)), line(9, candidate(2, { board: 'other', rank: -1 }))]
    expect(plan(yard(), lines, 1)).toEqual([2])
  })

  test('a full lane ends its own line and no other', () => {
    const held = [1, 2, 3, 4].map((task) => candidate(task, { lane: 'claude', account: 'claude', rank: -9 }))
    expect(plan(yard(), [line(0, ...held), line(0, candidate(9))])).toEqual([1, 2, 9])
  })

  test('a batch that may halt starts nothing while an end of it is not counted yet, and others go on', () => {
    const batch = batchId(1)
    const limits = { halt: { count: 2 }, onWall: 'wait' } as const
    const none = { cut: null, cutText: null, canary: 'none', canariesSent: 0 } as const
    const state = { id: batch, name: 'b', file: null, limits, ...none, failed: 1, ended: 1 }
    const over = { ...candidate(9), batch, ended: true }
    const lines = [line(0, candidate(1, { batch })), line(1, candidate(2))]
    const withEnd = (endedBadly: boolean) =>
      yard({ batches: new Map([[batch, state]]), occupied: [{ ...over, endedBadly }] })
    expect(plan(withEnd(true), lines)).toEqual([2])
    expect(plan(withEnd(false), lines)).toEqual([1, 2])
  })

  test('a busy folder is passed over within its line', () => {
    const lines = [line(0, candidate(1, { folder: '/a' }), candidate(2, { folder: '/a' }), candidate(3))]
    expect(plan(yard(), lines)).toEqual([1, 3])
  })

  test('never more than the slots, and every choice could start with those before it in place', () => {
    const arbitrary = fc.array(
      fc.array(
        fc.record({
          rank: fc.integer({ min: -2, max: 2 }),
          folder: fc.constantFrom('', '', '/a', '/b'),
        }),
        { maxLength: 5 },
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(arbitrary, fc.integer({ min: 0, max: 6 }), (groups, max) => {
        let id = 0
        const lines = groups.map((group, index) => {
          const lane = index % 2 === 0 ? 'command' : 'claude'
          const account = lane === 'claude' ? 'claude' : null
          const board = index % 3 === 0 ? 'shop' : 'other'
          const candidates = group
            .map((one) => candidate(++id, { ...one, lane, account, board }))
            .sort((a, b) => a.rank - b.rank || a.task - b.task)
          return line(index, ...candidates)
        })
        const chosen = planClaims(yard(), lines, max)
        expect(chosen.length).toBeLessThanOrEqual(Math.min(max, 4))
        let now = yard()
        for (const one of chosen) {
          expect(findObstacle(now, one)).toBeUndefined()
          now = { ...now, occupied: [...now.occupied, { ...one, ended: false, endedBadly: false }] }
        }
        // Whoever was left out could not start beside them, unless the number that was asked for is reached.
        if (chosen.length < max) {
          const left = lines.flatMap(({ candidates }) => candidates).filter((one) => !chosen.includes(one))
          for (const one of left) expect(findObstacle(now, one)).toBeDefined()
        }
      }),
    )
  })
})

describe('who finds out whether an account serves again', () => {
  const gate = {
    account: 'claude',
    epoch: 1,
    untilMs: 900,
    probeRun: null,
    parkedBy: null,
    reason: 'limit',
    closedByRun: null,
    sinceMs: 500,
    doublings: 0,
    openedAtMs: null,
  }
  const closed = yard({ gates: new Map([['claude', gate]]) })
  const probe = (task: number, tempfails: number, over: Partial<Candidate> = {}) => ({
    candidate: candidate(task, { lane: 'claude', account: 'claude', ...over }),
    tempfails,
  })

  test('the task that met a limit least often; the closer only where there is no other', () => {
    expect(chooseProbe(closed, [probe(1, 0), probe(2, 3), probe(3, 1)], taskId(1))?.task).toBe(3)
    expect(chooseProbe(closed, [probe(1, 0)], taskId(1))?.task).toBe(1)
    expect(chooseProbe(closed, [probe(4, 1), probe(5, 1, { rank: -1 })], null)?.task).toBe(5)
  })

  test('nobody before its time, while another tries, or while a person holds it', () => {
    const early = yard({ nowMs: 899, gates: new Map([['claude', gate]]) })
    const trying = yard({ gates: new Map([['claude', { ...gate, probeRun: 5 as never }]]) })
    const parked = yard({ gates: new Map([['claude', { ...gate, untilMs: null, parkedBy: 'x' }]]) })
    for (const state of [early, trying, parked]) expect(chooseProbe(state, [probe(1, 0)], null)).toBeUndefined()
    expect(plan(closed, [line(0, candidate(1, { lane: 'claude', account: 'claude' }))])).toEqual([])
  })

  test('it needs a slot like everybody else', () => {
    expect(chooseProbe(yard({ slots: 0, gates: closed.gates }), [probe(1, 0)], null)).toBeUndefined()
  })
})
