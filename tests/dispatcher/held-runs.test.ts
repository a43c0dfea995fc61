import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '../../src/kernel/index.ts'
import { formatFingerprint, parseFingerprint } from '../../src/kernel/process/index.ts'
import { waitFor } from '../wait-for.ts'
import { isAlive } from './hub-process.ts'
import { actor, startYard, type Yard, type YardOptions } from './start-yard.ts'

/** One attempt that lives under no hub until there is a file `go`, in a home of its own; its pid is its shim's. */
async function leaveRun(options: YardOptions = {}): Promise<{ root: string; pid: number; go: () => void }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-held-')))
  const flag = realpathSync(mkdtempSync(join(tmpdir(), 'yard-flag-')))
  const go = () => writeFileSync(join(flag, 'go'), '')
  const first = await startYard({ ...options, home: root })
  const task = first.add({
    run: `echo ran >> ${flag}/trace; while [ ! -e ${flag}/go ]; do sleep 0.02; done; echo fine`,
  })
  await first.seen('run.started', { task })
  const [{ pid } = { pid: null }] = first.board.openRuns()
  await first.leave()
  onTestFinished(async () => {
    go()
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false)
    for (const folder of [root, flag]) rmSync(folder, { recursive: true, force: true })
  })
  return { root, pid: pid ?? 0, go }
}

/** Of this namespace's number under another PID 1: whoever lives in it now may be of that one. */
function moveApart(root: string): void {
  const db = new Sqlite(join(root, 'home', 'yard.db'))
  const { fingerprint } = db.prepare('select fingerprint from run').get() as { fingerprint: string }
  const captured = parseFingerprint(fingerprint)
  if (captured === undefined) throw new Error('not captured')
  const there = { ...captured, host: { ...captured.host, initStartTicks: 987_654_321, endsWithUs: false } }
  db.prepare('update run set fingerprint = ?').run(formatFingerprint(there))
  db.close()
}

const heldRun = ({ board }: Pick<Yard, 'board'>) => board.openRuns()[0] ?? Promise.reject(new Error('nothing is open'))

test('an attempt out of sight whose record says how it ended: that counts once and frees its slot, its task waits for what it may have left', async () => {
  const { root, pid, go } = await leaveRun()
  go()
  await expect.poll(() => isAlive(pid)).toBe(false)
  moveApart(root)

  await using yard = await startYard({ home: root, slots: 1 })
  const other = yard.add({ run: 'true' })
  expect((await yard.over(other)).status).toBe('done')
  const held = await heldRun(yard)
  expect(held).toMatchObject({ phase: 'exited', outcome: 'done', exitCode: 0, outputTail: 'fine' })
  expect(yard.dispatcher.isHeld(held.id)).toBe(true)
  expect(yard.task(held.task)).toMatchObject({ status: 'running', openRun: held.id })
  await yard.dispatcher.leave() // nobody waits for it
  await yard.leave()

  await using next = await startYard({ home: root })
  expect(next.dispatcher.isHeld(held.id)).toBe(true)
  expect(next.dispatcher.release(held.id, actor)).toBe('released')
  expect(next.task(held.task)).toMatchObject({ status: 'done', runs: 1 })
  const ends = next.board.eventsAfter(0, 1_000).filter(({ kind, run }) => kind === 'run.exited' && run === held.id)
  expect(ends).toHaveLength(1)
})

test('a held attempt that ends in the very moment it is to be passed over is not begun again: its end is recorded first', async () => {
  const { root, pid, go } = await leaveRun()
  moveApart(root)
  await using yard = await startYard({ home: root })
  const held = await heldRun(yard)
  expect(held.phase).toBe('started')
  const exited = yard.seen('run.exited', { task: held.task })
  go()
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(yard.dispatcher.release(held.id, actor)).toBe('ending')
  await exited
  expect(yard.dispatcher.release(held.id, actor)).toBe('released')
  expect(yard.task(held.task)).toMatchObject({ status: 'done', runs: 1 })
})

test('a held attempt that turns out to be alive is waited for like any other: a drain ends only after it', async () => {
  const { root, go } = await leaveRun()
  // A home that was copied elsewhere and is removed then: as long as both are there, it works for the other one.
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'yard-held-')))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(root, copy, { recursive: true })
  await using yard = await startYard({ home: copy })
  const held = await heldRun(yard)
  expect(yard.dispatcher.isHeld(held.id)).toBe(true)
  await yard.dispatcher.leave() // nobody waits for it as long as it is held

  rmSync(root, { recursive: true })
  const adopted = yard.seen('run.adopted', { task: held.task })
  expect(yard.dispatcher.isHeld(held.id)).toBe(false)
  await adopted
  let isIdle = false
  const drained = yard.dispatcher.leave().then(() => {
    isIdle = true
  })
  await waitFor(() => expect(yard.dispatcher.sampleOf(held.id)).toBeDefined())
  expect(isIdle).toBe(false)
  go()
  await drained
  expect(existsSync(join(copy, 'home'))).toBe(true)
  expect(yard.board.readRun(held.id)?.phase).toBe('settled')
})

test('an account whose probe is held is not held with it: after a minute others find out whether it serves', async () => {
  const options: YardOptions = {
    slots: 2,
    lanes: { command: { account: 'paid' } },
    accounts: { paid: { baseUrl: null, slots: null, key: { env: 'PATH' } } },
  }
  const { root } = await leaveRun(options)
  moveApart(root)
  const db = new Sqlite(join(root, 'home', 'yard.db'))
  db.exec(`update run set probe = 1; delete from gate;
    insert into gate (account, epoch, probe_run, reason, since_ms) select 'paid', 1, id, 'rate limit', 1 from run`)
  db.close()
  const minuteIsShort: Clock = { ...systemClock, after: (ms, ...rest) => systemClock.after(ms / 100, ...rest) }
  await using yard = await startYard({ ...options, home: root, clock: minuteIsShort })
  const held = await heldRun(yard)
  expect(yard.board.readGate('paid')?.probeRun).toBe(held.id)
  const other = yard.add({ run: 'true' })
  expect((await yard.over(other)).status).toBe('done')
  expect(yard.board.eventsAfter(0, 1_000).find(({ kind }) => kind === 'account.opened')?.text).toBe(
    'account paid is open again: it cannot be told what became of the probe, so others try it',
  )
  expect(yard.runs(held.task)).toHaveLength(1)
})
