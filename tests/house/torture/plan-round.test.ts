import { describe, expect, test } from 'vitest'
import { batchPoints } from './crash-plans.ts'
import { faultWeights, type WorldKind } from './faults.ts'
import { planRound, type RoundInput } from './plan-round.ts'
import type { Power } from './powers.ts'
import { taskKindNames } from './task-kinds.ts'

const all: readonly Power[] = ['always', 'mount', 'namespace', 'inject', 'limit', 'death_signal']
const plan = (over: Partial<RoundInput> = {}) =>
  planRound({ seed: 7, index: 0, tasks: 400, slots: 2, powers: all, ...over })
const worlds = Object.keys(faultWeights) as readonly WorldKind[]

describe('the plan of a round', () => {
  test('is the same for the same seed and number, and another for another', () => {
    expect(plan()).toEqual(plan())
    expect(plan({ seed: 8 }).faults).not.toEqual(plan().faults)
    expect(plan({ index: 9 }).faults).not.toEqual(plan().faults)
  })

  test('brings every fault that its world knows', () => {
    for (const world of worlds) {
      const planned = new Set(plan({ world }).faults.map(({ fault }) => fault.kind))
      expect([...planned].sort()).toEqual(Object.keys(faultWeights[world]).sort())
    }
  })

  test('brings every kind of task, and every world in its turn', () => {
    const rounds = Array.from({ length: 9 }, (_, index) => plan({ index }))
    expect(new Set(rounds.map(({ world }) => world))).toEqual(new Set(worlds))
    const kinds = new Set(rounds.flatMap(({ groups }) => groups.flat().map(({ kind }) => kind)))
    expect([...kinds].sort()).toEqual([...taskKindNames].sort())
  })

  test('arms hubs with every crash point as rounds go by', () => {
    const armed = Array.from({ length: 9 }, (_, index) => plan({ index })).flatMap(({ arms, lastArm }) => [
      ...arms,
      lastArm,
    ])
    const points = new Set(armed.flatMap((arm) => (arm === null ? [] : [arm.split(':')[0]])))
    expect([...points].sort()).toEqual([...batchPoints].sort())
  })

  test('leaves out what this machine does not allow', () => {
    const rounds = Array.from({ length: 9 }, (_, index) => plan({ index, powers: ['always'] }))
    expect(new Set(rounds.map(({ world }) => world))).toEqual(new Set(['plain', 'run']))
    const faults = new Set(rounds.flatMap((round) => round.faults.map(({ fault }) => fault.kind)))
    for (const kind of ['io_error', 'few_files', 'fill_disk', 'reuse_pids', 'reboot']) {
      expect([...faults]).not.toContain(kind)
    }
  })

  test('has as many tasks as were asked for, and two gates', () => {
    const { groups } = plan({ tasks: 400 })
    expect(groups.flat()).toHaveLength(402)
    expect(groups.map((group) => group[0]?.after)).toEqual([null, 0, 1, null, 3, 4])
  })
})
