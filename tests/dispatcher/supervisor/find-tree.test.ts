import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTree, type TreeRoot } from '../../../src/dispatcher/supervisor/find-tree.ts'
import type { ProcessStat } from '../../../src/kernel/process/index.ts'

const shim = { pid: 100, startTicks: 1_000 }

function stat(pid: number, more: Partial<ProcessStat> = {}): ProcessStat {
  return { pid, state: 'S', parent: 1, group: pid, sid: pid, cpuTicks: 0, startTicks: 2_000, ...more }
}

function find(stats: readonly ProcessStat[], more: Partial<TreeRoot> = {}) {
  const root = {
    shim,
    sidOursUntilTicks: Number.POSITIVE_INFINITY,
    seenOutside: new Map(),
    inCgroup: new Set<number>(),
    markOf: () => 'none' as const,
    ...more,
  }
  const { inside, outside, doubtful } = findTree(new Map(stats.map((each) => [each.pid, each])), root)
  const pids = (some: readonly ProcessStat[]) => some.map(({ pid }) => pid).sort((a, b) => a - b)
  return { inside: pids(inside), outside: pids(outside), doubtful: pids(doubtful) }
}

const leader = stat(100, { sid: 100, group: 100, startTicks: 1_000 })

test('with its shim alive, everybody in the session belongs to the run', () => {
  expect(find([leader, stat(101, { sid: 100, group: 100 }), stat(102, { sid: 100, group: 102 }), stat(200)])).toEqual({
    inside: [100, 101, 102],
    outside: [],
    doubtful: [],
  })
})

test('who left the session belongs to it by marker, by having been seen, or by parents', () => {
  const left = [
    stat(300),
    stat(301, { parent: 300 }),
    stat(302, { parent: 301 }),
    stat(400),
    stat(500, { parent: 101 }),
  ]
  const found = find([...left.toReversed(), leader, stat(101, { sid: 100 }), stat(600)], {
    markOf: ({ pid }) => (pid === 300 ? 'marked' : 'none'),
    seenOutside: new Map([
      [400, { startTicks: 2_000 }],
      [600, { startTicks: 1_999 }],
    ]),
  })
  expect(found).toEqual({ inside: [100, 101], outside: [300, 301, 302, 400, 500], doubtful: [] })
})

test('a process of another user with the marker may be of the run, and is neither signalled nor let go', () => {
  const markOf = ({ pid }: ProcessStat) => (pid === 300 || pid === 400 ? 'by_another' : 'none')
  const found = find([leader, stat(300), stat(301, { parent: 300 }), stat(400, { parent: 100 })], { markOf })
  expect(found).toEqual({ inside: [100], outside: [400], doubtful: [300] })
})

test('a process in the control group of the run belongs to it, whatever it left behind', () => {
  expect(find([leader, stat(300), stat(301)], { inCgroup: new Set([300]) })).toMatchObject({ outside: [300] })
})

test('after its shim died, the session is proven only for those who were there before', () => {
  const members = [stat(101, { sid: 100, startTicks: 3_000 }), stat(102, { sid: 100, startTicks: 3_001 })]
  expect(find(members, { sidOursUntilTicks: 3_000 })).toEqual({ inside: [101], outside: [], doubtful: [102] })
  expect(find(members, { sidOursUntilTicks: null })).toEqual({ inside: [], outside: [], doubtful: [101, 102] })
  expect(find(members, { sidOursUntilTicks: null, markOf: ({ pid }) => (pid === 102 ? 'marked' : 'none') })).toEqual({
    inside: [102],
    outside: [],
    doubtful: [101],
  })
})

test('a session whose number another process leads by now is that of strangers', () => {
  const stranger = stat(100, { sid: 100, group: 100, startTicks: 5_000 })
  expect(find([stranger, stat(101, { sid: 100, startTicks: 6_000 })], { sidOursUntilTicks: 3_000 })).toEqual({
    inside: [],
    outside: [],
    doubtful: [],
  })
})

test('whoever is older than the shim is never of its tree, and nobody is found twice', () => {
  const anyStat = fc
    .record({
      pid: fc.integer({ min: 90, max: 120 }),
      parent: fc.integer({ min: 89, max: 120 }),
      sid: fc.constantFrom(100, 100, 7, 101),
      startTicks: fc.integer({ min: 990, max: 1_020 }),
    })
    .map((made) => stat(made.pid, made))
  fc.assert(
    fc.property(
      fc.uniqueArray(anyStat, { selector: ({ pid }) => pid, maxLength: 25 }),
      fc.option(fc.integer({ min: 990, max: 1_020 })),
      fc.func(fc.boolean()),
      (stats, sidOursUntilTicks, marks) => {
        const found = find(stats, { sidOursUntilTicks, markOf: ({ pid }) => (marks(pid) ? 'marked' : 'none') })
        const all = [...found.inside, ...found.outside, ...found.doubtful]
        expect(new Set(all).size).toBe(all.length)
        for (const pid of all) {
          expect(stats.find((each) => each.pid === pid)?.startTicks).toBeGreaterThanOrEqual(shim.startTicks)
        }
        const members = new Set([...found.inside, ...found.outside])
        for (const { pid, parent, startTicks } of stats) {
          if (startTicks >= shim.startTicks && members.has(parent)) expect(members).toContain(pid)
        }
      },
    ),
  )
})
