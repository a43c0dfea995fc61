import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Gate } from '../../src/board/gate.ts'
import { type AccountEvidence, gateNumbers, isClosed, planGate, sayGateAct } from '../../src/dispatcher/gates.ts'
import { runId, taskId } from '../../src/kernel/index.ts'

const nowMs = Date.parse('2026-11-29T12:00:00Z')
const evenly = { fraction: () => 0.5, hex: () => '' }

const gate = (fields: Partial<Gate>): Gate => ({
  account: 'openai',
  epoch: 1,
  untilMs: null,
  probeRun: null,
  parkedBy: null,
  reason: null,
  closedByRun: null,
  sinceMs: null,
  doublings: 0,
  openedAtMs: null,
  ...fields,
})
const evidence = (fields: Partial<AccountEvidence>): AccountEvidence => ({
  run: runId(7),
  task: taskId(7),
  startedAtMs: nowMs - 5_000,
  probe: false,
  kind: 'wall',
  says: 'rate limit',
  retryAt: null,
  needsHuman: null,
  served: false,
  ...fields,
})
const plan = (
  fields: Partial<AccountEvidence>,
  given: { gate?: Gate | null; bare?: readonly { task: number; agoMs: number }[] } = {},
) =>
  planGate(
    { random: evenly },
    {
      gate: given.gate ?? null,
      evidence: evidence(fields),
      bare: (given.bare ?? []).map(({ task, agoMs }) => ({ task: taskId(task), atMs: nowMs - agoMs })),
      nowMs,
    },
  )

describe('closing', () => {
  test('a limit in a report closes the account for a minute', () => {
    expect(plan({})).toEqual({ do: 'close', untilMs: nowMs + 60_000, doublings: 0, reason: 'rate limit' })
  })

  test('the time the provider gives is taken, at most 24 hours of it; a past one is none', () => {
    expect(plan({ retryAt: '2026-11-29T14:00:00Z' })).toMatchObject({ untilMs: Date.parse('2026-11-29T14:00:00Z') })
    expect(plan({ retryAt: '2026-12-09T00:00:00Z' })).toMatchObject({ untilMs: nowMs + gateNumbers.longestHintMs })
    expect(plan({ retryAt: '2026-11-29T11:00:00Z' })).toMatchObject({ untilMs: nowMs + 60_000 })
    expect(plan({ retryAt: 'soon' })).toMatchObject({ untilMs: nowMs + 60_000 })
  })

  test('a lone 75 without a reason says nothing about the account; a second of another task within a minute does', () => {
    expect(plan({ kind: 'bare' })).toBeUndefined()
    expect(plan({ kind: 'bare' }, { bare: [{ task: 7, agoMs: 1_000 }] })).toBeUndefined()
    expect(plan({ kind: 'bare' }, { bare: [{ task: 8, agoMs: 61_000 }] })).toBeUndefined()
    expect(plan({ kind: 'bare' }, { bare: [{ task: 8, agoMs: 59_000 }] })).toMatchObject({ do: 'close' })
  })

  test('an attempt that was started before the last opening tells old news and closes nothing', () => {
    expect(plan({ startedAtMs: nowMs - 5_000 }, { gate: gate({ openedAtMs: nowMs - 4_000 }) })).toBeUndefined()
    expect(plan({ startedAtMs: nowMs - 3_000 }, { gate: gate({ openedAtMs: nowMs - 4_000 }) })).toMatchObject({
      do: 'close',
    })
  })

  test('after the clock was set back an opening that lies ahead keeps no limit from being believed', () => {
    expect(plan({}, { gate: gate({ openedAtMs: nowMs + 3_600_000 }) })).toMatchObject({ do: 'close' })
  })

  test('attempts that meet the same limit together do not double the wait', () => {
    expect(plan({}, { gate: gate({ untilMs: nowMs + 50_000, sinceMs: nowMs - 10 }) })).toBeUndefined()
    const later = plan({ retryAt: '2026-11-29T14:00:00Z' }, { gate: gate({ untilMs: nowMs + 50_000 }) })
    expect(later).toMatchObject({ do: 'close', untilMs: Date.parse('2026-11-29T14:00:00Z'), doublings: 0 })
  })

  test('an ordinary end leaves an open account open', () => {
    expect(plan({ kind: 'none' })).toBeUndefined()
    expect(plan({ kind: 'cut' })).toBeUndefined()
  })
})

