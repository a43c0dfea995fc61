import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readLogPiece } from '../../../src/api/logs/read-piece.ts'
import { closeLog, keepLog, lookAtLog } from '../../../src/dispatcher/supervisor/kept-log.ts'
import { createLogMask, leastLogBytes } from '../../../src/kernel/index.ts'
import { loadLibc } from '../../../src/kernel/process/index.ts'
import { composeRunFiles, readFoldedTail, readLogParts, viewLog } from '../../../src/runs/index.ts'
import { waitFor } from '../../wait-for.ts'
import { openSupervised, type Started, type Supervised, ways } from './supervised.ts'

const mib = 1_024 * 1_024
const plain = (text: string) => text

/** Bytes on disk of everything that belongs to the log of a run. */
function diskBytes(runDir: string): number {
  const files = ['output.log', 'output.tail', 'output.tail.new']
  return files.reduce(
    (sum, name) => sum + (statSync(join(runDir, name), { throwIfNoEntry: false })?.blocks ?? 0) * 512,
    0,
  )
}

/** The whole log as a reader sees it, piece by piece. */
function readWhole({ runDir }: Pick<Started, 'runDir'>): string {
  const mask = createLogMask([])
  let text = ''
  for (let from = 0; ; ) {
    const asked = { from, limit: 4 * mib, open: false, nowMs: 0 }
    const piece = readLogPiece({ mask }, composeRunFiles(runDir).log, asked)
    if (piece.next <= from) return text
    text += piece.text
    from = piece.next
  }
}

/** Numbered lines, so that whatever is missing is seen. */
const counting = (lines: number) => ['/usr/bin/seq', '-f', 'line %012.0f', '1', String(lines)]
const lineBytes = 18

