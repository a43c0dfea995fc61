import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stepClockFrom, systemClock } from '../../src/kernel/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-clock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hourMs = 3_600_000

test('in a test build the wall clock steps with the file, and the monotonic clock does not', () => {
  const file = join(folder, 'offset')
  const off = () => Math.round((systemClock.nowMs() - Date.now()) / 1_000) * 1_000 + 0 // no -0
  stepClockFrom(file)
  expect(off()).toBe(0)

  const before = systemClock.monotonicMs()
  writeFileSync(file, String(8 * hourMs))
  expect(off()).toBe(8 * hourMs)
  expect(systemClock.monotonicMs() - before).toBeLessThan(hourMs)

  writeFileSync(file, 'no number')
  expect(off()).toBe(0)
  writeFileSync(file, String(-8 * hourMs))
  expect(off()).toBe(-8 * hourMs)
})
