import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Outcome, outcomes } from '../../src/board/outcome.ts'
import type { EndTally } from '../../src/board/run-steps.ts'
import { builtInRetryWaits, type NextInput, planNext, type RecordedEnd } from '../../src/dispatcher/plan-next.ts'
import { planReviewNext, tallyOf } from '../../src/dispatcher/review/plan-review-next.ts'
import { runId } from '../../src/kernel/index.ts'
import { exitRule } from './start-yard.ts'

const nowMs = 1_800_000_000_000
const hourMs = 3_600_000
const evenly = { fraction: () => 0.5, hex: () => '' }

const end = (fields: Partial<RecordedEnd>): RecordedEnd => ({
  run: runId(100),
  outcome: 'failed',
  exitCode: null,
  signal: null,
  reason: 'as it ended',
  tail: null,
  started: true,
  launchFault: null,
  stop: null,
  call: null,
  report: null,
  ...fields,
})
const past = (outcome: Outcome, agoMs = hourMs, countsToCap = true): EndTally['ends'][number] => ({
  run: runId(1),
  outcome,
  atMs: nowMs - agoMs,
  exitCode: null,
  countsToCap,
})
const times = (count: number, outcome: Outcome, agoMs = hourMs) =>
  Array.from({ length: count }, () => past(outcome, agoMs))
const command = {
  kind: 'run',
  evidence: 'code',
  exits: [],
  sysexits: false,
  account: null,
  review: 'none',
} as const
const input = (
  given: Partial<Omit<NextInput, 'settings'>> & { settings?: Partial<NextInput['settings']> },
): NextInput => ({
  end: end({}),
  tally: { failures: 0, ends: [] },
  account: null,
  waits: builtInRetryWaits,
  nowMs,
  ...given,
  settings: { ...command, attempts: 2, rerun: 'auto', ...given.settings },
})
const plan = (given: Parameters<typeof input>[0]) => planNext({ random: evenly }, input(given))

