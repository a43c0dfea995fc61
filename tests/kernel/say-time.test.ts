import { expect, test } from 'vitest'
import { describeDuration, sayClock, sayClockAndWait, sayWait } from '../../src/kernel/index.ts'

const at = (day: number, hour: number, minute = 0, year = 2026) => new Date(year, 10, day, hour, minute).getTime()
const nowMs = at(29, 14)

test('a clock names the day only where it is another one, and the year only where that is another one', () => {
  expect(sayClock(at(29, 16, 5), nowMs)).toBe('16:05')
  expect(sayClock(at(28, 16, 5), nowMs)).toBe('28 Nov 16:05')
  expect(sayClock(at(28, 16, 5, 2025), nowMs)).toBe('28 Nov 2025 16:05')
  expect(sayClockAndWait(at(29, 14, 38), nowMs)).toBe('14:38, in 38 min')
  expect(sayClockAndWait(at(29, 13), nowMs)).toBe('13:00')
})

test.each([
  [0, '1 s', '0s'],
  [320, '1 s', '0.3s'],
  [2_000, '2 s', '2s'],
  [9_940, '10 s', '9.9s'],
  [9_950, '10 s', '10s'],
  [41_000, '41 s', '41s'],
  [545_000, '10 min', '9m 5s'],
  [2_280_000, '38 min', '38m'],
  [5_280_000, '1 h 28 min', '1h 28m'],
  [259_200_000, '3 d', '3d'],
])('%d ms are %s to wait, rounded up, and %s that something took', (ms, wait, took) => {
  expect([sayWait(ms), describeDuration(ms)]).toEqual([wait, took])
})
