import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leastLogBytes } from '../../src/kernel/index.ts'
import { composeRunDirectory } from '../../src/runs/index.ts'
import { waitFor } from '../wait-for.ts'
import { startYard, type Yard } from './start-yard.ts'

const kib = 1_024
const printing = (lines: number) => `seq -f 'line %09.0f' ${lines}`

test('C105: log_limit of a task, of its lane, and the built-in one bound what is on disk when an attempt is over', async () => {
  await using yard = await startYard({ lanes: { brief: { uses: 'command', logBytes: 2 * leastLogBytes } } })
  const own = yard.add({ run: printing(100_000), logBytes: leastLogBytes }, { lane: 'brief' })
  const lane = yard.add({ run: printing(100_000) }, { lane: 'brief' })
  const builtIn = yard.add({ run: printing(100_000) })
  for (const id of [own, lane, builtIn]) expect((await yard.over(id)).status).toBe('done')
  const [ownKib, laneKib, builtInKib] = [own, lane, builtIn].map((id) => logKib(yard, id))
  expect(ownKib).toBeLessThanOrEqual(256)
  expect(laneKib).toBeLessThanOrEqual(512)
  expect(laneKib).toBeGreaterThan(400)
  expect(builtInKib).toBeGreaterThan(1_300)
  expect(yard.runs(own)[0]?.outputTail).toMatch(/line 000099999\nline 000100000$/)
})

test('C105: the limit that an attempt was started with holds under the next hub, and what it printed meanwhile is cut', async () => {
  await using yard = await startYard()
  const id = yard.add({
    run: `${printing(10)}; until [ -e go ]; do sleep 0.02; done; echo end`,
    logBytes: leastLogBytes,
  })
  await said(yard, id, /line 000000010/)
  const log = join(runDir(yard, id), 'output.log')
  await yard.leave()
  writeFileSync(log, `${'x'.repeat(99)}\n`.repeat(20_000), { flag: 'a' })
  await using next = await startYard({ home: join(yard.home, '..') })
  await waitFor(() => expect(logKib(next, id)).toBeLessThanOrEqual(256))
  writeFileSync(join(next.folder, 'go'), '')
  expect((await next.over(id)).status).toBe('done')
  expect(next.runs(id)[0]?.outputTail).toMatch(/x\nend$/)
})

test('a lane with log: piped runs its tasks through a writer, and says so in no word of their output', async () => {
  await using yard = await startYard({ lanes: { piped: { uses: 'command', log: 'piped', logBytes: leastLogBytes } } })
  const id = yard.add({ run: `${printing(100_000)}; echo oops >&2; exit 3` }, { lane: 'piped' })
  expect((await yard.over(id)).status).toBe('failed')
  expect(yard.runs(id)[0]).toMatchObject({ outcome: 'failed', exitCode: 3, outputTail: expect.stringMatching(/oops$/) })
  expect(existsSync(join(runDir(yard, id), 'output.pipe'))).toBe(false)
})

test('an attempt that shortens its own log is told on its record, and its last words say what is lost', async () => {
  await using yard = await startYard()
  const id = yard.add({ run: 'echo one; until [ -e go ]; do sleep 0.01; done; echo two > /dev/stdout; echo three' })
  await said(yard, id, /one\n/)
  const { mtimeMs } = statSync(join(runDir(yard, id), 'output.log'))
  await waitFor(() => expect(yard.dispatcher.sampleOf(runOf(yard, id))?.lastOutputAtMs).toBe(mtimeMs))
  const told = yard.seen('run.log_shortened')
  writeFileSync(join(yard.folder, 'go'), '')
  const event = await told
  expect(event.text).toMatch(/^its log was shortened while it ran, not by yardmaster: 4 B of it are lost$/)
  expect((await yard.over(id)).status).toBe('done')
  expect(yard.runs(id)[0]?.outputTail).toMatch(/^… 4 B lost: the log was shortened .* …\ntwo\nthree$/)
})

test.each([
  ['removed', (dir: string) => rmSync(dir, { recursive: true }), 'the directory of the attempt is gone'],
  [
    'replaced by a link',
    (dir: string) => {
      renameSync(dir, `${dir}.away`)
      mkdirSync(`${dir}.else`)
      writeFileSync(join(`${dir}.else`, 'exit'), `0\n${' '.repeat(14)}`)
      writeFileSync(join(`${dir}.else`, 'output.log'), 'not what it said\n')
      symlinkSync(`${dir}.else`, dir)
    },
    'something else stands where the directory of the attempt was',
  ],
])('an attempt whose directory is %s while it runs ends by its code, with an honest note', async (_, spoil, says) => {
  await using yard = await startYard()
  const id = yard.add({ run: 'echo up; until [ -e go ]; do sleep 0.01; done; echo more; exit 4' })
  await said(yard, id, /up\n/)
  spoil(runDir(yard, id))
  writeFileSync(join(yard.folder, 'go'), '')
  expect((await yard.over(id)).status).toBe('failed')
  expect(yard.runs(id)[0]).toMatchObject({ outcome: 'failed', exitCode: 4, outputTail: null })
  expect(yard.runs(id)[0]?.reason).toBe(`exit code 4. Its report was not used: ${says}`)
})

const runOf = (yard: Yard, id: Parameters<Yard['runs']>[0]) => {
  const run = yard.runs(id).at(-1)?.id
  if (run === undefined) throw new Error('not run yet')
  return run
}
const runDir = (yard: Yard, id: Parameters<Yard['runs']>[0]) => composeRunDirectory(yard.home, runOf(yard, id))
const logKib = (yard: Yard, id: Parameters<Yard['runs']>[0]) =>
  (statSync(join(runDir(yard, id), 'output.log')).blocks * 512) / kib

/** Until it has written this. */
async function said(yard: Yard, id: Parameters<Yard['runs']>[0], what: RegExp): Promise<void> {
  await waitFor(() => expect(readFileSync(join(runDir(yard, id), 'output.log'), 'utf8')).toMatch(what))
}
