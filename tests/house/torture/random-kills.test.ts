import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { layOut } from './batch-under-fire.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'

const kills = 20
const big = { work: 120, workMs: 250, rare: ['stubborn', 'walled'] } as const

test(`a batch killed ${kills} times with signal 9 at random moments loses nothing and repeats nothing that is done`, async () => {
  const batch = layOut(big)
  const moments: number[] = []
  try {
    while (moments.length < kills) {
      const afterMs = randomInt(20, 900)
      moments.push(afterMs)
      const life = batch.start()
      await Promise.race([life.ended, wait(afterMs)]) // a moment, not a condition: any moment must do
      life.process.kill('SIGKILL')
      expect(await life.ended, `ended by itself before kill ${moments.length}: ${life.stderr()}`).toBe('SIGKILL')
    }
    await expectNothingLost(batch, big)
  } catch (error) {
    throw new Error(`killed after ${moments.join(', ')} ms`, { cause: error })
  } finally {
    await batch.close()
  }
}, 120_000)