describe('the probe', () => {
  /** The board cleared `probeRun` with the probe's end; the account stays held until its end has spoken. */
  const planProbe = (fields: Partial<AccountEvidence>, doublings: number) =>
    plan({ probe: true, ...fields }, { gate: gate({ untilMs: nowMs - 1, sinceMs: nowMs - 99, doublings }) })

  test('doubles the wait each time it meets the limit again, up to 15 minutes', () => {
    const waits = [0, 1, 2, 3, 4, 9].map((doublings) => {
      const act = planProbe({}, doublings)
      return act?.do === 'close' ? (act.untilMs - nowMs) / 60_000 : Number.NaN
    })
    expect(waits).toEqual([2, 4, 8, 15, 15, 15])
  })

  test('opens the account when it ends in any other way, or after a served call', () => {
    expect(planProbe({ kind: 'none' }, 2)).toMatchObject({ do: 'open' })
    expect(planProbe({ kind: 'none', served: true }, 2)).toEqual({
      do: 'open',
      reason: 'a call was served',
    })
  })

  test('a limit met after a served call is a new one and waits from the start', () => {
    expect(planProbe({ served: true }, 3)).toMatchObject({
      do: 'close',
      doublings: 0,
      untilMs: nowMs + 60_000,
    })
  })

  test('one that was cut tells nothing, so the wait stands as it is: passed, and not doubled', () => {
    expect(planProbe({ kind: 'cut' }, 3)).toBeUndefined()
  })

  test('the end of another attempt does not speak for it', () => {
    const other = gate({ probeRun: runId(99), untilMs: nowMs - 1 })
    expect(plan({ kind: 'none', served: true }, { gate: other })).toBeUndefined()
  })
})

describe('money and access', () => {
  test('park the account until a person acts, and no end of an attempt opens it again', () => {
    expect(plan({ needsHuman: 'money', says: 'no credit' })).toEqual({ do: 'park', reason: 'money: no credit' })
    const parked = gate({ parkedBy: 'dispatcher' })
    expect(plan({ kind: 'none', served: true }, { gate: parked })).toBeUndefined()
    expect(plan({}, { gate: parked })).toBeUndefined()
    expect(isClosed(parked)).toBe(true)
  })

  test('an attempt from before a person resumed it does not park it again', () => {
    expect(plan({ needsHuman: 'access' }, { gate: gate({ openedAtMs: nowMs - 1_000 }) })).toBeUndefined()
  })
})

test('what is done to an account is said in words for people', () => {
  expect(
    sayGateAct('openai', { do: 'close', untilMs: nowMs + 120_000, doublings: 1, reason: 'rate limit' }, nowMs),
  ).toBe('limit of account openai, for 2m: rate limit')
})

test('however attempts end, a wait never passes 24 hours, and 15 minutes without a hint', () => {
  const anyEvidence = fc.record({
    kind: fc.constantFrom('wall', 'bare', 'none', 'cut'),
    served: fc.boolean(),
    retryAt: fc.option(
      fc.integer({ min: -1e8, max: 1e9 }).map((ms) => new Date(nowMs + ms).toISOString()),
      { nil: null },
    ),
    probe: fc.boolean(),
    startedAtMs: fc.integer({ min: nowMs - 10_000, max: nowMs }),
  })
  const anyGate = fc.record({
    untilMs: fc.option(fc.integer({ min: nowMs - 1_000, max: nowMs + 1_000 }), { nil: null }),
    probeRun: fc.constantFrom(null, runId(7), runId(8)),
    doublings: fc.nat(60),
    openedAtMs: fc.option(fc.integer({ min: nowMs - 10_000, max: nowMs }), { nil: null }),
  })
  fc.assert(
    fc.property(anyEvidence, anyGate, fc.double({ min: 0, max: 1, noNaN: true }), (fields, state, chance) => {
      const random = { fraction: () => Math.min(chance, 0.999_999), hex: () => '' }
      const act = planGate({ random }, { gate: gate(state), evidence: evidence(fields), bare: [], nowMs })
      if (act?.do !== 'close') return
      expect(act.untilMs).toBeGreaterThanOrEqual(nowMs)
      expect(act.untilMs - nowMs).toBeLessThanOrEqual(fields.retryAt === null ? 900_000 * 1.1 : 86_400_000)
      if (state.openedAtMs !== null) expect(fields.startedAtMs).toBeGreaterThan(state.openedAtMs)
    }),
    { numRuns: 2_000 },
  )
})