describe('the table, row by row', () => {
  const open = { closed: false, servedOthers: false }
  const rows: readonly [string, Parameters<typeof input>[0], object][] = [
    [
      'blocked by its own call: its question as it asked it, with its code',
      {
        end: end({ outcome: 'blocked', call: { kind: 'block', code: 'needs_input', text: 'Redis?' } }),
      },
      { move: { to: 'blocked', code: 'needs_input', text: 'Redis?' }, failures: 0 },
    ],
    [
      'blocked by its report, because the board could not be reached: asks all the same',
      { end: end({ outcome: 'blocked', reason: 'Redis?' }) },
      { move: { to: 'blocked', code: 'needs_input', text: 'Redis?' }, failures: 0 },
    ],
    [
      'review by its own call: waits for a verdict',
      { end: end({ outcome: 'review', call: { kind: 'review', code: null, text: 'look at auth.ts' } }) },
      { move: { to: 'review', text: 'look at auth.ts' }, failures: 0 },
    ],
    [
      'C102: the hub that it found has another store: counted once, and a person is told',
      {
        end: end({ report: { status: 'failed', needsHuman: null, reason: 'wrong_store' } }),
        settings: { attempts: 9 },
      },
      { move: { to: 'blocked', code: 'failed', text: 'as it ended' }, failures: 1 },
    ],
    [
      'waits for another task: back behind it, nothing counted',
      { end: end({ outcome: 'blocked', call: { kind: 'wait', code: null, text: '' } }) },
      { move: { to: 'back', notBeforeMs: null }, failures: 0, countsToCap: true },
    ],
    [
      'waits for the tenth time since a person or a done: asks',
      {
        end: end({ outcome: 'blocked', call: { kind: 'wait', code: null, text: '' } }),
        tally: { failures: 0, ends: times(9, 'blocked') },
      },
      { move: { to: 'blocked', code: 'blocked' } },
    ],
    ['done', { end: end({ outcome: 'done' }) }, { move: { to: 'done' }, failures: 0 }],
    ['failed: counted, back after a wait', {}, { move: { to: 'back', notBeforeMs: nowMs + 10_000 }, failures: 1 }],
    [
      'failed at the last attempt',
      { tally: { failures: 1, ends: [past('failed')] } },
      { move: { to: 'failed', code: 'failed', text: 'failed 2 of 2 times. Last: as it ended' }, failures: 1 },
    ],
    [
      'failed with one attempt',
      { settings: { attempts: 1 } },
      { move: { to: 'failed', text: 'as it ended' }, failures: 1 },
    ],
    ...(['timed_out', 'stalled', 'killed', 'oom', 'check_failed'] as const).map(
      (outcome): [string, Parameters<typeof input>[0], object] => [
        `${outcome}: counted, back`,
        { end: end({ outcome }) },
        { move: { to: 'back', notBeforeMs: nowMs + 10_000, code: outcome }, failures: 1 },
      ],
    ),
    [
      'C48 incomplete: back once, not counted',
      { end: end({ outcome: 'incomplete' }) },
      { move: { to: 'back', notBeforeMs: nowMs + 10_000 }, failures: 0 },
    ],
    [
      'C55 incomplete: the second in a row is failed',
      { end: end({ outcome: 'incomplete' }), tally: { failures: 0, ends: [past('incomplete')] } },
      { move: { to: 'failed', code: 'incomplete' }, failures: 0 },
    ],
    [
      'tempfail of a plain command: back after a wait, not counted',
      { end: end({ outcome: 'tempfail', exitCode: 75 }) },
      { move: { to: 'back', notBeforeMs: nowMs + 10_000 }, failures: 0, countsToCap: true },
    ],
    [
      'tempfail behind a closed gate: the gate is the hold, and nothing is counted',
      { end: end({ outcome: 'tempfail' }), account: { closed: true, servedOthers: false } },
      { move: { to: 'back', notBeforeMs: null }, failures: 0, countsToCap: false },
    ],
    [
      'C47 tempfail with a wall, gate open again: back at once',
      { end: end({ outcome: 'tempfail', report: { status: 'wall', needsHuman: null } }), account: open },
      { move: { to: 'back', notBeforeMs: null }, failures: 0 },
    ],
    [
      'a lone bare 75 of an account: holds its own task',
      { end: end({ outcome: 'tempfail', exitCode: 75 }), account: open },
      { move: { to: 'back', notBeforeMs: nowMs + 10_000 }, failures: 0, countsToCap: false },
    ],
    [
      'a 75 while the account served others counts to the cap',
      { end: end({ outcome: 'tempfail', exitCode: 75 }), account: { closed: false, servedOthers: true } },
      { countsToCap: true, failures: 0 },
    ],
    [
      'needs money, with an account: back, the account is parked',
      {
        end: end({ outcome: 'tempfail', report: { status: 'failed', needsHuman: 'money' } }),
        account: { closed: true, servedOthers: false },
      },
      { move: { to: 'back', notBeforeMs: null }, failures: 0, countsToCap: false },
    ],
    [
      'needs access, without an account: waits for a person',
      { end: end({ outcome: 'tempfail', report: { status: 'failed', needsHuman: 'access' } }) },
      { move: { to: 'blocked', code: 'needs_access' }, failures: 0 },
    ],
    [
      'sysexits 64: waits for a person, counted',
      { end: end({ exitCode: 64 }), settings: { sysexits: true } },
      { move: { to: 'blocked', code: 'failed', text: 'as it ended' }, failures: 1 },
    ],
    ['64 in a lane without sysexits', { end: end({ exitCode: 64 }) }, { move: { to: 'back' }, failures: 1 }],
    [
      'launch_failed by the task: waits for a person',
      { end: end({ outcome: 'launch_failed', launchFault: 'task' }) },
      { move: { to: 'blocked', code: 'launch_failed' }, failures: 0 },
    ],
    [
      'launch_failed because the machine was short of something: back, however often',
      {
        end: end({ outcome: 'launch_failed', launchFault: 'short' }),
        tally: { failures: 0, ends: times(9, 'launch_failed') },
      },
      { move: { to: 'back', code: 'launch_failed' }, failures: 0, countsToCap: false },
    ],
    [
      'launch_failed by the lane or machine: back',
      { end: end({ outcome: 'launch_failed', launchFault: 'other' }) },
      { move: { to: 'back', notBeforeMs: nowMs + 10_000 }, failures: 0, countsToCap: true },
    ],
    [
      'interrupted, rerun auto: back at once',
      { end: end({ outcome: 'interrupted', signal: 'SIGTERM' }) },
      { move: { to: 'back', notBeforeMs: null }, failures: 0 },
    ],
    [
      'interrupted, rerun ask: waits for a person',
      { end: end({ outcome: 'interrupted', signal: 'SIGTERM' }), settings: { rerun: 'ask' } },
      { move: { to: 'blocked', code: 'interrupted' }, failures: 0 },
    ],
    [
      'what never got its go is back even with rerun ask, outside the cap',
      {
        end: end({ outcome: 'interrupted', started: false }),
        settings: { rerun: 'ask' },
        tally: { failures: 0, ends: times(9, 'interrupted') },
      },
      { move: { to: 'back', notBeforeMs: null }, failures: 0, countsToCap: false },
    ],
    [
      'cut by our own shutdown: outside the cap',
      {
        end: end({ outcome: 'interrupted', signal: 'SIGTERM', stop: { kind: 'shutdown', by: 'dispatcher', text: '' } }),
        tally: { failures: 0, ends: times(9, 'interrupted') },
      },
      { move: { to: 'back', notBeforeMs: null }, failures: 0, countsToCap: false },
    ],
    ['lost: back', { end: end({ outcome: 'lost' }) }, { move: { to: 'back', notBeforeMs: null }, failures: 0 }],
    [
      'lost, rerun ask',
      { end: end({ outcome: 'lost' }), settings: { rerun: 'ask' } },
      { move: { to: 'blocked', code: 'lost' } },
    ],
    ['unknown: back', { end: end({ outcome: 'unknown' }) }, { move: { to: 'back' }, failures: 0 }],
    [
      'check_error: back',
      { end: end({ outcome: 'check_error' }) },
      { move: { to: 'back', notBeforeMs: null }, failures: 0 },
    ],
    [
      'stopped: waits for a person',
      { end: end({ outcome: 'stopped' }) },
      { move: { to: 'blocked', code: 'stopped', text: 'as it ended' }, failures: 0 },
    ],
    ['cancelled', { end: end({ outcome: 'cancelled' }) }, { move: { to: 'cancelled' }, failures: 0 }],
  ]
  test.each(rows)('%s', (_, given, expected) => expect(plan(given)).toMatchObject(expected))
})

