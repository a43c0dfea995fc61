import { describe, expect, test } from 'vitest'
import type { BookedRun } from './books.ts'
import { findingKinds, judgeRound } from './judge-round.ts'
import { type Hit, openLedger } from './ledger.ts'
import { type PlannedTask, planRound } from './plan-round.ts'
import type { Played } from './play-round.ts'
import type { TaskKindName } from './task-kinds.ts'
import { parseTrace } from './traces.ts'

const base = planRound({ seed: 1, index: 0, tasks: 4, slots: 1, powers: ['always'] })

interface Told {
  readonly kind?: TaskKindName
  readonly status?: string
  readonly runs?: readonly Partial<BookedRun>[]
  readonly trace?: string
  readonly hits?: readonly Hit[]
  readonly played?: Partial<Played>
}

/** What is found in a round of one task that went as told. */
function find({
  kind = 'ok',
  status = 'done',
  runs = [{}],
  trace = '',
  hits = [],
  played = {},
}: Told): readonly string[] {
  const task: PlannedTask = { row: 'g0', n: 0, kind, code: 0, after: null }
  const ledger = { ...openLedger(), hits: [...hits] }
  const booked = runs.map((run, at) => ({
    id: at + 1,
    phase: 'settled',
    outcome: 'done',
    exitCode: 0,
    signal: null,
    reason: '',
    ...run,
  }))
  const ends = new Map(booked.map(({ id }) => [id, 1]))
  return judgeRound({
    plan: { ...base, groups: [[task]] },
    ledger,
    traces: new Map([['g0.0', parseTrace(trace)]]),
    books: { tasks: [{ key: 'g0[0]', status, why: '', runs: booked }], exits: ends, settlements: ends },
    strangers: [],
    leftovers: { processes: [], ports: [], files: [] },
    broken: null,
    tookMs: 0,
    folder: null,
    ...played,
  }).map(({ kind: found }) => found)
}

const begin = (run: number, atS = 1) => `begin R${run} 10 100 ${atS}\n`
const end = (run: number, code = 0, atS = 2) => `end R${run} ${code} ${atS}\n`
const killed = { outcome: 'killed', exitCode: null, signal: 'SIGKILL' }
const unknown = { outcome: 'unknown', exitCode: null }
const shim = (hub: Hit['hub']): Hit => ({ run: 1, role: 'shim', hub, atS: 1.5 })

describe('a round is sound', () => {
  const sound: readonly (readonly [string, Told])[] = [
    ['when it went as meant', { trace: begin(1) + end(1) }],
    [
      'when a task failed by the code that it left',
      { kind: 'code', status: 'failed', runs: [{ outcome: 'failed', exitCode: 64 }], trace: begin(1) + end(1, 64) },
    ],
    [
      'when a killed worker is told as killed and tried again',
      {
        kind: 'slow',
        runs: [killed, {}],
        trace: begin(1) + begin(2) + end(2),
        hits: [{ run: 1, role: 'worker', hub: 'none', atS: 1.5 }],
      },
    ],
    [
      'when nobody saw how a shim ended',
      { kind: 'slow', runs: [unknown, {}], trace: begin(1) + begin(2) + end(2), hits: [shim('none')] },
    ],
    [
      'when an attempt was taken and never begun',
      { kind: 'slow', runs: [{ outcome: 'interrupted', exitCode: null }, {}], trace: begin(2) + end(2) },
    ],
  ]
  test.each(sound)('%s', (_when, told) => {
    expect(find(told)).toEqual([])
  })
})

describe('the judge of a round finds', () => {
  const found: readonly (readonly [string, string, Told])[] = [
    ['a task that is done without having been done', 'lost', { trace: '' }],
    [
      'a task that never came to its end',
      'lost',
      { status: 'running', runs: [{ phase: 'started', outcome: null }], trace: begin(1) },
    ],
    [
      'a task that failed before its attempts were used up',
      'lost',
      {
        kind: 'slow',
        status: 'failed',
        runs: [killed],
        trace: begin(1),
        hits: [{ run: 1, role: 'worker', hub: 'none', atS: 1.5 }],
      },
    ],
    ['an attempt that began while another lived', 'doubled', { trace: `${begin(1)}overlap R1 R0 77\n${end(1)}` }],
    ['an attempt that was begun twice', 'doubled', { trace: begin(1) + begin(1) + end(1) }],
    ['an attempt after the task was done', 'doubled', { trace: begin(1) + end(1) + begin(2) }],
    [
      'an end that was told twice',
      'doubled',
      {
        trace: begin(1) + end(1),
        played: {
          books: {
            tasks: [
              {
                key: 'g0[0]',
                status: 'done',
                why: '',
                runs: [{ id: 1, phase: 'settled', outcome: 'done', exitCode: 0, signal: null, reason: '' }],
              },
            ],
            exits: new Map([[1, 2]]),
            settlements: new Map(),
          },
        },
      },
    ],
    [
      'another code than the worker left',
      'wrong_code',
      { kind: 'code', status: 'failed', runs: [{ outcome: 'failed', exitCode: 2 }], trace: begin(1) + end(1, 3) },
    ],
    ['a kill that nobody did', 'wrong_code', { kind: 'slow', runs: [killed, {}], trace: begin(1) + begin(2) + end(2) }],
    [
      '"never begun" of an attempt that had begun',
      'wrong_code',
      { kind: 'slow', runs: [{ outcome: 'interrupted', exitCode: null }, {}], trace: begin(1) + begin(2) + end(2) },
    ],
    [
      'an end that is said to be unknown while the hub was there to see it',
      'unknown_unexplained',
      { kind: 'slow', runs: [unknown, {}], trace: begin(1) + begin(2) + end(2), hits: [shim('parent')] },
    ],
    [
      'a second TERM',
      'second_term',
      {
        kind: 'stubborn',
        status: 'failed',
        runs: [{ outcome: 'timed_out', exitCode: null }],
        trace: `${begin(1)}term R1 1.2\nterm R1 1.3\n`,
      },
    ],
    [
      'a signal to what a task keeps',
      'kept_signalled',
      { kind: 'keeper', trace: `${begin(1)}kept R1 20 200\nkept_signal R1 TERM\n${end(1)}` },
    ],
    [
      'a signal to a stranger',
      'stranger_signalled',
      { trace: begin(1) + end(1), played: { strangers: [{ name: 's', heard: ['TERM'] }] } },
    ],
    [
      'children that were not collected',
      'defunct',
      { trace: begin(1) + end(1), played: { ledger: { ...openLedger(), defunctAtEnd: 3 } } },
    ],
    [
      'what is left over',
      'leaked_process',
      { trace: begin(1) + end(1), played: { leftovers: { processes: ['worker 5'], ports: [], files: [] } } },
    ],
  ]
  test.each(found)('%s', (_what, kind, told) => {
    expect(find(told)).toContain(kind)
    expect(findingKinds).toContain(kind)
  })

  test('a task behind a gate that began too early', () => {
    const task = (row: string, after: number | null): PlannedTask => ({ row, n: 0, kind: 'ok', code: 0, after })
    const traces = new Map([
      ['a.0', parseTrace(begin(1, 1) + end(1, 0, 5))],
      ['b.0', parseTrace(begin(2, 4) + end(2, 0, 6))],
    ])
    const groups = [[task('a', null)], [task('b', 0)]]
    expect(find({ played: { plan: { ...base, groups }, traces } })).toContain('out_of_order')
  })
})
