import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { markerVariable, readProcessTable, readStat } from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { waitFor } from '../../wait-for.ts'
import { fixture, isAlive, openSupervised, relaxed, ways } from './supervised.ts'

const stop = { source: 'person', reason: 'stop by anna', atOnce: false } as const
const isRoot = process.getuid?.() === 0
/** PID 1 of it is a shell, which takes leave of orphans. */
const inNamespace = ['unshare', '--pid', '--fork', '--mount-proc', '/bin/sh', '-c', '"$@"; exit "$?"', 'sh'] as const
const canUnshare = spawnSync(inNamespace[0], [...inNamespace.slice(1), 'true']).status === 0

describe.each(ways)('with the C library: %s', (libc) => {
  test.each([
    ['of another run', (marker: string) => marker.replace(/R\d+/, 'R999')],
    ['with another nonce', (marker: string) => `${marker}0`],
    ['that only begins like it', (marker: string) => marker.slice(0, -1)],
    ['among others, none of them ours', (marker: string) => `yard:R1:beef ${marker}x yard:R2:cafe`],
  ])('C23: a stranger who carries a marker %s is left alone', async (_what, forge) => {
    const yard = await openSupervised({ libc })
    const { run, marker } = yard.run(['/bin/sh', '-c', 'echo up; exec sleep 300'])
    const stranger = await startStranger(forge(marker))
    await yard.said(run, /up/)
    yard.supervisor.end(run, stop)
    await yard.swept(run)
    expect([isAlive(stranger.pid ?? 0), signalled(yard, stranger)]).toEqual([true, false])
  })

  test('C23: a stranger who was there before the run is left alone, though its marker is right', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', '-c', 'echo up; exec sleep 300'])
    const stranger = await startStranger(order.marker)
    await nextTick(stranger)
    yard.supervisor.launch(order)
    yard.supervisor.go(order.run)
    await yard.said(order.run, /up/)
    yard.supervisor.end(order.run, stop)
    await yard.swept(order.run)
    expect([isAlive(stranger.pid ?? 0), signalled(yard, stranger)]).toEqual([true, false])
    stranger.kill('SIGKILL')
    await once(stranger, 'exit')
  })

  test.skipIf(!isRoot)(
    "C23: another user's process with the right marker is not signalled, and the task waits for it (needs root to be another user)",
    async () => {
      const yard = await openSupervised({ libc })
      const { run, marker } = yard.run(['/bin/sh', '-c', 'echo up; exec sleep 300'])
      const stranger = await startStranger(marker, { uid: 65_534, gid: 65_534 })
      await yard.said(run, /up/)
      yard.supervisor.end(run, { ...stop, atOnce: true })
      const told = await waitFor(
        () => yard.told.find(({ kind }) => kind === 'survivors') ?? Promise.reject(new Error('no survivors told')),
      )
      expect(told).toMatchObject({ run, pids: [stranger.pid] })
      expect([isAlive(stranger.pid ?? 0), signalled(yard, stranger)]).toEqual([true, false])
      stranger.kill('SIGKILL')
      await once(stranger, 'exit')
    },
  )

  test.skipIf(!isRoot)(
    'what a task keeps may run as another user: its task does not wait for it (needs root to be another user)',
    async () => {
      const yard = await openSupervised({ libc })
      const { run, marker } = yard.run(['/bin/sh', '-c', 'echo up; sleep 0.2'], { keeps: true })
      const kept = await startStranger(marker, { uid: 65_534, gid: 65_534 })
      await yard.swept(run)
      expect([isAlive(kept.pid ?? 0), signalled(yard, kept)]).toEqual([true, false])
      kept.kill('SIGKILL')
      await once(kept, 'exit')
    },
  )

  test.skipIf(!canUnshare)(
    'C23: a stranger in a session of the number that an adopted run had is not signalled, though its leader is gone (needs a PID namespace)',
    async () => {
      const program = await bundleFixture('reuse-while-adopted.ts')
      const input = JSON.stringify({ limits: relaxed, libc })
      const inside = startProgram([...inNamespace, process.execPath, program], input)
      expect(JSON.parse(await readFirstLine(inside))).toEqual({
        adopted: 'same',
        reused: true,
        end: 'survivors',
        signalled: false,
        alive: true,
      })
    },
  )

  test('C171: a launcher that starts the real worker and leaves is over when it leaves, and what it left is ended', async () => {
    // No look comes in time to see whose child it is.
    const yard = await openSupervised({ libc, sampleEveryMs: 60_000 })
    const real = `setsid /bin/sh -c 'echo "real $$"; : > up; exec sleep 300'`
    const { run } = yard.run(['/bin/sh', '-c', `${real} & until [ -e up ]; do sleep 0.01; done`])
    const pid = Number((await yard.said(run, /real (\d+)/))[1])
    expect(await yard.exited(run)).toMatchObject({ record: { kind: 'code', code: 0 } })
    await yard.swept(run)
    expect(isAlive(pid)).toBe(false)
  })

  test('a worker that ignores TERM, wipes its environment, closes its output and becomes a daemon is ended all the same', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 20 })
    const { run } = yard.run(['/bin/sh', fixture('hides.sh')], { graceMs: 200 })
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    await waitFor(() => expect(yard.supervisor.samples()[0]?.processes).toBeGreaterThanOrEqual(3))
    yard.supervisor.end(run, stop)
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(false)
  })

  test('a worker whose first thread has ended is alive, and heard and ended as any other', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run([process.execPath, fixture('ends-its-first-thread.mjs')])
    await yard.said(run, /up/)
    await waitFor(() => expect(childrenOf(pid).map(({ state }) => state)).toEqual(['Z']))
    expect(yard.told.map(({ kind }) => kind)).not.toContain('exited')
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ delivered: true, wait: { kind: 'signal', signal: 'SIGTERM' } })
    await yard.swept(run)
  })
})

function signalled(yard: { signals: readonly { pid: number }[] }, { pid }: ChildProcess): boolean {
  return yard.signals.some((record) => record.pid === pid)
}

async function startStranger(marker: string, as: { uid?: number; gid?: number } = {}): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, [markerVariable]: marker }
  const child = spawn('/bin/sleep', ['300'], { env, stdio: 'ignore', detached: true, cwd: '/', ...as })
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  await once(child, 'spawn')
  return child
}

/** Start times have a grain: waits until one that starts now is younger. */
async function nextTick({ pid = 0 }: ChildProcess): Promise<void> {
  const born = readStat(pid)
  if (typeof born === 'string') throw new Error('gone')
  await waitFor(() => {
    const child = spawn('/bin/true')
    const now = readStat(child.pid ?? 0)
    expect(typeof now === 'string' ? 0 : now.startTicks).toBeGreaterThan(born.startTicks)
  })
}

function childrenOf(parent: number) {
  return [...(readProcessTable()?.values() ?? [])].filter((stat) => stat.parent === parent)
}
