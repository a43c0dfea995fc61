import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Batch,
  type Board,
  type KeptRun,
  type Outcome,
  openBoard,
  type Settled,
  type Task,
} from '../../src/board/index.ts'
import { createKeeper, type Keeper } from '../../src/dispatcher/index.ts'
import { eventsKeptMs, planRetention, youngestToGo } from '../../src/dispatcher/retention/plan-retention.ts'
import type { KeepConfig } from '../../src/kernel/config/index.ts'
import { type RunId, runId, systemClock, systemRandom, type TaskId, taskId } from '../../src/kernel/index.ts'
import {
  composeRunDirectory,
  composeRunFiles,
  createRunDirectory,
  type RunReport,
  writeReport,
} from '../../src/runs/index.ts'
import { makeScratch, workspacePath } from '../../src/workspaces/index.ts'
import { buildHub, startHub } from './hub-process.ts'
import { startYard } from './start-yard.ts'

beforeAll(buildHub)

const day = 86_400_000
const usual: KeepConfig = { doneMs: 3 * day, failedMs: 30 * day }
const startMs = Date.UTC(2026, 10, 29)

describe('how long an attempt is kept', () => {
  const kept = (over: Partial<KeptRun>): KeptRun => ({
    run: runId(1),
    settledAtMs: startMs,
    task: taskId(1),
    taskStatus: 'done',
    taskSettledAtMs: startMs,
    isNewest: true,
    ...over,
  })
  const at = (days: number) => startMs + days * day

  test.each([
    ['done, before its time', {}, 2.9, 'keep'],
    ['done, after it', {}, 3, 'directory and scratch'],
    ['an earlier attempt of a done task', { isNewest: false }, 3, 'directory'],
    ['the newest of a failed task', { taskStatus: 'failed' }, 29, 'keep'],
    ['the newest of a failed task, after its time', { taskStatus: 'failed' }, 30, 'directory and scratch'],
    ['an earlier one of a failed task', { taskStatus: 'failed', isNewest: false }, 3, 'directory'],
    ['the newest of a cancelled task', { taskStatus: 'cancelled' }, 29, 'keep'],
    ['the newest of an open task', { taskStatus: 'blocked', taskSettledAtMs: null }, 1_000, 'keep'],
    ['an earlier one of an open task', { taskStatus: 'ready', taskSettledAtMs: null, isNewest: false }, 29, 'keep'],
    ['an old one of an open task', { taskStatus: 'ready', taskSettledAtMs: null, isNewest: false }, 30, 'directory'],
  ] as const)('%s', (_, over, days, plan) => expect(planRetention(kept(over), usual, at(days))).toBe(plan))

  test('for ever means for ever', () => {
    const keep: KeepConfig = { doneMs: 'forever', failedMs: 'forever' }
    expect(planRetention(kept({}), keep, at(10_000))).toBe('keep')
    expect(youngestToGo(keep, at(10_000))).toBeNull()
    expect(youngestToGo({ doneMs: 'forever', failedMs: day }, at(2))).toBe(at(1))
  })
})

interface KeptYard extends Disposable {
  readonly home: string
  readonly board: Board
  readonly warnings: readonly string[]
  readonly clock: { atMs: number }
  keeper(keep?: KeepConfig): Keeper
  /** A task with so many ended attempts, the last with this outcome, each with a directory that holds a log. */
  ended(outcomes: readonly Outcome[]): { readonly task: TaskId; readonly runs: readonly RunId[] }
}

