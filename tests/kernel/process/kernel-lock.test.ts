import { once } from 'node:events'
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock, systemRandom } from '../../../src/kernel/index.ts'
import { type LockAnswer, takeKernelLock } from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from './run-bundled.ts'

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'yard-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

async function take(home: string, waitMs = 0): Promise<LockAnswer> {
  const answer = await takeKernelLock(
    { clock: systemClock, random: systemRandom },
    { path: join(home, 'lock.db'), holderPath: join(home, 'hub.json'), waitMs },
  )
  if (answer.kind === 'held') onTestFinished(() => answer.lock.release())
  return answer
}

async function startHolder(home: string, ...wrapper: readonly string[]) {
  const program = await bundleFixture('lock-holder.ts')
  const holder = startProgram([...wrapper, process.execPath, program, join(home, 'lock.db')], '')
  expect(await readFirstLine(holder)).toBe('held')
  return holder
}

test('a home has one holder; the second is told who it is, from the note beside the lock', async () => {
  const home = makeHome()
  expect(await take(home)).toMatchObject({ kind: 'held' })
  expect(await take(home)).toEqual({ kind: 'taken', holder: undefined })
  writeFileSync(
    join(home, 'hub.json'),
    JSON.stringify({ pid: 12, port: 7420, started: '2030-01-01T00:00:00Z', more: 1 }),
  )
  const nothing = { fingerprint: null, machine: null, host: null }
  const holder = { pid: 12, port: 7420, started: '2030-01-01T00:00:00Z', ...nothing }
  expect(await take(home)).toEqual({ kind: 'taken', holder })
})

test.each(['', '{', '[]', '{"pid":"x"}', 'null'])('a note that says %j names nobody', async (note) => {
  const home = makeHome()
  await take(home)
  writeFileSync(join(home, 'hub.json'), note)
  expect(await take(home)).toEqual({ kind: 'taken', holder: undefined })
})

test('it is free as soon as its holder released it, and a waiter gets it then', async () => {
  const home = makeHome()
  const first = await take(home)
  const second = take(home, 10_000)
  if (first.kind === 'held') first.lock.release()
  expect(await second).toMatchObject({ kind: 'held' })
})

test('a waiter gives up after the time it was given', async () => {
  const home = makeHome()
  await take(home)
  const beganMs = systemClock.monotonicMs()
  expect(await take(home, 150)).toMatchObject({ kind: 'taken' })
  expect(systemClock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(149)
})

test('it is free right after its holder was killed, and holds across pid namespaces', async () => {
  expect(process.getuid?.(), 'this test makes a pid namespace and has to run as root').toBe(0)
  const home = makeHome()
  for (const wrapper of [[], ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']]) {
    const holder = await startHolder(home, ...wrapper)
    expect(await take(home)).toMatchObject({ kind: 'taken' })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const freed = await take(home, 2_000)
    expect(freed).toMatchObject({ kind: 'held' })
    if (freed.kind === 'held') freed.lock.release()
  }
})

test('asking in vain in the process that holds it does not drop it', async () => {
  const home = makeHome()
  await take(home)
  await take(home)
  await take(home)
  const program = await bundleFixture('lock-holder.ts')
  const other = startProgram([process.execPath, program, join(home, 'lock.db')], '')
  expect(await readFirstLine(other)).toBe('taken')
})

test('a lock whose file was replaced is noticed, and it leaves nothing beside its file', async () => {
  const home = makeHome()
  const answer = await take(home)
  if (answer.kind !== 'held') throw new Error('not held')
  expect(readdirSync(home)).toEqual(['lock.db'])
  expect(answer.lock.isStillOurs()).toBe(true)
  renameSync(join(home, 'lock.db'), join(home, 'moved'))
  expect(answer.lock.isStillOurs()).toBe(false)
  writeFileSync(join(home, 'lock.db'), '')
  expect(answer.lock.isStillOurs()).toBe(false)
})

test('a file that is no lock, or a folder that is not there, is told with its path', async () => {
  const home = makeHome()
  writeFileSync(join(home, 'lock.db'), 'not a database at all, but long enough to be looked at as if it were one')
  await expect(take(home)).rejects.toMatchObject({
    code: 'PROCESS_LOCK_FAILED',
    message: expect.stringContaining(home),
  })
  await expect(take(join(home, 'missing'))).rejects.toMatchObject({ code: 'PROCESS_LOCK_FAILED' })
})
