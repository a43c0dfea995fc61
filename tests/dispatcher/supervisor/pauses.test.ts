import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/index.ts'
import { readExitRecord } from '../../../src/runs/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { waitFor } from '../../wait-for.ts'
import { openSupervised, type Supervised, type Way, ways } from './supervised.ts'

const waits = ['/bin/sh', '-c', 'echo up; until [ -e leave ]; do sleep 0.01; done; exit 4'] as const
/** The same without using any CPU time, which would be a sign of life. */
const waitsSilently = ['/bin/sh', '-c', 'mkfifo leave; echo up; read line < leave; exit 4'] as const

describe.each(ways)('with the C library: %s', (libc) => {
  test('a hub that stood still for longer than a limit calls no run late that ended meanwhile', async () => {
    const yard = await openSupervised({ libc })
    const { hub, order } = await startHub(yard, libc, { timeoutMs: 2_500 })
    const startedMs = systemClock.monotonicMs()
    await yard.said(order.run, /up/)
    hub.kill('SIGSTOP')
    writeFileSync(join(yard.home, 'leave'), '')
    await waitFor(() => expect(readExitRecord(order.runDir)).toEqual({ kind: 'code', code: 4 }))
    await waitFor(() => expect(systemClock.monotonicMs() - startedMs).toBeGreaterThan(2_800))
    hub.kill('SIGCONT')
    await waitFor(() => expect(toldBy(order.runDir)).toContain('swept'))
    expect(toldBy(order.runDir)).toEqual(['exited', 'swept'])
  })

  test('one that still runs is late when it goes on: the limit is of the run, not of the hub', async () => {
    const yard = await openSupervised({ libc })
    const { hub, order } = await startHub(yard, libc, { timeoutMs: 400 })
    await yard.said(order.run, /up/)
    hub.kill('SIGSTOP')
    const stoppedMs = systemClock.monotonicMs()
    await waitFor(() => expect(systemClock.monotonicMs() - stoppedMs).toBeGreaterThan(600))
    hub.kill('SIGCONT')
    await waitFor(() => expect(toldBy(order.runDir)).toEqual(['overdue']))
    hub.kill('SIGKILL')
    writeFileSync(join(yard.home, 'leave'), '')
    await waitFor(() => expect(readExitRecord(order.runDir)).not.toBeNull())
  })
})

test('time in which the hub could not look is no silence of a worker', async () => {
  const yard = await openSupervised()
  const { hub, order } = await startHub(yard, 'use', { stallMs: 2_500 }, waitsSilently)
  await yard.said(order.run, /up/)
  hub.kill('SIGSTOP')
  const stoppedMs = systemClock.monotonicMs()
  await waitFor(() => expect(systemClock.monotonicMs() - stoppedMs).toBeGreaterThan(2_800))
  hub.kill('SIGCONT')
  const wentOnMs = systemClock.monotonicMs()
  await waitFor(() => expect(toldBy(order.runDir)).toEqual(['overdue']))
  expect(systemClock.monotonicMs() - wentOnMs).toBeGreaterThan(700)
  hub.kill('SIGKILL')
  writeFileSync(join(yard.home, 'leave'), '\n')
  await waitFor(() => expect(readExitRecord(order.runDir)).not.toBeNull())
})

async function startHub(
  yard: Supervised,
  libc: Way,
  limits: { timeoutMs?: number; stallMs?: number },
  argv: readonly string[] = waits,
) {
  const order = yard.order(argv, limits)
  const input = JSON.stringify({ libc, orphans: 'live', order, act: 'go', crashAt: '' })
  const hub = startProgram([process.execPath, await bundleFixture('hub.ts')], input)
  expect(JSON.parse(await readFirstLine(hub))).toMatchObject({ ok: true })
  return { hub, order }
}

function toldBy(runDir: string): readonly string[] {
  const file = join(runDir, 'told')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}
