import { describe, expect, test } from 'vitest'
import { type CrashPoint, crashPoints } from '../../../src/kernel/index.ts'
import { type BatchUnderFire, layOut } from './batch-under-fire.ts'
import { crashPlans } from './crash-plans.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'

/** Rounds for each point; `npm run torture` asks for more. */
const times = Number(process.env.YARDMASTER_TORTURE_TIMES ?? 1)
const small = { work: 6, workMs: 40 }

test('every named crash point has a plan that reaches it', () => {
  expect(Object.keys(crashPlans).sort()).toEqual([...crashPoints].sort())
})

describe('a batch that is killed', () => {
  const rounds = crashPoints.flatMap((point) => Array.from({ length: times }, (_, round) => [point, round] as const))

  test.each(rounds)('at %s (round %i) loses nothing and repeats nothing that is done', killedAt, 60_000)
})

async function killedAt(point: CrashPoint, round: number): Promise<void> {
  const { before = [], hits, rare = [] } = crashPlans[point]
  const batch = layOut({ ...small, rare })
  try {
    for (const earlier of before) await dieAt(batch, earlier, 1)
    await dieAt(batch, point, 1 + (round % hits))
    await expectNothingLost(batch, { ...small, rare })
  } finally {
    await batch.close()
  }
}

async function dieAt(batch: BatchUnderFire, point: CrashPoint, hit: number): Promise<void> {
  const life = batch.start(`${point}:${hit}`)
  const ended = await life.ended
  expect(ended, `${point}:${hit} was never reached; it said: ${life.stderr()}`).toBe('SIGKILL')
}
