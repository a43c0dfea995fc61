import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Board,
  type BoardEvent,
  type EventKind,
  type ExitRule,
  isSettled,
  type NewTask,
  openBoard,
  type Run,
  type Task,
  type TaskSpec,
} from '../../src/board/index.ts'
import { createDispatcher, type Dispatcher, type RetryWaits, type YardDeps } from '../../src/dispatcher/index.ts'
import { createSupervisor } from '../../src/dispatcher/supervisor/index.ts'
import { emptyConfig, type LaneConfig, type YardConfig } from '../../src/kernel/config/index.ts'
import { type Clock, systemClock, systemRandom, type TaskId } from '../../src/kernel/index.ts'

const nothingLearned: readonly string[] = []

export interface YardOptions {
  readonly slots?: number
  readonly lanes?: Readonly<Record<string, Partial<LaneConfig>>>
  readonly accounts?: YardConfig['accounts']
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly learnedSecrets?: YardDeps['learnedSecrets']
  readonly retryWaits?: RetryWaits
  readonly self?: readonly string[]
  readonly pollEveryMs?: number
  readonly graceMs?: number
  /** As `disk_free`; null: built in. */
  readonly diskFreeBytes?: number | null
  readonly lingerMs?: number
  /** What workers that speak to a hub are told of it; a function is asked at each start. */
  readonly address?: string | (() => string)
  /** Machine and start that claim; the machine works the home from then on. */
  readonly hub?: YardDeps['hub']
  /** Of the dispatcher alone. */
  readonly clock?: Clock
  /** Told of what the dispatcher logs as an error; without it such a line goes to the console. */
  readonly onFault?: (event: string, data?: Readonly<Record<string, unknown>>) => void
  /** A home that exists, to go on in. */
  readonly home?: string
}

/** A real yard in a folder of its own: real board, real supervisor, real processes; gone without a trace when disposed. */
export interface Yard extends AsyncDisposable {
  readonly home: string
  /** Where its tasks work. */
  readonly folder: string
  readonly board: Board
  readonly dispatcher: Dispatcher
  add(spec: Partial<TaskSpec>, more?: Partial<NewTask>): TaskId
  task(id: TaskId): Task
  runs(id: TaskId): readonly Run[]
  /** Resolves with the task when `is` holds; asked at once and after each commit. */
  when(id: TaskId, is: (task: Task) => boolean): Promise<Task>
  /** Settled, or waiting for a person. */
  over(id: TaskId): Promise<Task>
  seen(kind: EventKind, of?: { readonly task?: TaskId }): Promise<BoardEvent>
  /** Ends this hub and leaves its workers; the home stays for the next. */
  leave(): Promise<void>
}

export const actor = { by: 'ana' }

/** Built so that no object literal carries the word that makes one a thenable. */
export const exitRule = (then: ExitRule['then'], fields: Omit<ExitRule, 'then'>): ExitRule =>
  Object.assign({ then }, fields)

/** Lets the loop look so many times, as it would over hours. */
export async function wake(yard: Pick<Yard, 'board'>, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    yard.board.setHold({ scope: 'board', name: 'elsewhere', kind: 'pause', text: null }, actor)
    yard.board.liftHold('board', 'elsewhere', actor)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export async function startYard(options: YardOptions = {}): Promise<Yard> {
  const root = options.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'yard-dispatcher-')))
  const home = join(root, 'home')
  const folder = join(root, 'work')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  for (const name of ['runs', 'workspaces', '../work']) mkdirSync(join(home, name), { recursive: true, mode: 0o700 })
  const config = buildConfig(options)
  const board = openBoard({ path: join(home, 'yard.db'), clock: systemClock, random: systemRandom })
  board.writeMachine(options.hub?.machine ?? 'this machine')
  const { lanes, accounts, slots } = config
  board.applyLimits({
    slots,
    lanes: Object.fromEntries(
      Object.entries(lanes).map(([name, lane]) => [name, { account: lane.account, slots: lane.slots }]),
    ),
    accounts: Object.fromEntries(Object.entries(accounts).map(([name, account]) => [name, { slots: account.slots }])),
  })
  const deps: YardDeps = {
    board,
    clock: options.clock ?? systemClock,
    random: systemRandom,
    log: { info() {}, warn() {}, error: options.onFault ?? console.error },
    address: () =>
      typeof options.address === 'function' ? options.address() : (options.address ?? 'http://127.0.0.1:1'),
    hub: options.hub ?? { machine: 'this machine', instance: 'this start' },
    config,
    env: { PATH: process.env.PATH, ...options.env },
    learnedSecrets: options.learnedSecrets ?? (() => nothingLearned),
    home,
    program: join(root, 'program'),
    self: options.self ?? [process.execPath],
    retryWaits: options.retryWaits ?? { baseMs: 20, capMs: 100 },
    builtInGraceMs: options.graceMs ?? 2_000,
  }
  const dispatcher = createDispatcher(deps, {
    superviseWith: (events) => createSupervisor({ clock: systemClock, events, sampleEveryMs: 200 }),
    pollEveryMs: options.pollEveryMs ?? 60_000,
    ...(options.lingerMs === undefined ? {} : { lingerMs: options.lingerMs }),
  })
  await dispatcher.start()
  return buildYard({ root, home, folder, board, dispatcher })
}

function buildConfig({ slots, lanes, accounts, diskFreeBytes = null }: YardOptions): YardConfig {
  const built = emptyConfig(4)
  const plain = built.lanes.command
  if (plain === undefined) throw new Error('the built-in lane is gone')
  const more = Object.entries(lanes ?? {}).map(([name, lane]) => [name, { ...plain, ...lane }])
  return {
    ...built,
    diskFreeBytes,
    slots: slots ?? 4,
    accounts: { ...built.accounts, ...accounts },
    lanes: { ...built.lanes, ...Object.fromEntries(more) },
  }
}

function buildYard(parts: Pick<Yard, 'home' | 'folder' | 'board' | 'dispatcher'> & { root: string }): Yard {
  const { root, board, folder, dispatcher } = parts
  const task = (id: TaskId): Task => {
    const found = board.readTask(id)
    if (found === undefined) throw new Error(`no task ${id}`)
    return found
  }
  const when: Yard['when'] = (id, is) =>
    new Promise((resolve) => {
      const over = new AbortController()
      const look = () => {
        const now = task(id)
        if (!is(now)) return
        over.abort()
        resolve(now)
      }
      board.onEvents(over.signal, look)
      look()
    })
  let left = false
  return {
    ...parts,
    task,
    when,
    runs: (id) => board.runsOf(id),
    add(spec, more) {
      const whole: TaskSpec = { title: 'a task', dir: folder, ...spec }
      const [made] = board.createTasks({ board: 'main', tasks: [{ spec: whole, lane: 'command', ...more }] }, actor)
      if (made === undefined) throw new Error('not created')
      return made.task.id
    },
    over: (id) => when(id, ({ status }) => isSettled(status) || status === 'blocked'),
    seen: (kind, of) =>
      new Promise((resolve) => {
        const over = new AbortController()
        board.onEvents(over.signal, (events) => {
          const event = events.find((one) => one.kind === kind && (of?.task === undefined || one.task === of.task))
          if (event === undefined) return
          over.abort()
          resolve(event)
        })
      }),
    async leave() {
      left = true
      await dispatcher.stop({ workers: 'leave' })
      board.close()
    },
    async [Symbol.asyncDispose]() {
      if (left) return
      dispatcher.hurry()
      await dispatcher.stop({ workers: 'end' })
      board.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
