import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Run } from '../../src/board/index.ts'
import { buildHub, startHub } from './hub-process.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

beforeAll(buildHub)

const left: { root: string; pid: number }[] = []

/** What a test leaves alive on purpose is ours to end: it is in a session of its own, under its shim. */
afterEach(() => {
  for (const { root, pid } of left.splice(0)) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
    rmSync(root, { recursive: true, force: true })
  }
})

/**
 * Leaves one attempt alive under no hub, with the record of its identity spoilt: the next hub cannot tell whether it lives.
 * Another attempt at its task ends at once when there is a file `go`.
 */
async function leaveDoubtfulRun(): Promise<{ root: string; next: () => Promise<Yard>; go: string }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-release-')))
  const go = join(root, 'go')
  const first = await startYard({ home: root })
  const task = first.add({ run: `[ -e ${go} ] && exit 0; touch up; sleep 1000` })
  await first.seen('run.started', { task })
  // It has looked for that file: else it could end by it, and then its end would be known.
  await expect.poll(() => existsSync(join(root, 'work', 'up'))).toBe(true)
  await first.leave()
  left.push({ root, pid: spoil(join(root, 'home', 'yard.db')) })
  return { root, next: () => startYard({ home: root }), go }
}

function heldRun({ board }: Yard): Run {
  const [held] = board.openRuns()
  if (held === undefined) throw new Error('nothing is open')
  return held
}

function spoil(store: string): number {
  const db = new Sqlite(store)
  const { pid } = db.prepare('select pid from run').get() as { pid: number }
  db.exec("update run set fingerprint = 'unverified'")
  db.close()
  return pid
}

test('an open attempt that the hub has not taken over yet is said to be started or ended, not to be none', async () => {
  await using yard = await startYard()
  await yard.dispatcher.stop()
  yard.add({ run: 'true' })
  const [claim] = yard.board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (claim === undefined) throw new Error('nothing to claim')
  expect(yard.dispatcher.release(claim.run.id, actor)).toBe('ending')
})

test('an attempt that is alive beyond doubt is not passed over: stopping it is the way', async () => {
  await using yard = await startYard()
  const task = yard.add({ run: 'sleep 1000' })
  const { run } = await yard.seen('run.started', { task })
  if (run === null) throw new Error('no attempt')
  expect(yard.dispatcher.release(run, actor)).toBe('alive')
  expect(yard.task(task).openRun).toBe(run)
})

test('a held attempt is passed over by a person, on record as the end that nobody knows, and its task starts again', async () => {
  const { next, go } = await leaveDoubtfulRun()
  await using yard = await next()
  const held = heldRun(yard)
  expect(yard.dispatcher.isHeld(held.id)).toBe(true)
  writeFileSync(go, '')

  expect(yard.dispatcher.release(held.id, actor)).toBe('released')
  const done = await yard.over(held.task)

  expect(done.status).toBe('done')
  const [first, second] = yard.runs(held.task)
  expect(first).toMatchObject({ outcome: 'unknown', releasedBy: 'ana', phase: 'settled' })
  expect(first?.reason).toContain('ana let the task go although R1 may be alive')
  expect(second).toMatchObject({ outcome: 'done', releasedBy: null })
  expect(done.failures).toBe(0)
  const events = yard.board.eventsAfter(0, 1_000, { task: held.task })
  expect(events.find(({ kind }) => kind === 'run.released')).toMatchObject({ by: 'ana', run: held.id })
  expect(existsSync(`/proc/${held.pid}`)).toBe(true) // no signal was sent
  expect(yard.dispatcher.release(held.id, actor)).toBe('over')
})

test('what was wished of a held attempt holds when it is passed over: a cancelled task does not go back', async () => {
  const { next } = await leaveDoubtfulRun()
  await using yard = await next()
  const held = heldRun(yard)
  yard.board.cancelTask(held.task, actor)
  expect(yard.dispatcher.release(held.id, actor)).toBe('released')
  expect(yard.task(held.task)).toMatchObject({ status: 'cancelled' })
})

test.each([
  [{ kind: 'complete', text: 'fixed' }, { outcome: 'done', result: 'fixed' }, { status: 'done' }],
  [{ kind: 'block', text: 'Redis?', code: 'needs_input' }, { outcome: 'blocked' }, { status: 'blocked' }],
] as const)('a held attempt that had said how it ends is taken at its word: %o', async (said, run, task) => {
  const { next } = await leaveDoubtfulRun()
  await using yard = await next()
  const held = heldRun(yard)
  const call = { code: null, data: null, onTask: null, ...said }
  expect(yard.board.recordCall({ run: held.id, fence: held.fence }, call)).toEqual({ kind: 'recorded' })
  expect(yard.dispatcher.release(held.id, actor)).toBe('released')
  expect(yard.runs(held.task)).toMatchObject([{ ...run, releasedBy: 'ana' }])
  expect(yard.task(held.task)).toMatchObject(task)
})

test('an attempt with an outcome keeps it when its leftovers are passed over', async () => {
  const { next } = await leaveDoubtfulRun()
  const before = await next()
  const open = heldRun(before)
  const nothing = { signal: null, outputTail: null, result: null, data: null, usage: null, stopDelivered: false }
  const facts = { outcome: 'done', exitCode: 0, reason: 'exit 0', ...nothing } as const
  before.board.recordExited([{ run: open.id, fence: open.fence, ...facts }])
  await before.leave()

  await using yard = await next()
  expect(yard.dispatcher.release(open.id, actor)).toBe('released')
  expect(yard.runs(open.task)).toMatchObject([{ outcome: 'done', releasedBy: 'ana' }])
  expect(yard.task(open.task).status).toBe('done')
})

test('a hub that is killed at release.committed has let the task go: the next one starts it, and not a second time', async () => {
  const { root, next, go } = await leaveDoubtfulRun()
  writeFileSync(go, '')
  const hub = startHub(root, {}, 'release.committed', 'release')
  expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
  await using yard = await next()
  const [first] = yard.board.listTasks({}, { limit: 1 }).rows
  if (first === undefined) throw new Error('no task')
  expect(await yard.over(first.id)).toMatchObject({ status: 'done', failures: 0 })
  expect(yard.runs(first.id).map(({ outcome }) => outcome)).toEqual(['unknown', 'done'])
})
