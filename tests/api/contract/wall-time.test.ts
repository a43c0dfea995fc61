import { describe, expect, test } from 'vitest'
import { parseWallTime } from '../../../src/api/contract/index.ts'

// Tests run in UTC (vitest.config.ts), so local time is UTC here.
const now = Date.parse('2026-11-29T18:00:00Z')
const iso = (text: string) => {
  const ms = parseWallTime(text, now)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('a wall time', () => {
  test.each([
    ['07:30', '2026-11-30T07:30:00.000Z'],
    ['18:00', '2026-11-30T18:00:00.000Z'],
    ['18:01', '2026-11-29T18:01:00.000Z'],
    ['2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01 06:00', '2026-12-01T06:00:00.000Z'],
    ['2026-12-01T06:00+02:00', '2026-12-01T04:00:00.000Z'],
  ])('%s in the evening of 29 November is %s', (text, expected) => {
    expect(iso(text)).toBe(expected)
  })

  test.each(['24:00', '7', 'tomorrow', '2026-02-31', '2026-13-01', '2026-12-01T25:00', ''])('%s is none', (text) => {
    expect(parseWallTime(text, now)).toBeUndefined()
  })
})
