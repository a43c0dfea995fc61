import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HubStart } from '../../src/board/index.ts'
import { countUncleanStops } from '../../src/main/unclean-stops.ts'

const minute = 60_000
const nowMs = 1_000 * minute

/** Starts at these minutes before now, newest first; `left` ones went in good order. */
type Row = readonly [minutesAgo: number, how: 'killed' | 'left']

const starts = (rows: readonly Row[]): HubStart[] =>
  rows.map(([minutesAgo, how], index) => ({
    instance: `i${index}`,
    machine: 'm',
    host: 'h',
    pid: 1,
    version: '1',
    startedBy: 'service',
    startedAtMs: nowMs - minutesAgo * minute,
    stoppedAtMs: how === 'left' ? nowMs - minutesAgo * minute + 1 : null,
  }))

describe('unclean stops before a start', () => {
  test.each<[string, readonly Row[], number]>([
    ['none on a new home', [], 0],
    [
      'three kills in a row',
      [
        [1, 'killed'],
        [2, 'killed'],
        [3, 'killed'],
      ],
      3,
    ],
    ['one kill after days of work: what counts is when it was found', [[5_000, 'killed']], 1],
    [
      'kills that are longer ago do not count',
      [
        [1, 'killed'],
        [20, 'killed'],
        [40, 'killed'],
      ],
      2,
    ],
    [
      'one that left in good order between kills does not hide them',
      [
        [1, 'killed'],
        [2, 'left'],
        [3, 'killed'],
        [4, 'killed'],
      ],
      3,
    ],
    [
      'none once the last one left in good order',
      [
        [1, 'left'],
        [2, 'killed'],
        [3, 'killed'],
        [4, 'killed'],
      ],
      0,
    ],
    [
      'starts in the future, of before the clock was set back, do not count',
      [
        [-480, 'killed'],
        [-481, 'killed'],
        [-482, 'killed'],
      ],
      1,
    ],
  ])('%s', (_, rows, count) => {
    expect(countUncleanStops(starts(rows), nowMs)).toBe(count)
  })

  test('are never more than the kills there were', () => {
    const row = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom('killed' as const, 'left' as const))
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const sorted = rows.toSorted(([a], [b]) => a - b)
        const kills = sorted.filter(([, how]) => how === 'killed').length
        const count = countUncleanStops(starts(sorted), nowMs)
        expect(count).toBeLessThanOrEqual(kills)
        expect(count > 0).toBe(sorted[0]?.[1] === 'killed')
      }),
    )
  })
})
