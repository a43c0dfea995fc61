import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nextLookMs } from '../../../src/dispatcher/supervisor/sample-beat.ts'
import { waitFor } from '../../wait-for.ts'
import { fixture, isAlive, openSupervised, relaxed, ways } from './supervised.ts'

const mib = 1_024 * 1_024
const takesMemory = (mibs: number, how = 'stay') => [process.execPath, fixture('takes-memory.mjs'), String(mibs), how]

describe.each(ways)('with the C library: %s', (libc) => {
  test('C40: a worker that takes more memory than it may is told, and only that one ends', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 200 })
    const modest = yard.run(takesMemory(1), { memoryBytes: 4_096 * mib })
    const greedy = yard.run(takesMemory(300), { memoryBytes: 200 * mib })
    const told = await waitFor(
      () => yard.told.find(({ kind }) => kind === 'overdue') ?? Promise.reject(new Error('nobody is overdue')),
    )
    expect(told).toMatchObject({ run: greedy.run })
    expect(told.text).toMatch(/^memory: \d+ MiB in \d processes, more than 200 MiB$/)
    yard.supervisor.end(greedy.run, { source: 'limit', reason: 'memory', atOnce: true })
    const facts = await yard.exited(greedy.run)
    expect(facts).toMatchObject({ delivered: true, oom: false })
    expect(facts.peakRssBytes).toBeGreaterThan(200 * mib)
    expect(isAlive(modest.pid)).toBe(true)
    expect(yard.told.filter(({ kind }) => kind === 'overdue')).toHaveLength(1)
  })

  test('the memory of a whole tree counts, that of kept processes does not', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 100 })
    const inBackground = (how: string) => `${how} ${takesMemory(120).join(' ')} & echo up; wait; exec sleep 300`
    const together = yard.run(['/bin/sh', '-c', `${inBackground('')}`], { memoryBytes: 130 * mib })
    const keeping = yard.run(['/bin/sh', '-c', inBackground('setsid')], { memoryBytes: 130 * mib, keeps: true })
    await waitFor(() => expect(yard.told.map(({ kind }) => kind)).toContain('overdue'))
    const looked = yard.supervisor.samples().find(({ run }) => run === keeping.run)
    await waitFor(() => {
      const sample = yard.supervisor.samples().find(({ run }) => run === keeping.run)
      expect(sample?.cpuSeconds).toBeGreaterThan(looked?.cpuSeconds ?? 0)
      expect(sample?.processes).toBe(3)
    })
    expect(yard.told.filter(({ kind }) => kind === 'overdue').map(({ run }) => run)).toEqual([together.run])
    yard.supervisor.end(keeping.run, { source: 'person', reason: 'stop', atOnce: true })
  })

  test('what was used is told with the end, and what nobody counted is not known', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 60_000 })
    const brief = yard.run(['/bin/sh', '-c', 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'])
    const facts = await yard.exited(brief.run)
    // Reaped by us its CPU time is known to the microsecond; a look came too early for either figure.
    if (libc === 'use') expect(facts.cpuSeconds).toBeGreaterThan(0.01)
    else expect(facts.cpuSeconds).toBeNull()
    expect(facts.peakRssBytes).toBeNull()
    const ownPeakMiB = Math.ceil(process.resourceUsage().maxRSS / 1_024) // the kernel counts ours to it, too
    const large = yard.run(takesMemory(ownPeakMiB + 50, 'leave'))
    const peak = (await yard.exited(large.run)).peakRssBytes
    if (libc === 'use') expect(peak).toBeGreaterThan((ownPeakMiB + 50) * mib)
    else expect(peak).toBeNull()
  })

  test('a death by KILL that is not ours is said to be for memory only where the kernel has killed for memory', async () => {
    const yard = await openSupervised({ libc })
    const before = oomKills()
    const { run } = yard.run(['/bin/sh', '-c', 'echo up; sleep 0.1; kill -KILL $$'])
    const facts = await yard.exited(run)
    expect(facts).toMatchObject({ wait: { kind: 'signal', signal: 'SIGKILL' }, oom: false })
    // Another test, in another process, may be about that very thing.
    if (oomKills() === before) expect(facts.oomOnMachine).toBe(false)
  })
})

test('a run with a limit of memory is looked at sooner the faster it gets near its limit, one without at each beat', () => {
  const usage = (looks: number, rssBytes = 0, rssBytesPerMs = 0) => ({ looks, rssBytes, rssBytesPerMs }) as never
  const limited = { ...relaxed, memoryBytes: 1_000 }
  expect(nextLookMs({ limits: relaxed, usage: usage(9, 900, 900) }, 2_000)).toBe(2_000)
  expect(nextLookMs({ limits: limited, usage: usage(0) }, 2_000)).toBe(50)
  expect(nextLookMs({ limits: limited, usage: usage(1, 100) }, 2_000)).toBe(500)
  expect(nextLookMs({ limits: limited, usage: usage(1, 100, 1) }, 2_000)).toBe(500)
  expect(nextLookMs({ limits: limited, usage: usage(1, 700, 1) }, 2_000)).toBe(300)
  expect(nextLookMs({ limits: limited, usage: usage(1, 990, 10) }, 2_000)).toBe(50)
})

/** How often the kernel of this machine has killed for memory. */
const oomKills = (): string | undefined => /^oom_kill .*$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[0]
