import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findOverdue } from '../../../src/dispatcher/supervisor/limit-watch.ts'
import { type Clock, systemClock } from '../../../src/kernel/index.ts'
import { waitFor } from '../../wait-for.ts'
import { fixture, openSupervised, relaxed, ways } from './supervised.ts'

describe.each(ways)('with the C library: %s', (libc) => {
  test.each([
    ['is silent', 'exec sleep 300'],
    ['goes on speaking', 'while :; do echo on; sleep 0.02; done'],
  ])(
    'C17: a run that %s and takes longer than it may is told once, and ends when it is asked to',
    async (_what, text) => {
      const yard = await openSupervised({ libc, sampleEveryMs: 40 })
      const { run } = yard.run(['/bin/sh', '-c', text], { timeoutMs: 300 })
      await overdue(yard, 'timeout: longer than 0.3s')
      expect(yard.told.filter(({ kind }) => kind === 'overdue')).toHaveLength(1)
      expect(yard.told.some(({ kind }) => kind === 'rung')).toBe(false)
      yard.supervisor.end(run, { source: 'limit', reason: 'longer than it may', atOnce: false })
      expect(await yard.exited(run)).toMatchObject({ delivered: true, wait: { kind: 'signal', signal: 'SIGTERM' } })
    },
  )

  test('a worker without output, CPU time and files touched is told to be stalled', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 40 })
    yard.run(['/bin/sh', '-c', 'echo up; exec sleep 300'], { stallMs: 250, cwd: emptyFolder() })
    await overdue(yard, /^stall: no output, no CPU time and no file touched/)
  })

  test.each([
    ['speaks', ['/bin/sh', '-c', 'while :; do echo on; sleep 0.05; done']],
    ['computes', ['/bin/sh', '-c', 'while :; do :; done']],
    ['writes files', ['/bin/sh', fixture('touches-files.sh')]],
  ])('a worker that only %s is not stalled', async (_what, argv) => {
    const yard = await openSupervised({ libc, sampleEveryMs: 40 })
    const quiet = yard.run(['/bin/sleep', '300'], { stallMs: 1_800, cwd: emptyFolder() })
    yard.run(argv, { stallMs: 1_400 })
    await overdue(yard, /^stall/)
    expect(yard.told.filter(({ kind }) => kind === 'overdue').map(({ run }) => run)).toEqual([quiet.run])
  })
})

describe('C145: a wall clock that is set while a worker is silent', () => {
  test('C145: set ahead: files that it touched just before look old, and it is not stalled for that', async () => {
    let aheadMs = 0
    const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs }
    const yard = await openSupervised({ clock, sampleEveryMs: 40 })
    const started = systemClock.monotonicMs()
    yard.run(['/bin/sleep', '300'], { stallMs: 2_000, cwd: emptyFolder() })
    await systemClock.sleep(300)
    aheadMs = 8 * 3_600_000
    const steppedMs = systemClock.monotonicMs()
    await overdue(yard, /^stall/)
    const told = yard.told.find(({ kind }) => kind === 'overdue')
    expect(steppedMs - started).toBeLessThan(2_000) // else it was stalled before
    expect((told?.atMs ?? 0) - steppedMs).toBeGreaterThan(2_000)
  })

  test('C145: set back: files with a time that lies ahead were not touched just now, and it is stalled', async () => {
    const yard = await openSupervised({ sampleEveryMs: 40 })
    const folder = emptyFolder()
    writeFileSync(join(folder, 'from-before'), '')
    const later = systemClock.nowMs() / 1_000 + 8 * 3_600
    utimesSync(join(folder, 'from-before'), later, later)
    yard.run(['/bin/sleep', '300'], { stallMs: 250, cwd: folder })
    await overdue(yard, /^stall/)
  })
})

test('limits count on the clock that no step of the wall clock moves', () => {
  const usage = { quietSinceMs: 500 } as Parameters<typeof findOverdue>[0]['usage']
  const run = (limits: Partial<typeof relaxed>) => ({ limits: { ...relaxed, ...limits }, startedMs: 100, usage })
  expect(findOverdue(run({ timeoutMs: 1_000 }), 1_099)).toBeUndefined()
  expect(findOverdue(run({ timeoutMs: 1_000 }), 1_100)).toBe('timeout')
  expect(findOverdue(run({ stallMs: 1_000 }), 1_499)).toBeUndefined()
  expect(findOverdue(run({ stallMs: 1_000 }), 1_500)).toBe('stall')
  expect(findOverdue(run({ stallMs: 'off' }), 59_000)).toBeUndefined()
})

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'yard-empty-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function overdue(yard: { told: readonly { kind: string; text?: string }[] }, text: string | RegExp) {
  await waitFor(() => expect(yard.told.find(({ kind }) => kind === 'overdue')?.text).toMatch(text))
}