describe('caps', () => {
  const caps: readonly [Outcome, number, Parameters<typeof input>[0]][] = [
    ['interrupted', 5, { end: end({ outcome: 'interrupted', signal: 'SIGTERM' }) }],
    ['lost', 5, { end: end({ outcome: 'lost' }) }],
    ['unknown', 2, { end: end({ outcome: 'unknown' }) }],
    ['launch_failed', 2, { end: end({ outcome: 'launch_failed', launchFault: 'other' }) }],
    ['check_error', 2, { end: end({ outcome: 'check_error' }) }],
    ['tempfail', 5, { end: end({ outcome: 'tempfail', exitCode: 75 }) }],
    [
      'tempfail',
      50,
      { end: end({ outcome: 'tempfail', exitCode: 75 }), account: { closed: false, servedOthers: true } },
    ],
    ['tempfail', 50, { end: end({ outcome: 'tempfail', exitCode: 75 }), settings: { kind: 'prompt' } }],
  ]
  test.each(caps)('%s %i times: waits for a person, and is never failed', (outcome, cap, given) => {
    expect(plan({ ...given, tally: { failures: 0, ends: times(cap - 2, outcome) } }).move.to).toBe('back')
    const planned = plan({ ...given, tally: { failures: 0, ends: times(cap - 1, outcome) } })
    expect(planned.move).toMatchObject({ to: 'blocked', code: outcome })
    expect(planned.move.to === 'blocked' && planned.move.text).toContain(`${cap} attempts ended this way`)
  })

  test('a tempfail of more than 24 hours ago is forgotten', () => {
    const ends = times(9, 'tempfail', 25 * hourMs)
    expect(plan({ end: end({ outcome: 'tempfail', exitCode: 75 }), tally: { failures: 0, ends } }).move.to).toBe('back')
  })

  test('a limit of the account never fills the cap, however often it is met', () => {
    const ends = Array.from({ length: 200 }, () => past('tempfail', hourMs, false))
    const account = { closed: true, servedOthers: false }
    expect(plan({ end: end({ outcome: 'tempfail' }), account, tally: { failures: 0, ends } }).move.to).toBe('back')
  })

  test('three deaths by signal within 72 hours are a crash loop, whatever attempts says', () => {
    const crash = { end: end({ outcome: 'killed', signal: 'SIGSEGV' }), settings: { attempts: 100 } }
    expect(plan({ ...crash, tally: { failures: 1, ends: times(1, 'killed') } }).move.to).toBe('back')
    expect(plan({ ...crash, tally: { failures: 2, ends: times(2, 'killed') } }).move).toMatchObject({
      to: 'failed',
      code: 'crash_loop',
    })
    expect(plan({ ...crash, tally: { failures: 2, ends: times(2, 'killed', 73 * hourMs) } }).move.to).toBe('back')
  })

  test('a limit, a reboot or an outside end between two incomplete attempts does not break their streak; a failure does', () => {
    const incomplete = end({ outcome: 'incomplete' })
    for (const between of ['tempfail', 'lost', 'interrupted', 'unknown'] as const) {
      const ends = [past(between), past(between), past('incomplete')]
      expect(plan({ end: incomplete, tally: { failures: 0, ends } }).move.to).toBe('failed')
    }
    const ends = [past('failed'), past('incomplete')]
    expect(plan({ end: incomplete, tally: { failures: 1, ends } }).move.to).toBe('back')
  })

  test('an end that the tally already knows is not counted twice', () => {
    const ends = [{ ...past('unknown', 0), run: runId(100) }]
    expect(plan({ end: end({ outcome: 'unknown' }), tally: { failures: 0, ends } }).move.to).toBe('back')
  })
})

