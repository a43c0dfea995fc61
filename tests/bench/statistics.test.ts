import { describe, expect, test } from 'vitest'
import { isReached } from '../../bench/figure.ts'
import { readParallelLog } from '../../bench/peers/run-peers.ts'
import { formatJson, formatTable } from '../../bench/print.ts'
import { median, percentile } from '../../bench/statistics.ts'

describe('figures', () => {
  test('are values that were measured, not values between two', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 9, 5])).toBe(4)
    expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 99)).toBe(10)
    expect(percentile([7], 99)).toBe(7)
  })

  test('refuse to be made of nothing', () => {
    expect(() => median([])).toThrow('no values were measured')
  })

  test('reach a goal from the side it names', () => {
    expect([isReached({ atLeast: 0.2 }, 0.2), isReached({ atLeast: 0.2 }, 0.19)]).toEqual([true, false])
    expect([isReached({ atMost: 90 }, 90), isReached({ atMost: 90 }, 91)]).toEqual([true, false])
  })

  test('of GNU parallel go from the first start to the last end in its log', () => {
    const log = [
      'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand',
      '1\t:\t100.500\t0.250\t0\t0\t0\t0\t/bin/true',
      '2\t:\t100.250\t1.500\t0\t0\t0\t0\t/bin/true',
    ].join('\n')
    expect(readParallelLog(log)).toBe(1_500)
  })
})

describe('the answer of npm run bench', () => {
  const figure = { id: 'cycle_rate_vs_spawn', says: 'tasks a second', goal: { atLeast: 0.2 } } as const
  const measured = [{ figure, rounds: [0.123456, 0.3, 0.25] }]

  test('is one JSON object with the median and the rounds of each figure', () => {
    expect(JSON.parse(formatJson(measured))).toEqual({
      figures: { cycle_rate_vs_spawn: { median: 0.25, rounds: [0.1235, 0.3, 0.25] } },
    })
  })

  test('is a table with goal, verdict and conditions', () => {
    const table = formatTable(measured, { node: 'v20' })
    expect(table).toContain('| cycle_rate_vs_spawn | 0.25 | at least 0.2 | reached | 0.123 · 0.3 · 0.25 |')
    expect(table).toContain('Conditions: node v20')
  })
})
