import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/kernel/index.ts'
import { readStat } from '../../../src/kernel/process/index.ts'
import { waitFor } from '../../wait-for.ts'
import { findMarked, fixture, isAlive, openSupervised, ways } from './supervised.ts'

const leavesChild = (...args: readonly string[]) => ['/bin/sh', fixture('leaves-child.sh'), ...args]

describe.each(ways)('with the C library: %s', (libc) => {
  test('C35: a run is over when its worker is, although a grandchild holds its output', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(leavesChild(''))
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    const told = yard.told.map(({ kind }) => kind)
    expect(told).not.toContain('swept')
    expect(yard.log(run)).toMatch(/^server \d+\n$/)
    await yard.swept(run)
  })

  test('C31: a server left in the group is gone well within a second of a successful end', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(leavesChild(''))
    const server = Number((await yard.said(run, /server (\d+)/))[1])
    await yard.swept(run)
    expect(isAlive(server)).toBe(false)
    expect(msBetween(yard, 'exited', 'swept')).toBeLessThan(10_000) // some 50 ms on a machine that has time
    expect(yard.told.some(({ kind }) => kind === 'rung')).toBe(false)
  })

  test('C31: a daemon that left the group is found by its marker and ended', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 60_000 })
    const { run, marker } = yard.run(['/bin/sh', fixture('leaves-daemon.sh')])
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(false)
    expect(findMarked(marker)).toEqual([])
  })

  test('a daemon without group and without marker is ended, once it was seen as a descendant', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 20 })
    const script = 'mkfifo leave; env -i setsid sleep 300 & echo "server $!"; read line < leave'
    const { run } = yard.run(['/bin/sh', '-c', script])
    const server = Number((await yard.said(run, /server (\d+)/))[1])
    await waitFor(() => expect(yard.supervisor.samples()[0]?.processes).toBe(3)) // the shim, its worker and the server
    writeFileSync(join(yard.home, 'leave'), '\n')
    await yard.swept(run)
    expect(isAlive(server)).toBe(false)
  })

  test('a leftover that ignores TERM is killed half a second later', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run([
      '/bin/sh',
      '-c',
      `/bin/sh ${fixture('ignores-term.sh')} & until [ -e leave ]; do sleep 0.01; done`,
    ])
    await yard.said(run, /up/)
    writeFileSync(join(yard.home, 'leave'), '')
    await yard.swept(run)
    const tookMs = msBetween(yard, 'exited', 'swept')
    expect(tookMs).toBeGreaterThan(450)
    expect(tookMs).toBeLessThan(20_000) // what cannot be ended is looked at again after 30 s
    expect(yard.signals.map(({ signal }) => signal)).toContain('SIGKILL')
  })

  test('one that forks and ends faster than anybody looks is not taken for gone: it is ended, or its task waits', async () => {
    const yard = await openSupervised({ libc })
    const folders = ['a', 'b', 'c'].map((name) => join(yard.home, name))
    onTestFinished(() => {
      for (const folder of folders) writeFileSync(join(folder, 'leave'), '')
    })
    const runs = folders.map((cwd) => {
      mkdirSync(cwd)
      return yard.run(['/bin/sh', fixture('runs-away.sh')], { cwd })
    })
    const ends = await waitFor(() => {
      const told = runs.map(({ run }) => yard.told.find((one) => one.run === run && /swept|survivors/.test(one.kind)))
      expect(told).not.toContain(undefined)
      return told.map((one) => one?.kind)
    })
    for (const [at, { cwd }] of runs.entries()) {
      if (ends[at] === 'survivors') continue
      rmSync(join(cwd, 'beat'))
      await systemClock.sleep(100) // a hundred of its lives
      expect(existsSync(join(cwd, 'beat'))).toBe(false)
    }
  })

  test('a process that the task declared as kept lives on, and the run is settled', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', fixture('leaves-daemon.sh')], { keeps: true })
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(true)
    process.kill(daemon, 'SIGKILL')
    await waitFor(() => expect(isAlive(daemon)).toBe(false))
  })

  test('with kept processes declared, what stays in the group is still ended', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(leavesChild(''), { keeps: true })
    const server = Number((await yard.said(run, /server (\d+)/))[1])
    await yard.swept(run)
    expect(isAlive(server)).toBe(false)
  })

  test('with kept processes declared, a job with a group of its own in the session is still ended', async () => {
    const yard = await openSupervised({ libc })
    // Dash wants a terminal for job control, bash does not; without it the job stays in the shim's group, as above.
    const script = `
      setsid sleep 300 & until [ "$(cut -d" " -f6 "/proc/$!/stat")" = $! ]; do :; done; echo "kept $!"
      set -m; sleep 300 & echo "job $! $(cut -d" " -f5 "/proc/$!/stat")"`
    const { run } = yard.run(['/bin/bash', '-c', script], { keeps: true })
    const [, job, group] = (await yard.said(run, /job (\d+) (\d+)/)).map(Number)
    const kept = Number((await yard.said(run, /kept (\d+)/))[1])
    await yard.swept(run)
    expect([group, isAlive(job ?? 0), isAlive(kept)]).toEqual([job, false, true])
    process.kill(kept, 'SIGKILL')
    await waitFor(() => expect(isAlive(kept)).toBe(false))
  })

  test('C33: 200 short runs leave no zombie, and each is told once', async () => {
    const yard = await openSupervised({ libc })
    const runs = []
    for (let at = 0; at < 200; at += 8) {
      const batch = Array.from({ length: 8 }, () => yard.run(['/bin/true']).run)
      for (const run of batch) await yard.exited(run)
      runs.push(...batch)
      await waitFor(() => expect(readZombieChildren().length).toBeLessThanOrEqual(1))
    }
    for (const run of runs) await yard.swept(run)
    expect(yard.told.filter(({ kind }) => kind === 'exited')).toHaveLength(200)
    expect(yard.told.filter(({ kind }) => kind === 'swept')).toHaveLength(200)
    await waitFor(() => expect(readZombieChildren()).toEqual([]))
  })

  test('a sibling of another run is never touched by a sweep', async () => {
    const yard = await openSupervised({ libc })
    const stranger = yard.run(['/bin/sleep', '300'])
    for (let n = 0; n < 5; n += 1) await yard.swept(yard.run(leavesChild('')).run)
    expect(isAlive(stranger.pid)).toBe(true)
    expect(yard.signals.some(({ pid }) => pid === stranger.pid)).toBe(false)
  })

  test('the tree is measured: processes, memory and CPU time', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 30 })
    const { run } = yard.run(['/bin/sh', '-c', 'while :; do :; done & while :; do :; done'])
    await waitFor(() => {
      const sample = yard.supervisor.samples()[0]
      expect(sample).toMatchObject({ run, processes: 3 })
      expect(sample?.cpuSeconds).toBeGreaterThan(0.05)
      expect(sample?.rssBytes).toBeGreaterThan(1_000_000)
      expect(sample?.peakRssBytes).toBeGreaterThanOrEqual(sample?.rssBytes ?? 0)
    })
  })
})

function msBetween(yard: { told: readonly { kind: string; atMs: number }[] }, first: string, second: string): number {
  const at = (kind: string) => yard.told.find((each) => each.kind === kind)?.atMs ?? Number.NaN
  return at(second) - at(first)
}

/** Dead children of this very process that nobody has collected. */
function readZombieChildren(): readonly number[] {
  const own = process.pid
  return readPids().filter((pid) => {
    const stat = readStat(pid)
    return typeof stat !== 'string' && stat.parent === own && stat.state === 'Z'
  })
}

function readPids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}
