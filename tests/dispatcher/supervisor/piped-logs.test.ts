import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readLogPiece } from '../../../src/api/logs/read-piece.ts'
import { buildPipe, findPipeTools } from '../../../src/dispatcher/supervisor/pipe-log.ts'
import { createLogMask, leastLogBytes } from '../../../src/kernel/index.ts'
import { readProcessTable } from '../../../src/kernel/process/index.ts'
import { composeRunFiles, readFoldedTail, viewLog } from '../../../src/runs/index.ts'
import { waitFor } from '../../wait-for.ts'
import { findMarked, isAlive, openSupervised, type Started, ways } from './supervised.ts'

const piped = { logBytes: leastLogBytes, logBy: 'pipe' } as const
const lineBytes = 18
const plain = (text: string) => text

describe.skipIf('missing' in findPipeTools()).each(ways)('log: piped, with the C library: %s', (libc) => {
  test('C105: keeps beginning and end to the byte, however fast the worker prints, and its end is told when all is written', async () => {
    const lines = 300_000
    const yard = await openSupervised({ libc })
    const run = yard.run(['/usr/bin/seq', '-f', 'line %012.0f', '1', String(lines)], piped)
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    expect(fileBytes(run)).toBeLessThanOrEqual(leastLogBytes)
    expect(viewLog(composeRunFiles(run.runDir).log, ({ sizeBytes }) => sizeBytes)).toBe(lines * lineBytes)
    const numbers = [...readWhole(run).matchAll(/^line (\d{12})$/gm)].map((match) => Number(match[1]))
    expect(numbers[0]).toBe(1)
    expect(numbers.at(-1)).toBe(lines)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(numbers.length * lineBytes).toBeGreaterThan(leastLogBytes / 2)
    await yard.swept(run.run)
    expect(readdirSync(run.runDir).sort()).toEqual([
      'exit',
      'output.log',
      'output.parts',
      expect.stringMatching(/^output\.tail\.\d+$/),
      expect.stringMatching(/^output\.tail\.\d+$/),
    ])
  })

  test('passes stdout, stderr, exit code and environment through, shows what is said at once, and needs no hub', async () => {
    const yard = await openSupervised({ libc })
    const script =
      'echo out; echo err >&2; env | grep -c YARDMASTER_; until [ -e go ]; do sleep 0.02; done; echo on; exit 42'
    const run = yard.run(['/bin/sh', '-c', script], { ...piped, env: { YARDMASTER_X: 'x' } })
    const bare = yard.run(['/bin/sh', '-c', 'env | grep -c YARDMASTER_; exit 0'], { env: { YARDMASTER_X: 'x' } })
    await yard.exited(bare.run)
    await yard.said(run.run, /out\nerr\n/)
    await waitFor(() => expect(yard.log(run.run)).toBe(`out\nerr\n${yard.log(bare.run)}`))
    await yard.supervisor.stop()
    writeFileSync(join(yard.home, 'go'), '')
    await waitFor(() => expect(readFileSync(join(run.runDir, 'exit'), 'utf8')).toMatch(/^42\n/))
    expect(readFoldedTail(composeRunFiles(run.runDir).log, plain)).toMatch(/\non$/)
  })

  test('C35: a grandchild that holds the pipe keeps no run open, and all that was said until then is in the log', async () => {
    const yard = await openSupervised({ libc })
    const run = yard.run(['/bin/sh', '-c', 'echo one; setsid sleep 300 & echo last words'], piped)
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    expect(yard.log(run.run)).toBe('one\nlast words\n')
    await yard.swept(run.run)
    expect(findMarked(run.marker)).toEqual([])
  })

  test.each([
    ['nobody holds the pipe', 'echo one; echo last words'],
    ['a grandchild holds the pipe', 'echo one; setsid sleep 300 & echo last words'],
  ])('what was said is in the log when the end is told, however late the writer begins: %s', async (_, script) => {
    const yard = await openSupervised({ libc })
    const slow = join(yard.home, 'slow.cjs')
    writeFileSync(slow, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)')
    const run = yard.run(['/bin/sh', '-c', script], { ...piped, env: { NODE_OPTIONS: `--require ${slow}` } })
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    expect(yard.log(run.run)).toBe('one\nlast words\n')
    await yard.swept(run.run)
  })

  test('what a run keeps goes on writing when the run is over: its writer lives as long', async () => {
    const yard = await openSupervised({ libc })
    const kept = 'setsid sh -c ": > up; until [ -e go ]; do sleep 0.02; done; echo kept on; exec sleep 300"'
    const script = `${kept} & until [ -e up ]; do sleep 0.02; done; echo done`
    const run = yard.run(['/bin/sh', '-c', script], { ...piped, keeps: true })
    await yard.swept(run.run)
    writeFileSync(join(yard.home, 'go'), '')
    await yard.said(run.run, /done\nkept on\n/)
    for (const pid of findMarked(run.marker)) process.kill(pid, 'SIGKILL')
    await waitFor(() => expect(findMarked(run.marker)).toEqual([]))
  })

  test('a stop reaches the worker and not the writer: its last words are kept', async () => {
    const yard = await openSupervised({ libc })
    const run = yard.run(
      ['/bin/sh', '-c', 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.02; done'],
      piped,
    )
    await yard.said(run.run, /up/)
    yard.supervisor.end(run.run, { source: 'person', reason: 'enough', atOnce: false })
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 3 } })
    expect(yard.log(run.run)).toMatch(/^up\n(Terminated\n)?bye\n$/)
    await yard.swept(run.run)
  })

  test('a stop at once ends worker and writer, and nothing is left', async () => {
    const yard = await openSupervised({ libc })
    const run = yard.run(['/bin/sh', '-c', 'echo up; while sleep 0.02; do echo more; done'], piped)
    await yard.said(run.run, /up/)
    yard.supervisor.end(run.run, { source: 'person', reason: 'enough', atOnce: true })
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'signal', signal: 'SIGKILL' } })
    await yard.swept(run.run)
    expect(isAlive(run.pid)).toBe(false)
    expect(findMarked(run.marker)).toEqual([])
  })

  test('a writer whose directory is removed takes what comes, so that the worker goes on; nothing is made again', async () => {
    const yard = await openSupervised({ libc })
    const script = 'echo up; until [ -e go ]; do sleep 0.02; done; seq 1 200000 && exit 9'
    const run = yard.run(['/bin/sh', '-c', script], piped)
    await yard.said(run.run, /up/)
    rmSync(run.runDir, { recursive: true })
    writeFileSync(join(yard.home, 'go'), '')
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 9 } })
    expect(existsSync(run.runDir)).toBe(false)
    await yard.swept(run.run)
  })
})

