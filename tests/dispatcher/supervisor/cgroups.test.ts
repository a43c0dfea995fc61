import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LaunchOrder, RunRecord } from '../../../src/dispatcher/supervisor/index.ts'
import { systemRandom } from '../../../src/kernel/index.ts'
import {
  findCgroups,
  killCgroup,
  makeRunCgroup,
  readCgroupMembers,
  readCgroupOf,
  removeEmptyCgroups,
} from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { waitFor } from '../../wait-for.ts'
import { fixture, isAlive, openSupervised, ways } from './supervised.ts'

/** Of this test process before the tests. */
const outer = readCgroupOf('self')
const before = findCgroups()
const own = outer === undefined ? undefined : join(outer, `yard-tests-${systemRandom.hex(4)}`)
const canMake = own !== undefined && tryToMake(own)
const stop = { source: 'person', reason: 'stop by anna', atOnce: false } as const

// Whoever is moved here is as if started by a service manager that has delegated a group to it.
beforeAll(() => enter(own))
afterAll(() => {
  enter(outer)
  if (!canMake || own === undefined) return
  for (const pid of readCgroupMembers(own)) writeFileSync(join(outer ?? '', 'cgroup.procs'), String(pid)) // esbuild's helper
  removeAll(own)
})

describe.skipIf(!canMake)('where control groups can be made (cgroup v2, writable, this user may)', () => {
  test.each(ways)(
    'a worker and all it starts are in the group of its run, which goes with its tree (%s)',
    async (libc) => {
      const yard = await openSupervised({ libc })
      const { run, pid, marker } = yard.run(['/bin/sh', '-c', 'sleep 300 & echo "child $!"; wait'])
      const child = Number((await yard.said(run, /child (\d+)/))[1])
      const folder = readCgroupOf(child) ?? ''
      expect(basename(folder)).toBe(marker.split(':').slice(1).join('-'))
      expect(readCgroupMembers(folder)).toEqual(expect.arrayContaining([pid, child]))
      yard.supervisor.end(run, stop)
      await yard.swept(run)
      await waitFor(() => expect(existsSync(folder)).toBe(false))
    },
  )

  test('what left group, parents and environment behind before anybody looked is still found, and ended', async () => {
    const yard = await openSupervised({ sampleEveryMs: 60_000 })
    const { run } = yard.run(['/bin/sh', fixture('leaves-nothing-behind.sh')])
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    writeFileSync(join(yard.home, 'leave'), '')
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(false)
  })

  test('it is also found by the next hub, when hub and shim were killed', async () => {
    const yard = await openSupervised()
    const order = yard.order(['/bin/sh', fixture('leaves-nothing-behind.sh')])
    const { hub, record } = await startHub(order)
    const daemon = Number((await yard.said(order.run, /daemon (\d+)/))[1])
    hub.kill('SIGKILL')
    await once(hub, 'exit')
    process.kill(record.pid ?? 0, 'SIGKILL')
    await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
    expect(yard.adopt(record)).toBe('gone')
    await yard.swept(order.run)
    expect(isAlive(daemon)).toBe(false)
  })

  test('a tree that forks faster than anybody can list it ends by one act', async () => {
    const yard = await openSupervised({ sampleEveryMs: 60_000 })
    const { run } = yard.run(['/bin/sh', fixture('forks-away.sh')], { graceMs: 100 })
    await yard.said(run, /up/)
    yard.supervisor.end(run, stop)
    await yard.swept(run)
    const last = yard.signals.filter(({ method }) => method === 'cgroup_kill')
    expect(last[0]).toMatchObject({ scope: 'cgroup', signal: 'SIGKILL', source: 'person' })
    expect(last[0]?.answer).toMatch(/delivered|gone/) // gone: the signal to the group had ended all of them
  })

  test('what a task keeps stays, and its group with it', async () => {
    const yard = await openSupervised()
    const { run } = yard.run(['/bin/sh', fixture('leaves-daemon.sh'), 'stay'], { keeps: true, graceMs: 100 })
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    yard.supervisor.end(run, { source: 'limit', reason: 'timeout', atOnce: true })
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(true)
    expect(yard.signals.some(({ method }) => method === 'cgroup_kill')).toBe(false)
    expect(readCgroupMembers(readCgroupOf(daemon) ?? '')).toEqual([daemon])
    process.kill(daemon, 'SIGKILL')
    await waitFor(() => expect(isAlive(daemon)).toBe(false))
  })

  test('CPU time is counted to the end, of processes that nobody looked at too', async () => {
    const yard = await openSupervised({ libc: 'avoid', sampleEveryMs: 60_000 })
    const { run } = yard.run(['/bin/sh', '-c', 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'])
    expect((await yard.exited(run)).cpuSeconds).toBeGreaterThan(0.01)
  })

  test('a hub that is in the group of a run never kills that group', () => {
    const found = findCgroups()
    const folder = found.ok ? makeRunCgroup(found.base, 'R1-here', { memoryBytes: null }) : undefined
    if (folder === undefined) throw new Error('not made')
    writeFileSync(join(folder, 'cgroup.procs'), String(process.pid))
    try {
      expect(killCgroup({ folder, pid: 1, source: 'sweep', reason: 'a test' }).answer).toBe('refused')
    } finally {
      enter(own)
      rmdirSync(folder)
    }
  })

  test('groups that killed hubs have left empty are removed at a start, others are not', async () => {
    const found = findCgroups()
    if (!found.ok) throw new Error(found.why)
    const { base } = found
    const empty = makeRunCgroup(base, 'R1-empty', { memoryBytes: null })
    const yard = await openSupervised()
    const busy = readCgroupOf(await startedPid(yard))
    removeEmptyCgroups(base, { nowMs: Date.now() + 30_000 })
    expect(existsSync(empty ?? '')).toBe(true) // its shim may be on its way into it
    removeEmptyCgroups(base, { nowMs: Date.now() + 90_000 })
    expect([existsSync(empty ?? ''), existsSync(busy ?? '')]).toEqual([false, true])
  })

  const hasMemory = canMake && limitsMemory()
  test.skipIf(!hasMemory)(
    'C40: where the memory controller is handed down, the kernel ends what takes too much, and that counts as out of memory',
    async () => {
      const yard = await openSupervised({ sampleEveryMs: 60_000 })
      const argv = [process.execPath, fixture('takes-memory.mjs'), '400', 'leave']
      const { run } = yard.run(argv, { memoryBytes: 150 * 1_024 * 1_024 })
      expect(await yard.exited(run)).toMatchObject({ oom: true, wait: { kind: 'signal', signal: 'SIGKILL' } })
    },
  )
})

test.skipIf(before.ok)('where none can be made, it is said why', () => {
  if (!before.ok)
    expect(before.why).toMatch(/^(cgroup v2 is not|this program runs in the root|this kernel|no groups can be)/)
})

async function startedPid(yard: Awaited<ReturnType<typeof openSupervised>>): Promise<number> {
  const { run, pid } = yard.run(['/bin/sh', '-c', 'echo up; exec sleep 300'])
  await yard.said(run, /up/)
  return pid
}

async function startHub(order: LaunchOrder): Promise<{ readonly hub: ChildProcess; readonly record: RunRecord }> {
  const input = { libc: 'use', orphans: 'live', order, act: 'go', crashAt: '' }
  const hub = startProgram([process.execPath, await bundleFixture('hub.ts')], JSON.stringify(input))
  const { identity } = JSON.parse(await readFirstLine(hub))
  return { hub, record: { ...order, phase: 'started', stopping: null, ...identity } }
}

function tryToMake(folder: string): boolean {
  try {
    mkdirSync(folder)
    return existsSync(join(folder, 'cgroup.kill')) && existsSync(join(folder, 'cgroup.events'))
  } catch {
    return false
  }
}

function enter(folder: string | undefined): void {
  if (canMake && folder !== undefined) writeFileSync(join(folder, 'cgroup.procs'), String(process.pid))
}

function limitsMemory(): boolean {
  enter(own)
  const found = findCgroups()
  return found.ok && found.base.controllers.includes('memory')
}

function removeAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeAll(join(folder, entry.name))
  }
  rmdirSync(folder)
}
