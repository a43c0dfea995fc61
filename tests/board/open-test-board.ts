import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Board,
  type Claim,
  type NewBatch,
  type NewTask,
  type Outcome,
  openBoard,
  type Settled,
  type Task,
  type TaskSpec,
  type YardLimits,
} from '../../src/board/index.ts'
import { type Clock, type Random, type RunId, systemClock, type TaskId } from '../../src/kernel/index.ts'

/** 2026-11-29 13:00 UTC. */
export const startMs = Date.UTC(2026, 10, 29, 13, 0, 0)

/** A wall clock that the test moves; the board starts no timers. */
export interface TestClock extends Clock {
  atMs: number
}
export const createTestClock = (): TestClock => ({ ...systemClock, atMs: startMs, nowMs: wallMs, monotonicMs: wallMs })
function wallMs(this: TestClock): number {
  return this.atMs
}

/** Chance that can be replayed. */
export function createTestRandom(seed = 1): Random {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return {
    fraction: () => next() / 2 ** 32,
    hex: (bytes) =>
      Array.from({ length: bytes }, () => ((next() >>> 24) & 0xff).toString(16).padStart(2, '0')).join(''),
  }
}

export interface TestBoard extends Disposable {
  readonly board: Board
  readonly clock: TestClock
  /** The file, or `:memory:`. */
  readonly path: string
}

export type OpenTestBoard = () => TestBoard

/** As it is in short-lived programs and tests of others. */
export function openInMemory(): TestBoard {
  const clock = createTestClock()
  const board = openBoard({ path: ':memory:', clock, random: createTestRandom() })
  board.applyLimits(limits())
  return { board, clock, path: ':memory:', [Symbol.dispose]: () => board.close() }
}

/** A file in a folder of its own, gone at the end. */
export function openOnDisk(): TestBoard {
  const folder = mkdtempSync(join(tmpdir(), 'yard-board-'))
  const path = join(folder, 'yard.db')
  const clock = createTestClock()
  const board = openBoard({ path, clock, random: createTestRandom() })
  board.applyLimits(limits())
  const dispose = (): void => {
    board.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { board, clock, path, [Symbol.dispose]: dispose }
}

/** Closed and opened again before every single call: nothing may live in memory only. */
export function openReopened(): TestBoard {
  const folder = mkdtempSync(join(tmpdir(), 'yard-board-'))
  const path = join(folder, 'yard.db')
  const clock = createTestClock()
  const random = createTestRandom()
  let current = openBoard({ path, clock, random })
  current.applyLimits(limits())
  const listeners: Parameters<Board['onEvents']>[] = []
  // A signal of its own for each opening, so that a listener hears only the board that is open.
  let opening = new AbortController()
  const board = new Proxy(current, {
    get(_, name: keyof Board) {
      if (name === 'clock' || name === 'random' || name === 'close') return current[name]
      return (...args: never[]) => {
        current.close()
        current = openBoard({ path, clock, random })
        opening.abort()
        opening = new AbortController()
        for (const [over, heard] of listeners) if (!over.aborted) current.onEvents(opening.signal, heard)
        if (name === 'onEvents') return void listeners.push(args as unknown as Parameters<Board['onEvents']>)
        return (current[name] as (...args: never[]) => unknown)(...args)
      }
    },
  })
  const dispose = (): void => {
    current.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { board, clock, path, [Symbol.dispose]: dispose }
}

/** Four slots; `command` without an account, `claude` with one. */
export function limits(over: Partial<YardLimits> = {}): YardLimits {
  return {
    slots: 4,
    lanes: {
      command: { account: null, slots: null },
      claude: { account: 'claude', slots: null },
      chat: { account: 'openai', slots: null },
    },
    accounts: { claude: { slots: null }, openai: { slots: null } },
    ...over,
  }
}

export const ann = { by: 'ann' }

export function spec(over: Partial<TaskSpec> = {}): TaskSpec {
  return { title: 'a task', ...(over.prompt === undefined ? { run: 'true' } : {}), dir: '/shop', ...over }
}

export const newTask = (over: Partial<NewTask> = {}): NewTask => ({ spec: spec(), lane: 'command', ...over })

/** Adds cards to board `shop`, or to another. */
export function add(board: Board, tasks: readonly Partial<NewTask>[], on = 'shop'): readonly Task[] {
  return board.createTasks({ board: on, tasks: tasks.map(newTask) }, ann).map(({ task }) => task)
}

export function addOne(board: Board, task: Partial<NewTask> = {}, on = 'shop'): Task {
  return one(add(board, [task], on))
}

export function batchFile(over: Partial<NewBatch> = {}): NewBatch {
  return {
    name: 'night',
    digest: 'digest',
    file: '/nights/night.yaml',
    limits: { onWall: 'wait' },
    defaults: {},
    tasks: [],
    mode: 'auto',
    redo: [],
    ...over,
  }
}

/** Rows of a batch by key, each with what differs from a plain command. */
export const rows = (tasks: Readonly<Record<string, Partial<NewTask>>>): readonly NewTask[] =>
  Object.entries(tasks).map(([rowKey, task]) => newTask({ rowKey, ...task }))

export const claim = (board: Board, max = 100): readonly Claim[] =>
  board.claim({ max, prepare: () => ({ ok: true, settings: '{}' }) })

export const claimedTasks = (board: Board, max?: number): readonly TaskId[] =>
  claim(board, max).map(({ task }) => task.id)

let pid = 1000

/** Claims and lets go up to `max`, as the dispatcher does. */
export function start(board: Board, max?: number): readonly Claim[] {
  const claims = claim(board, max)
  const started = claims.map(({ run }) => ({
    run: run.id,
    fence: run.fence,
    pid: ++pid,
    fingerprint: `boot|${pid}`,
    startedMonotonic: 'boot 1',
  }))
  board.recordStarted(started)
  return claims
}

export function exit(board: Board, run: RunId, outcome: Outcome = 'done', exitCode: number | null = 0): void {
  const fence = board.readRun(run)?.fence ?? 0
  const facts = { exitCode, signal: null, outputTail: null, result: null, data: null, usage: null }
  board.recordExited([{ run, fence, outcome, reason: `exit ${exitCode}`, stopDelivered: false, ...facts }])
}

export function settle(board: Board, run: RunId, move: Settled['move'], failures: 0 | 1 = 0): void {
  board.recordSettled([{ run, fence: board.readRun(run)?.fence ?? 0, move, failures }])
}

export const failedForGood = { to: 'failed', code: 'failed', text: 'exit 1' } as const
export const backAtOnce = { to: 'back', notBeforeMs: null, code: 'failed', text: 'exit 1' } as const

/** Ends an attempt the whole way. */
export function end(board: Board, run: RunId, outcome: Outcome, move: Settled['move'], failures: 0 | 1 = 0): void {
  exit(board, run, outcome, outcome === 'done' ? 0 : 1)
  settle(board, run, move, failures)
}

/** Starts this one card and ends it done. Everything else that could start must be out of the way. */
export function finish(board: Board, id: TaskId): void {
  const mine = start(board).find(({ task }) => task.id === id)
  if (mine === undefined) throw new Error(`T${id} did not start: ${board.explainTask(id, 'up').says}`)
  end(board, mine.run.id, 'done', { to: 'done' })
}

/** The one that is there, or a failed test. */
export function one<T>(rows: readonly T[]): T {
  const [first] = rows
  if (first === undefined || rows.length !== 1) throw new Error(`one was expected, there are ${rows.length}`)
  return first
}

export const statusOf = (board: Board, id: TaskId): string => board.readTask(id)?.status ?? 'missing'