function aYard(): KeptYard {
  const home = mkdtempSync(join(tmpdir(), 'yard-keep-'))
  const at = { atMs: startMs }
  const clock = { ...systemClock, nowMs: () => at.atMs }
  const board = openBoard({ path: join(home, 'yard.db'), clock, random: systemRandom })
  const warnings: string[] = []
  const log = { info() {}, warn: (event: string) => void warnings.push(event), error: console.error }
  const add = (): Task => {
    const spec = { title: 'a task', run: 'true', dir: home }
    const [made] = board.createTasks({ board: 'main', tasks: [{ spec, lane: 'command' }] }, { by: 'ana' })
    if (made === undefined) throw new Error('not made')
    return made.task
  }
  return {
    home,
    board,
    warnings,
    clock: at,
    keeper: (keep = usual) =>
      createKeeper({ board, clock, random: systemRandom, log, home, program: '/', env: {}, keep }),
    ended(outcomes) {
      const { id } = add()
      const runs = outcomes.map((outcome, n) => endOne({ board, home }, outcome, n === outcomes.length - 1))
      return { task: id, runs }
    },
    [Symbol.dispose]() {
      board.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function endOne({ board, home }: Pick<KeptYard, 'board' | 'home'>, outcome: Outcome, isLast: boolean): RunId {
  const [claim] = board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (claim === undefined) throw new Error('nothing to claim')
  const { id: run, fence } = claim.run
  writeFileSync(composeRunFiles(createRunDirectory(home, run)).log, 'words')
  makeScratch(workspacePath(home, claim.task.id))
  const nothing = { exitCode: 0, signal: null, outputTail: 'words', result: null, data: null, usage: null }
  board.recordExited([{ run, fence, outcome, reason: 'as it was', stopDelivered: false, ...nothing }])
  const back: Settled['move'] = { to: 'back', notBeforeMs: null, code: outcome, text: 'again' }
  const last: Settled['move'] = outcome === 'done' ? { to: 'done' } : { to: 'failed', code: outcome, text: 'for good' }
  board.recordSettled([{ run, fence, move: isLast ? last : back, failures: 0 }])
  return run
}

/** A batch of two tasks, which go before all others. */
function submitTwo({ board, home }: KeptYard): Batch {
  const spec = { title: 'a task', run: 'true', dir: home }
  const tasks = ['a', 'b'].map((rowKey) => ({ rowKey, priority: 9, spec, lane: 'command' }))
  const kept = { limits: { onWall: 'wait' }, defaults: {}, mode: 'auto', redo: [] } as const
  return board.submitBatch(
    { board: 'main', batch: { name: 'night', digest: 'd', file: null, tasks, ...kept } },
    { by: 'ana' },
  ).batch
}

const hasDirectory = ({ home }: KeptYard, run: RunId | undefined): boolean =>
  existsSync(composeRunDirectory(home, run ?? runId(1)))

describe('a look at what is past its time', () => {
  test('removes directories and scratch folders when their time has come, and notes it with the attempt', async () => {
    using yard = aYard()
    const done = yard.ended(['failed', 'done'])
    const failed = yard.ended(['failed', 'failed'])
    const keeper = yard.keeper()
    yard.clock.atMs += 2 * day
    expect(await keeper.sweep()).toEqual({ runs: 0, scratch: 0, worktrees: 0, events: 0, files: 0 })
    yard.clock.atMs += 2 * day
    expect(await keeper.sweep()).toMatchObject({ runs: 3, scratch: 1 })
    expect([...done.runs, ...failed.runs].map((run) => hasDirectory(yard, run))).toEqual([false, false, false, true])
    expect(existsSync(workspacePath(yard.home, done.task))).toBe(false)
    expect(existsSync(workspacePath(yard.home, failed.task))).toBe(true)
    expect(yard.board.readRun(done.runs[1] ?? runId(1))).toMatchObject({
      prunedAtMs: yard.clock.atMs,
      outputTail: 'words',
    })
    yard.clock.atMs += 30 * day
    expect(await keeper.sweep()).toMatchObject({ runs: 1, scratch: 1 })
    expect(readdirSync(join(yard.home, 'trash'))).toEqual([])
    expect(readdirSync(join(yard.home, 'workspaces'))).toEqual([])
    expect(yard.warnings).toEqual([])
  })

  test('walks past what stays, however much of it there is', async () => {
    using yard = aYard()
    for (let n = 0; n < 60; n += 1) yard.ended(['failed'])
    const { runs } = yard.ended(['done'])
    yard.clock.atMs += 4 * day
    expect(await yard.keeper().sweep()).toMatchObject({ runs: 1 })
    expect(hasDirectory(yard, runs[0])).toBe(false)
  })

  test('follows no link and removes nothing that it has not made: it says so and leaves it', async () => {
    using yard = aYard()
    const precious = join(yard.home, 'precious')
    mkdirSync(precious)
    writeFileSync(join(precious, 'exit'), '0')
    const linked = yard.ended(['done'])
    const unmarked = yard.ended(['done'])
    const exchanged = yard.ended(['done'])
    const linkedDir = composeRunDirectory(yard.home, linked.runs[0] ?? runId(1))
    rmSync(linkedDir, { recursive: true })
    symlinkSync(precious, linkedDir)
    const unmarkedDir = composeRunDirectory(yard.home, unmarked.runs[0] ?? runId(1))
    rmSync(join(unmarkedDir, 'exit'))
    const scratch = workspacePath(yard.home, exchanged.task)
    renameSync(scratch, `${scratch}.aside`)
    mkdirSync(scratch)
    writeFileSync(join(scratch, 'mine'), 'x')
    yard.clock.atMs += 4 * day
    await yard.keeper().sweep()
    expect(readdirSync(precious)).toEqual(['exit'])
    expect(existsSync(unmarkedDir)).toBe(true)
    expect(readdirSync(scratch)).toEqual(['mine'])
    expect(yard.warnings).toEqual(['retention.left', 'retention.left', 'retention.left'])
    expect(await yard.keeper().sweep()).toMatchObject({ runs: 0 }) // not looked at for ever
  })

  test('goes on after a kill between any two steps: moved and not noted, noted and not removed', async () => {
    using yard = aYard()
    const { runs } = yard.ended(['done'])
    const trash = join(yard.home, 'trash')
    mkdirSync(trash)
    renameSync(composeRunDirectory(yard.home, runs[0] ?? runId(1)), join(trash, 'R1-cut'))
    writeFileSync(join(trash, 'T1-cut.diff'), 'half a patch')
    yard.clock.atMs += 4 * day
    expect(await yard.keeper().sweep()).toMatchObject({ runs: 1 })
    expect(readdirSync(trash)).toEqual([])
  })

  test.each(['retention.moved', 'retention.recorded'] as const)(
    'of a hub that is killed at %s is finished by the next one',
    async (point) => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-swept-')))
      const first = await startYard({ home: root })
      const task = first.add({ run: 'true' })
      await first.over(task)
      await first.leave()
      const hub = startHub(root, {}, point, 'sweep')
      expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
      await using yard = await startYard({ home: root })
      const { board, home } = yard
      const [run] = yard.runs(task)
      expect(run?.prunedAtMs === null).toBe(point === 'retention.moved')
      expect(existsSync(composeRunDirectory(home, run?.id ?? runId(1)))).toBe(false)
      const log = { info() {}, warn: console.error, error: console.error }
      const keep: KeepConfig = { doneMs: 0, failedMs: 'forever' }
      await createKeeper({
        board,
        clock: systemClock,
        random: systemRandom,
        log,
        home,
        program: '/',
        env: {},
        keep,
      }).sweep()
      expect(yard.runs(task)[0]?.prunedAtMs).not.toBeNull()
      expect(readdirSync(join(home, 'trash'))).toEqual([])
    },
  )

  test('a late writer finds no directory and does not make it again', async () => {
    using yard = aYard()
    const { runs } = yard.ended(['done'])
    const runDir = composeRunDirectory(yard.home, runs[0] ?? runId(1))
    yard.clock.atMs += 4 * day
    await yard.keeper().sweep()
    const { log, report } = composeRunFiles(runDir)
    expect(() => writeFileSync(log, 'late', { flag: 'a' })).toThrow('ENOENT')
    const late = { run: 1, fence: 1, message: null, result: null } as unknown as RunReport
    expect(() => writeReport(report, late)).toThrow('ENOENT')
    expect(existsSync(runDir)).toBe(false)
  })

  test('what is not to be removed stays: for ever, and while the hub stops', async () => {
    using yard = aYard()
    const { runs } = yard.ended(['done'])
    yard.clock.atMs += 1_000 * day
    expect(await yard.keeper({ doneMs: 'forever', failedMs: 'forever' }).sweep()).toMatchObject({ runs: 0, scratch: 0 })
    const keeper = yard.keeper()
    await keeper.start()
    await keeper.stop()
    expect(hasDirectory(yard, runs[0])).toBe(true)
  })
})

describe('C112: old events go in steps', () => {
  test('C112: those of open tasks and batches stay, however old; so does when hubs were up', async () => {
    using yard = aYard()
    yard.board.record({ kind: 'hub.started', text: 'hub started' }, { by: 'hub' })
    const done = yard.ended(['done'])
    const failed = yard.ended(['failed', 'failed'])
    yard.board.retryTask(failed.task, null, { by: 'ana' })
    const open = submitTwo(yard)
    endOne(yard, 'done', true) // of the batch: it has the higher priority
    yard.board.setHold({ scope: 'all', name: null, kind: 'pause', text: null }, { by: 'ana' })
    const before = yard.board.eventsAfter(0, 1_000)
    yard.clock.atMs += eventsKeptMs + day
    yard.board.record({ kind: 'hub.started', text: 'hub started' }, { by: 'hub' })

    const { events } = await yard.keeper().sweep()

    const left = yard.board.eventsAfter(0, 1_000)
    expect(events).toBe(before.length + 1 - left.length)
    expect(left.filter(({ task }) => task === done.task)).toEqual([])
    expect(left.filter(({ task }) => task === failed.task)).toEqual(before.filter(({ task }) => task === failed.task))
    const ofBatch = before.filter(({ batch }) => batch === open.id)
    expect(ofBatch.map(({ kind }) => kind)).toContain('task.done')
    expect(left.filter(({ batch }) => batch === open.id)).toEqual(ofBatch)
    expect(left.filter(({ kind }) => kind === 'hub.started')).toHaveLength(2)
    expect(left.some(({ kind }) => kind === 'hold.set')).toBe(false)
  })

  test('C112: thousands of them, in steps of which none holds the loop, and the sequence goes on', async () => {
    using yard = aYard()
    const { task } = yard.ended(['done'])
    const hand = new Sqlite(join(yard.home, 'yard.db'))
    const insert = hand.prepare(
      `insert into event (at_ms, kind, board, task, by, text, data) values (${startMs}, 'task.commented', 'main', ?, 'ana', 'x', '{}')`,
    )
    hand.transaction(() => {
      for (let n = 0; n < 2_600; n += 1) insert.run(task)
    })()
    hand.close()
    const last = yard.board.lastSeq()
    yard.clock.atMs += eventsKeptMs + 4 * day
    const steps = vi.spyOn(yard.board, 'pruneEvents')
    expect((await yard.keeper().sweep()).events).toBeGreaterThan(2_500)
    const removed = steps.mock.results.map(({ value }) => (value as { removed: number }).removed)
    expect(removed.length).toBeGreaterThan(5)
    expect(Math.max(...removed)).toBeLessThanOrEqual(500)
    expect(yard.board.lastSeq()).toBe(last) // whoever follows goes on where it was
    yard.ended(['done'])
    expect(yard.board.lastSeq()).toBeGreaterThan(last)
  })
})

test.skipIf(!canMount())(
  'what lies on another disk, where nothing can be moved from, keeps nothing else from going',
  async () => {
    using yard = aYard()
    const stuck = yard.ended(['done'])
    const other = yard.ended(['done', 'failed', 'done'])
    const workspaces = join(yard.home, 'workspaces')
    rmSync(workspaces, { recursive: true, force: true })
    mkdirSync(workspaces)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', workspaces])
    try {
      makeScratch(workspacePath(yard.home, stuck.task))
      yard.clock.atMs += 4 * day
      const { runs } = await yard.keeper().sweep()
      expect(runs).toBe(other.runs.length)
      expect(yard.warnings).toContain('retention.not_moved')
      expect(existsSync(composeRunDirectory(yard.home, stuck.runs[0] ?? runId(1)))).toBe(true)
    } finally {
      execFileSync('umount', [workspaces])
    }
  },
)

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'yard-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false // no root here
  } finally {
    rmSync(folder, { recursive: true })
  }
}