describe.each(ways)('with the C library: %s', (libc) => {
  test('C105: a worker that prints without pause holds its limit while it runs, and its beginning and end are kept', async () => {
    const [limit, line] = [mib, 'a line of output that nobody will ever read']
    const yard = await openSupervised({ libc, sampleEveryMs: 100 })
    // The end is for a log that nobody cuts.
    const run = yard.run(['/bin/sh', '-c', `yes '${line}' | head -c 6G; exec sleep 300`], { logBytes: limit })
    const seen: { readonly size: number; readonly disk: number }[] = []
    await waitFor(() => {
      seen.push({ size: sizeOf(run.runDir), disk: diskBytes(run.runDir) })
      expect(seen.at(-1)?.size).toBeGreaterThan(50 * limit)
      expect(seen.filter(({ disk }) => disk > 0).length).toBeGreaterThan(20)
      // Never more than its limit and what it prints from one look to the next: a small part of all that it printed.
      const most = Math.max(...seen.map(({ disk }) => disk))
      expect(most).toBeLessThan(Math.max(...seen.map(({ size }) => size)) / 2)
    })
    yard.supervisor.end(run.run, { source: 'person', reason: 'seen enough', atOnce: false })
    await yard.swept(run.run)
    expect(diskBytes(run.runDir)).toBeLessThanOrEqual(limit + 64 * 1_024)
    const text = readWhole(run)
    expect(text.match(/^… .* …$/gm)?.[0]).toMatch(/cut: log_limit keeps the beginning and the end/)
    const lines = text.split('\n').slice(0, -1) // the last one may be cut by the signal
    expect(new Set(lines.filter((each) => !each.startsWith('… ')))).toEqual(new Set([line]))
  })

  test('what is kept keeps its place: the first and the last lines are whole, and nothing stands twice', async () => {
    const lines = 200_000
    const yard = await openSupervised({ libc, sampleEveryMs: 20 })
    const run = yard.run(counting(lines), { logBytes: leastLogBytes })
    await yard.exited(run.run)
    const text = readWhole(run)
    const numbers = [...text.matchAll(/^line (\d{12})$/gm)].map((match) => Number(match[1]))
    expect(numbers[0]).toBe(1)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(text.length).toBeLessThanOrEqual(leastLogBytes + 1_000)
    expect(text.length).toBeGreaterThan(leastLogBytes / 3)
    // Where the end is copied, what is printed between the copy and the cut is lost: that may be the very last.
    if (libc === 'use') {
      expect(numbers.at(-1)).toBe(lines)
      const lastLine = `line ${String(lines).padStart(12, '0')}`
      expect(readFoldedTail(composeRunFiles(run.runDir).log, plain)).toContain(lastLine)
      expect(sizeOf(run.runDir)).toBe(lines * lineBytes)
      const [first, last] = [numbers.findIndex((number, at) => number !== at + 1), numbers.length]
      expect((last - first) * lineBytes).toBeGreaterThan((leastLogBytes * 8) / 9 - 3 * 4_096)
    }
  })

  test('C105: a log that is too long when it is taken over is cut down at once, as is one whose worker is gone', async () => {
    const yard = await openSupervised({ libc })
    const alive = yard.run(['/bin/sleep', '300'], { logBytes: mib })
    const path = composeRunFiles(alive.runDir).log
    appendFileSync(path, 'a line\n'.repeat(600_000))
    await yard.supervisor.stop()
    const next = await openSupervised({ libc })
    const record = { ...alive, phase: 'started', startedMonotonic: null, stopping: null } as const
    expect(next.adopt(record)).toBe('same')
    await waitFor(() => expect(diskBytes(alive.runDir)).toBeLessThanOrEqual(mib + 4_096))
    appendFileSync(path, 'more\n'.repeat(600_000))
    process.kill(alive.pid, 'SIGKILL')
    process.kill(-alive.pid, 'SIGKILL')
    await next.exited(alive.run)
    expect(diskBytes(alive.runDir)).toBeLessThanOrEqual(mib + 4_096)
    expect(readFoldedTail(path, plain)).toMatch(/^(more\n){18}/)
  })

  test('a worker that shortens its log is noticed: the loss is told once, and followers go on where they were', async () => {
    const yard = await openSupervised({ libc, sampleEveryMs: 30 })
    const folder = mkdtempSync(join(tmpdir(), 'yard-steps-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // Times of files have a grain: what is written in one of it cannot be told apart by `looked`.
    const steps = `echo one; sleep 0.05; echo two
      until [ -e 1 ]; do sleep 0.01; done; : > /proc/self/fd/1; sleep 0.05; echo three
      until [ -e 2 ]; do sleep 0.01; done; : > /proc/self/fd/1; exec sleep 300`
    const run = yard.run(['/bin/sh', '-c', steps], { cwd: folder, logBytes: mib })
    const path = composeRunFiles(run.runDir).log
    const follow = (from: number) =>
      readLogPiece({ mask: createLogMask([]) }, path, { from, limit: mib, open: true, nowMs: Number.MAX_SAFE_INTEGER })
    await yard.said(run.run, /two/)
    await looked(yard, run)
    writeFileSync(join(folder, '1'), '')
    await waitFor(() => expect(yard.told.filter(({ kind }) => kind === 'logShortened')).toHaveLength(1))
    expect(yard.told.find(({ kind }) => kind === 'logShortened')?.text).toBe(
      'its log was shortened while it ran, not by yardmaster: 8 B of it are lost',
    )
    await waitFor(() => expect(follow(8)).toMatchObject({ text: 'three\n', from: 8, next: 14 }))
    expect(readFoldedTail(path, plain)).toBe(
      '… 8 B lost: the log was shortened while the attempt ran, not by yardmaster …\nthree',
    )
    await looked(yard, run)
    writeFileSync(join(folder, '2'), '')
    await waitFor(() => expect(readLogParts(path)).toEqual([expect.objectContaining({ from: 14 })]))
    expect(yard.told.filter(({ kind }) => kind === 'logShortened')).toHaveLength(1)
  })

  test.each([
    ['removed', (runDir: string) => rmSync(runDir, { recursive: true })],
    [
      'replaced by a link',
      (runDir: string) => {
        renameSync(runDir, `${runDir}.away`)
        const elsewhere = join(runDir, '..', 'elsewhere')
        mkdirSync(elsewhere)
        for (const name of ['output.log', 'exit', 'report.json']) writeFileSync(join(elsewhere, name), ' '.repeat(16))
        symlinkSync(elsewhere, runDir)
      },
    ],
  ])(
    'a run whose directory is %s while it runs ends all the same; nothing is followed or made again',
    async (_, spoil) => {
      const yard = await openSupervised({ libc, sampleEveryMs: 20 })
      const run = yard.run(['/bin/sh', '-c', 'echo up; read -r _ < "$GO"; seq 1 100000; exit 7'], {
        logBytes: leastLogBytes,
        env: { GO: pipe(yard) },
      })
      await yard.said(run.run, /up/)
      await looked(yard, run)
      spoil(run.runDir)
      const elsewhere = join(run.runDir, '..', 'elsewhere')
      const before = statSync(elsewhere, { throwIfNoEntry: false })?.mtimeMs
      writeFileSync(join(yard.home, 'go'), 'go\n')
      expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 7 }, record: null })
      await yard.swept(run.run)
      expect(statSync(elsewhere, { throwIfNoEntry: false })?.mtimeMs).toBe(before)
      expect(readFoldedTail(composeRunFiles(run.runDir).log, plain)).toBe('')
      if (before === undefined) expect(statSync(run.runDir, { throwIfNoEntry: false })).toBeUndefined()
    },
  )

  test('C35: a grandchild that holds the output of a worker does not keep its run open, and all that was said until then is in the log', async () => {
    const yard = await openSupervised({ libc })
    const run = yard.run(['/bin/sh', '-c', 'echo one; setsid sleep 300 & echo last words'], {})
    expect(await yard.exited(run.run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    expect(yard.log(run.run)).toBe('one\nlast words\n')
    await yard.swept(run.run)
  })
})

describe('a log', () => {
  test('of which 100 GB are to be cut is on record at once and given back piece by piece', async () => {
    const libc = await loadLibc()
    const folder = mkdtempSync(join(tmpdir(), 'yard-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'output.log')
    writeFileSync(path, 'first\n')
    truncateSync(path, 100e9)
    appendFileSync(path, 'last words\n')
    const log = keepLog({ libc }, { path, limitBytes: mib })
    expect(lookAtLog({ libc }, log)).toMatchObject({ sizeBytes: 100e9 + 11 })
    if (log.way === 'free') expect(log.toFree?.from).toBeLessThan(1e9) // the rest of it comes in later turns
    expect(readLogParts(path)).toHaveLength(2)
    expect(readFoldedTail(path, plain)).toMatch(/last words$/)
    closeLog(log)
  })

  test('is cut by copy where its file system refuses to free the middle of a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yard-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'output.log')
    const libc = { ...(await loadLibc()), freeRange: () => 95 } as NonNullable<Awaited<ReturnType<typeof loadLibc>>>
    const log = keepLog({ libc }, { path, limitBytes: leastLogBytes })
    for (let round = 0; round < 40; round += 1) {
      appendFileSync(path, Array.from({ length: 1_000 }, (_, n) => `round ${round} line ${n} of many\n`).join(''))
      const look = lookAtLog({ libc }, log)
      expect(diskBytes(folder)).toBeLessThanOrEqual(leastLogBytes + 3 * 4_096)
      expect(look?.shortenedFromBytes).toBeNull()
    }
    expect(readFileSync(path, 'utf8').startsWith('round 0 line 0 of many\n')).toBe(true)
    expect(readFoldedTail(path, plain)).toMatch(/round 39 line 999 of many$/)
    expect(readWhole({ runDir: folder })).toMatch(/… .*log_limit.*\n(.*\n)*… here some output may be missing/)
    closeLog(log)
  })

  test.skipIf(!mayMount())('on a full disk is cut all the same, and its record follows', async () => {
    const libc = await loadLibc()
    const folder = mkdtempSync(join(tmpdir(), 'yard-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
    onTestFinished(() => {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    })
    const path = join(folder, 'output.log')
    writeFileSync(path, '')
    expect(() => appendFileSync(path, 'x'.repeat(2 * mib))).toThrow('ENOSPC')
    const log = keepLog({ libc }, { path, limitBytes: leastLogBytes })
    expect(lookAtLog({ libc }, log)?.keptBytes).toBeLessThanOrEqual(leastLogBytes)
    expect(diskBytes(folder)).toBeLessThanOrEqual(leastLogBytes + 4_096)
    expect(readLogParts(path)).toHaveLength(2)
    closeLog(log)
  })
})

/** What was written to the log, whatever became of it. */
const sizeOf = (runDir: string): number => viewLog(composeRunFiles(runDir).log, ({ sizeBytes }) => sizeBytes) ?? 0

/** Until the keeper has seen all that was written so far. */
async function looked({ supervisor }: Supervised, { runDir }: Pick<Started, 'runDir'>): Promise<void> {
  await waitFor(() => {
    expect(supervisor.samples()[0]?.lastOutputAtMs).toBe(statSync(composeRunFiles(runDir).log).mtimeMs)
  })
}

function pipe({ home }: Supervised): string {
  execFileSync('mkfifo', [join(home, 'go')])
  return join(home, 'go')
}

function mayMount(): boolean {
  try {
    return process.getuid?.() === 0 && execFileSync('unshare', ['--mount', 'true']).length === 0
  } catch {
    return false
  }
}