describe('waits', () => {
  const waitAfter = (failures: number) => {
    const { move } = plan({ tally: { failures, ends: [] }, settings: { attempts: 100 } })
    return move.to === 'back' ? (move.notBeforeMs ?? 0) - nowMs : Number.NaN
  }
  test('retries wait 10 s, 20 s, 40 s and so on, at most 10 min', () => {
    expect([0, 1, 2, 3, 6, 50].map(waitAfter)).toEqual([10_000, 20_000, 40_000, 80_000, 600_000, 600_000])
  })

  test('a lone 75 doubles its own wait', () => {
    const tempfail = end({ outcome: 'tempfail', exitCode: 75 })
    const { move } = plan({ end: tempfail, tally: { failures: 0, ends: times(2, 'tempfail') } })
    expect(move).toMatchObject({ to: 'back', notBeforeMs: nowMs + 40_000 })
  })
})

describe('rules of a lane or task', () => {
  const exits = [
    exitRule('block', { code: [2], why: 'bad input' }),
    exitRule('fail', { code: [3] }),
    exitRule('retry', { code: [75] }),
    exitRule('wall', { output: 'quota exceeded' }),
    exitRule('later', { code: [9] }),
  ]
  const ended = (fields: Partial<RecordedEnd>) =>
    plan({ end: end(fields), settings: { exits, sysexits: true, attempts: 9 } })

  test('block waits for a person, fail fails at once, retry counts, later and wall do not', () => {
    expect(ended({ exitCode: 2 })).toMatchObject({ move: { to: 'blocked' }, failures: 1 })
    expect(ended({ exitCode: 3 })).toMatchObject({ move: { to: 'failed' }, failures: 1 })
    expect(ended({ exitCode: 75 })).toMatchObject({ move: { to: 'back' }, failures: 1 })
    expect(ended({ exitCode: 9, outcome: 'tempfail' })).toMatchObject({ move: { to: 'back' }, failures: 0 })
    expect(ended({ exitCode: 1, outcome: 'tempfail', tail: 'quota exceeded' })).toMatchObject({
      move: { to: 'back' },
      failures: 0,
    })
  })

  test('a rule says nothing about an end that we made ourselves', () => {
    const stop = { kind: 'timeout', by: 'dispatcher', text: '' } as const
    expect(ended({ exitCode: 3, outcome: 'timed_out', stop })).toMatchObject({ move: { to: 'back' }, failures: 1 })
  })
})