test.skipIf('missing' in findPipeTools())('a writer that was killed is not waited for', async () => {
  const tools = findPipeTools()
  if ('missing' in tools) return
  const runDir = mkdtempSync(join(tmpdir(), 'yard-piped-'))
  onTestFinished(() => rmSync(runDir, { recursive: true }))
  writeFileSync(join(runDir, 'output.log'), '')
  const sleep = join(runDir, 'sleep')
  writeFileSync(sleep, `#!/bin/sh\necho look >> ${runDir}/looks\nexec ${tools.sleep} "$1"\n`, { mode: 0o700 })
  const input = { runDir, limitBytes: leastLogBytes, marker: 'm' }
  const [program = '', ...args] = buildPipe({ tools: { ...tools, sleep }, node: process.execPath }, input)
  const worker = ['/bin/sh', '-c', `: > ${runDir}/up; until [ -e ${runDir}/go ]; do sleep 0.02; done; exit 3`]
  const shell = spawn(program, [...args, ...worker], { stdio: 'ignore' })
  const exited = once(shell, 'exit')
  await waitFor(() => expect(existsSync(join(runDir, 'up'))).toBe(true))
  const children = () => [...(readProcessTable()?.values() ?? [])].filter(({ parent }) => parent === shell.pid)
  const writers = () => children().filter(({ pid, sid }) => pid === sid)
  await waitFor(() => expect(writers()).toHaveLength(1))
  for (const { pid } of writers()) process.kill(pid, 'SIGKILL')
  writeFileSync(join(runDir, 'go'), '')

  expect(await exited).toEqual([3, null])
  const looks = existsSync(join(runDir, 'looks')) ? readFileSync(join(runDir, 'looks'), 'utf8').split('\n').length : 0
  expect(looks).toBeLessThan(20)
})

function fileBytes({ runDir }: Started): number {
  const files = readdirSync(runDir).filter((name) => /^output\.(log|tail)/.test(name))
  return files.reduce((sum, name) => sum + statSync(join(runDir, name)).size, 0)
}

function readWhole({ runDir }: Started): string {
  const mask = createLogMask([])
  let text = ''
  for (let from = 0; ; ) {
    const piece = readLogPiece({ mask }, composeRunFiles(runDir).log, { from, limit: 1e7, open: false, nowMs: 0 })
    if (piece.next <= from) return text
    text += piece.text
    from = piece.next
  }
}
