import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { crashPoints } from '../../../src/kernel/index.ts'
import { type BatchUnderFire, layOut } from './batch-under-fire.ts'
import { type BatchPoint, batchPoints, crashPlans, focusedTests } from './crash-plans.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'

const small = { work: 6, workMs: 40 }

test('every named crash point has a plan that reaches it, or a test of its own that names it', () => {
  expect([...Object.keys(crashPlans), ...Object.keys(focusedTests)].sort()).toEqual([...crashPoints].sort())
  for (const [point, file] of Object.entries(focusedTests)) expect(readFileSync(file, 'utf8'), file).toContain(point)
})

describe('a batch that is killed', () => {
  // Once each; `npm run torture` hits each many times, at other hits and among other faults.
  test.each(batchPoints)('at %s loses nothing and repeats nothing that is done', killedAt)
})

async function killedAt(point: BatchPoint): Promise<void> {
  const { before = [], rare = [] } = crashPlans[point]
  const batch = layOut({ ...small, rare })
  try {
    for (const earlier of before) await dieAt(batch, earlier, 1)
    await dieAt(batch, point, 1)
    await expectNothingLost(batch, { ...small, rare })
  } finally {
    await batch.close()
  }
}

async function dieAt(batch: BatchUnderFire, point: BatchPoint, hit: number): Promise<void> {
  const life = batch.start(`${point}:${hit}`)
  const ended = await life.ended
  expect(ended, `${point}:${hit} was never reached; it said: ${life.stderr()}`).toBe('SIGKILL')
}