test('whatever happened: nothing is failed for what says nothing about it, done stays done, and each plan has its reason', () => {
  const anyInput = fc
    .record({
      outcome: fc.constantFrom(...outcomes),
      exitCode: fc.option(fc.integer({ min: 0, max: 255 }), { nil: null }),
      started: fc.boolean(),
      failures: fc.nat(5),
      attempts: fc.integer({ min: 1, max: 5 }),
      rerun: fc.constantFrom('auto', 'ask'),
      ends: fc.array(
        fc.record({ outcome: fc.constantFrom(...outcomes), agoMs: fc.nat(100 * hourMs), countsToCap: fc.boolean() }),
        { maxLength: 12 },
      ),
      account: fc.option(fc.record({ closed: fc.boolean(), servedOthers: fc.boolean() }), { nil: null }),
      needsHuman: fc.constantFrom('money', 'access', null),
    })
    .map((made) => ({
      made,
      given: input({
        end: end({
          outcome: made.outcome,
          exitCode: made.exitCode,
          started: made.started,
          report: { status: 'failed', needsHuman: made.needsHuman },
        }),
        tally: {
          failures: made.failures,
          ends: made.ends.map(({ outcome, agoMs, countsToCap }) => past(outcome, agoMs, countsToCap)),
        },
        account: made.account,
        settings: { attempts: made.attempts, rerun: made.rerun },
      }),
    }))
  const neverFails: readonly Outcome[] = [
    'tempfail',
    'interrupted',
    'lost',
    'unknown',
    'launch_failed',
    'check_error',
    'stopped',
    'cancelled',
  ]
  fc.assert(
    fc.property(anyInput, ({ made, given }) => {
      const { move, failures } = planNext({ random: evenly }, given)
      if (made.outcome === 'done') expect(move.to).toBe('done')
      else expect(move.to).not.toBe('done')
      if (neverFails.includes(made.outcome)) expect([move.to, failures]).not.toContain('failed')
      if (neverFails.includes(made.outcome)) expect(failures).toBe(0)
      if (failures === 1 && made.failures + 1 >= made.attempts) expect(['failed', 'blocked']).toContain(move.to)
      if (move.to !== 'done') expect(move.text).not.toBe('')
    }),
    { numRuns: 3_000 },
  )
})

test('a review that failed for the last time is said to be one: the work has not failed', () => {
  const given = input({ tally: { failures: 1, ends: [past('failed')] } })

  expect(planReviewNext({ random: evenly }, given).move).toMatchObject({
    to: 'failed',
    text: 'no review came about: failed 2 of 2 times. Last: as it ended',
  })
})

test('ends of a reviewer count for the reviewer, and those of the author for the author', () => {
  const from = (claimedFrom: 'ready' | 'review', outcome: Outcome) => ({ ...past(outcome), from: claimedFrom })
  const ends = [from('review', 'tempfail'), from('ready', 'killed'), past('failed')]
  const tally: EndTally = { failures: 2, reviewFailures: 1, ends }
  const counted = (of: EndTally) => [of.failures, of.ends.map(({ outcome }) => outcome)]
  const author = { run: runId(1), commit: null }
  expect(counted(tallyOf(tally, { reviewOf: null }))).toEqual([2, ['killed', 'failed']])
  expect(counted(tallyOf(tally, { reviewOf: author }))).toEqual([1, ['tempfail']])
})
