import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunRecord } from '../../../src/dispatcher/supervisor/index.ts'
import { describeSignals, signalTree } from '../../../src/dispatcher/supervisor/signal-tree.ts'
import type { WatchedRun } from '../../../src/dispatcher/supervisor/watched-run.ts'
import {
  captureFingerprint,
  loadLibc,
  markerVariable,
  readHostIdentity,
  readMarkers,
  readStat,
} from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { waitFor } from '../../wait-for.ts'
import { isAlive, openSupervised, relaxed } from './supervised.ts'

const stop = { source: 'person', reason: 'stop by anna', atOnce: false } as const
const up = ['/bin/sh', '-c', 'echo "up $$"; exec sleep 300'] as const

test('workers of a yard that runs inside a worker belong to both trees, and end with the outer one', async () => {
  const yard = await openSupervised()
  const program = await bundleFixture('hub.ts')
  const input = join(yard.home, 'inner.json')
  const outer = yard.order(['/bin/sh', '-c', `exec ${process.execPath} ${program} < ${input}`])
  const inner = yard.order(up)
  const marks = `${outer.marker} ${inner.marker}`
  const order = { ...inner, env: { ...inner.env, [markerVariable]: marks } }
  writeFileSync(input, JSON.stringify({ libc: 'use', orphans: 'live', order, act: 'go', crashAt: '' }))
  yard.supervisor.launch(outer)
  yard.supervisor.go(outer.run)
  const worker = Number((await yard.said(inner.run, /up (\d+)/))[1])
  expect(readMarkers(worker)).toEqual([outer.marker, inner.marker])
  yard.supervisor.end(outer.run, stop)
  await yard.swept(outer.run)
  expect(isAlive(worker)).toBe(false)
})

test('C27: a hub that a worker of its own started anew outlives the end of that run, and so does what it starts', async () => {
  const yard = await openSupervised()
  const program = await bundleFixture('hub.ts')
  const first = yard.order(up)
  const before = startProgram([process.execPath, program], inputFor({ order: first, act: 'go' }))
  const { identity } = JSON.parse(await readFirstLine(before))
  before.kill('SIGKILL')
  await once(before, 'exit')

  const { run, fence, runDir, marker, limits } = first
  const record: RunRecord = { run, fence, runDir, marker, limits, phase: 'started', stopping: null, ...identity }
  const after = startMarked([process.execPath, program], inputFor({ order: first, act: 'go-and-end', record }), marker)
  expect(await readFirstLine(after)).toBe('"same"')
  await waitFor(() => expect(toldBy(runDir)).toContain('swept'))
  expect(toldBy(runDir)).not.toContain('survivors')
  expect([isAlive(after.pid ?? 0), isAlive(identity.pid)]).toEqual([true, false])
})

test.each([
  ['the hub itself', process.pid],
  ['an ancestor of it', process.ppid],
  ['PID 1', 1],
])('C27: an order to end %s is refused and told, whatever the record says', async (_what, pid) => {
  const signals = { host: readHostIdentity(), libc: await loadLibc() }
  const fingerprint = captureFingerprint(signals.host, pid)
  const stat = readStat(pid)
  if (fingerprint === undefined || typeof stat === 'string') throw new Error('not captured')
  const run = { target: { fingerprint, pidfd: undefined }, phase: 'running', limits: relaxed, cgroup: undefined }
  const tree = { inside: [stat], outside: [stat], doubtful: [] }
  for (const signal of ['TERM', 'KILL'] as const) {
    const how = { signal, source: 'shutdown', reason: 'a test' } as const
    const { records, reachedGroup, reachedWorker } = signalTree(signals, { run: run as WatchedRun, tree, how })
    expect(new Set(records.map(({ answer }) => answer))).toEqual(new Set(['refused']))
    expect([reachedGroup, reachedWorker]).toEqual([false, false])
    expect(describeSignals(records)).toMatch(/: refused/)
  }
})

function inputFor(more: object): string {
  return JSON.stringify({ libc: 'use', orphans: 'live', crashAt: '', ...more })
}

/** A program that carries the mark of a run, as if its worker had started it. */
function startMarked([program = '', ...args]: readonly string[], input: string, marker: string): ChildProcess {
  const env = { ...process.env, [markerVariable]: marker }
  const child = spawn(program, args, { env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin?.end(input)
  onTestFinished(async () => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await gone // it bears the mark, by which the yard looks for what is left
  })
  return child
}

function toldBy(runDir: string): string {
  return existsSync(join(runDir, 'told')) ? readFileSync(join(runDir, 'told'), 'utf8') : ''
}
