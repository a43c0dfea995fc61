import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Fault } from './faults.ts'
import { judgeRound } from './judge-round.ts'
import { planRound, type RoundPlan } from './plan-round.ts'
import { playRound } from './play-round.ts'
import { findPowers } from './powers.ts'

const { powers } = findPowers()
const product = [process.execPath, resolve('dist-test/bin.cjs')]
const times = { faultsMs: 2_000, peaceMs: 300_000 }

function play(plan: RoundPlan) {
  const stop = new AbortController().signal
  return playRound({ product, stop, tell: () => {} }, { plan, times, keep: false })
}

describe('the fault suite, in short (all of it: npm run torture)', () => {
  // The same two rounds each time: what a new seed finds is for whoever looks into it, not for whoever changes something else.
  const rounds = [0, 1].map((index) => planRound({ seed: 1, index, tasks: 40, slots: 2, powers }))

  test.each(rounds.map((plan) => [plan.seed, plan.index, plan.world, plan] as const))(
    'loses nothing, does nothing twice and signals no stranger: --seed %i --round %i, %s',
    async (_seed, _index, _world, plan) => {
      const played = await play(plan)
      expect(judgeRound(played)).toEqual([])
      expect(played.books?.tasks).toHaveLength(42)
    },
    600_000,
  )
})

const quiet = { arms: [], lastArm: null, strangers: 0 }

test('C44: a stop that is cut by a hard kill at a random moment leaves every task where it goes on', async () => {
  const trials = 4
  const plan = planRound({ seed: randomInt(2 ** 31), index: 0, tasks: 60, slots: 2, powers, world: 'plain' })
  const faults = plan.faults.flatMap(({ fault }): { afterMs: number; fault: Fault }[] =>
    fault.kind === 'term_then_kill' ? [{ afterMs: 50, fault }] : [],
  )
  const played = await play({ ...plan, ...quiet, faults: faults.slice(0, trials) })
  expect(judgeRound(played), `--seed ${plan.seed}`).toEqual([])
}, 600_000)

test('C33: after 200 short tasks in a row the hub has collected its children: never more than 1 of them defunct', async () => {
  const plan = planRound({ seed: 1, index: 0, tasks: 200, slots: 1, powers, world: 'plain' })
  const tiny = plan.groups.map((group) =>
    group.map((task) => ({ ...task, row: task.row.split('-')[0] ?? '', kind: 'ok' as const })),
  )
  const played = await play({ ...plan, ...quiet, groups: tiny, faults: [] })
  expect(judgeRound(played)).toEqual([])
  expect(played.ledger.defunctMost).toBeLessThanOrEqual(1)
}, 600_000)
