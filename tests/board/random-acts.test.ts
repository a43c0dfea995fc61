import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Board, Move } from '../../src/board/index.ts'
import { type RunId, runId, taskId, YardError } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { isInTable, isOver, Model, type ModelTask } from './model.ts'
import {
  ann,
  claim,
  exit,
  limits,
  newTask,
  openOnDisk,
  settle,
  spec,
  startMs,
  type TestBoard,
} from './open-test-board.ts'

/** One act of somebody. Numbers pick a card or run by their rest, so that a shrunk case stays a valid one. */
type Act =
  | {
      do: 'add'
      board: 'a' | 'b'
      needs: { pick: number; when: 'done' | 'always' }[]
      key: string | null
      lane: 'command' | 'claude'
      folder: string
      draft: boolean
      priority: number
      waitMs: number
    }
  | { do: 'ready' | 'block' | 'unblock' | 'retry' | 'cancel' | 'stop'; pick: number }
  | { do: 'edit'; pick: number; priority: number; lane: 'command' | 'claude'; need: number; when: 'done' | 'always' }
  | { do: 'unlink'; pick: number }
  | { do: 'claim'; max: number }
  | { do: 'exit'; pick: number }
  | { do: 'settle'; pick: number; to: Move['to']; waitMs: number }
  | { do: 'hold' | 'lift'; scope: 'all' | 'lane' | 'board' }
  | { do: 'wall' | 'serve' }
  | { do: 'wait'; ms: number }

const pick = fc.nat(50)
const lane = fc.constantFrom('command' as const, 'claude' as const)
const when = fc.constantFrom('done' as const, 'always' as const)
const priority = fc.integer({ min: -2, max: 2 })
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      board: fc.constantFrom('a' as const, 'b' as const),
      needs: fc.array(fc.record({ pick, when }), { maxLength: 3 }),
      key: fc.constantFrom(null, null, 'k1', 'k2'),
      lane,
      folder: fc.constantFrom('', '', '/x', '/y'),
      draft: fc.constantFrom(false, false, false, true),
      priority,
      waitMs: fc.constantFrom(0, 0, 100),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'ready' as const,
        'block' as const,
        'unblock' as const,
        'retry' as const,
        'cancel' as const,
        'stop' as const,
      ),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), pick, priority, lane, need: pick, when }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unlink' as const), pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), max: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('exit' as const), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      pick,
      to: fc.constantFrom(
        'done' as const,
        'done' as const,
        'failed' as const,
        'blocked' as const,
        'back' as const,
        'cancelled' as const,
      ),
      waitMs: fc.constantFrom(0, 50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('hold' as const, 'lift' as const),
      scope: fc.constantFrom('all' as const, 'lane' as const, 'board' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('wall' as const, 'serve' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 60, 200) }) },
)

describe('whatever people, a dispatcher and the clock do, in any order', () => {
  test('the store has no half-state after any step, moves only by the table, and agrees with the plain-object board', () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 10, maxLength: 40 }), (acts) => {
        using yard = openOnDisk()
        yard.board.applyLimits(
          limits({
            slots: 3,
            lanes: { command: { account: null, slots: null }, claude: { account: 'claude', slots: 2 } },
          }),
        )
        using sound = openHalfStateFinder(yard.path)
        const model = new Model()
        for (const one of acts) {
          const before = new Map([...model.tasks.values()].map(({ id, status }) => [id, status]))
          perform(yard, model, one)
          expect(sound.findHalfStates()).toEqual([])
          expect(standing(yard.board)).toEqual(modelStanding(model))
          for (const { id, status } of model.tasks.values()) {
            const from = before.get(id) ?? 'new'
            if (from !== status) expect([from, status, isInTable(from, status)]).toEqual([from, status, true])
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})

const standing = (board: Board) =>
  board
    .listTasks({}, { limit: 999 })
    .rows.map(({ id, status, priority, lane, openNeeds, wish, failures, notBeforeMs, runs }) => ({
      id: Number(id),
      status,
      priority,
      lane,
      openNeeds,
      wish,
      failures,
      dueMs: notBeforeMs,
      runs,
    }))
    .sort((a, b) => a.id - b.id)

const modelStanding = (model: Model) =>
  [...model.tasks.values()].map((task) => {
    const { id, status, priority, lane, wish, failures, dueMs, runs } = task
    return { id, status, priority, lane, openNeeds: model.openNeeds(task), wish, failures, dueMs, runs }
  })

/** Does it to both. What the model allows must succeed; what it does not must be refused by a known error. */
function perform(yard: TestBoard, model: Model, one: Act) {
  const { board, clock } = yard
  const tasks = [...model.tasks.values()]
  const task = 'pick' in one ? tasks[one.pick % Math.max(1, tasks.length)] : undefined
  const id = taskId(task?.id ?? 0)
  const at = (ms: number): number | null => (ms > 0 ? clock.atMs + ms : null)

  switch (one.do) {
    case 'add':
      return add(yard, model, one)
    case 'ready':
      if (task === undefined) return
      return agree(
        model,
        ['triage', 'todo', 'ready'].includes(task.status),
        () => board.readyTask(id, ann),
        () => {
          if (task.status === 'triage') task.status = model.openNeeds(task) > 0 ? 'todo' : 'ready'
        },
      )
    case 'block':
      if (task === undefined) return
      // Blocking what is blocked gives it the new reason.
      return agree(
        model,
        task.status !== 'running' && !isOver(task.status),
        () => board.blockTask(id, 'why', ann),
        () => {
          task.status = 'blocked'
        },
      )
    case 'unblock':
      if (task === undefined) return
      return agree(
        model,
        task.status === 'blocked',
        () => board.unblockTask(id, ann),
        () => model.reopen(task),
      )
    case 'retry': {
      if (task === undefined) return
      const isOpenAgain = isOver(task.status) && model.holderOf(task.board, task.key) !== undefined
      const may = isOver(task.status) || task.status === 'blocked' || (task.status === 'ready' && task.dueMs !== null)
      return agree(
        model,
        may && !isOpenAgain,
        () => board.retryTask(id, null, ann),
        () => {
          if (task.status === 'ready') task.dueMs = null // the wait is what the person ends
          model.reopen(task)
        },
      )
    }
    case 'cancel':
      if (task === undefined) return
      return agree(
        model,
        task.status !== 'done' && task.status !== 'failed',
        () => board.cancelTask(id, ann),
        () => {
          if (task.status === 'running') task.wish = 'cancel'
          else if (task.status !== 'cancelled') {
            task.status = 'cancelled'
            task.dueMs = null
          }
        },
      )
    case 'stop':
      if (task === undefined) return
      return agree(
        model,
        true,
        () => board.stopTask(id, null, ann),
        () => {
          if (task.status === 'running') task.wish ??= 'stop'
          else if (!isOver(task.status)) task.status = 'blocked'
        },
      )
    case 'edit':
      return edit(yard, model, task, one)
    case 'unlink': {
      const on = [...(task?.needs.keys() ?? [])][0]
      if (task === undefined || on === undefined) return
      const unlink = () => board.editTask(id, { removeNeeds: [taskId(on)] }, ann)
      return agree(model, task.status !== 'running', unlink, () => {
        task.needs.delete(on)
      })
    }
    case 'claim': {
      const claimed = claim(board, one.max).map((made) => Number(made.task.id))
      expect(claimed).toEqual(model.claim(one.max))
      return
    }
    case 'exit': {
      const found = pickRun(model, one.pick, (run) => !run.ended)
      if (found === undefined) return
      exit(board, found.id)
      found.run.ended = true
      return
    }
    case 'settle': {
      const found = pickRun(model, one.pick, (run) => run.ended)
      if (found === undefined) return
      settle(board, found.id, moveTo(one.to, at(one.waitMs)), one.to === 'back' ? 1 : 0)
      return settleModel(model, found.id, one.to, at(one.waitMs))
    }
    case 'hold':
    case 'lift': {
      const name = one.scope === 'all' ? null : one.scope === 'lane' ? 'claude' : 'a'
      if (one.do === 'hold') board.setHold({ scope: one.scope, name, kind: 'pause', text: null }, ann)
      else board.liftHold(one.scope, name, ann)
      model.holds[one.do === 'hold' ? 'add' : 'delete'](name === null ? 'all' : `${one.scope} ${name}`)
      return
    }
    case 'wall': {
      const run = [...model.runs.keys()][0]
      if (run === undefined) return
      clock.atMs += 1
      board.closeGate({ account: 'claude', untilMs: startMs + 1e9, reason: 'limit', byRun: runId(run), doublings: 0 })
      const openedAtMs = board.readGate('claude')?.openedAtMs ?? 0
      if ((board.readRun(runId(run))?.claimedAtMs ?? 0) >= openedAtMs) model.gateClosed = true
      return
    }
    case 'serve':
      clock.atMs += 1
      board.openGate('claude', 'served', ann)
      model.gateClosed = false
      return
    case 'wait': {
      clock.atMs += one.ms
      board.openDue()
      for (const due of tasks)
        if (due.status === 'ready' && (due.dueMs ?? clock.atMs + 1) <= clock.atMs) due.dueMs = null
      return
    }
  }
}

function add(yard: TestBoard, model: Model, one: Extract<Act, { do: 'add' }>): void {
  const tasks = [...model.tasks.values()]
  const needs = new Map<number, 'done' | 'always'>()
  if (tasks.length > 0) {
    for (const { pick: at, when: on } of one.needs) {
      const id = tasks[at % tasks.length]?.id ?? 0
      if (needs.get(id) !== 'done') needs.set(id, on)
    }
  }
  const dueMs = one.waitMs > 0 ? yard.clock.atMs + one.waitMs : null
  const [made] = yard.board.createTasks(
    {
      board: one.board,
      tasks: [
        newTask({
          lane: one.lane,
          priority: one.priority,
          draft: one.draft,
          spec: spec(one.folder === '' ? {} : { workspace: { kind: 'dir', path: one.folder, shared: false } }),
          needs: [...needs].map(([on, end]) => ({ on: taskId(on), when: end })),
          ...(one.key === null ? {} : { key: one.key }),
          ...(dueMs === null ? {} : { notBeforeMs: dueMs }),
        }),
      ],
    },
    ann,
  )
  const holder = model.holderOf(one.board, one.key)
  expect(made?.created).toBe(holder === undefined)
  if (holder !== undefined) return
  const { board, priority: rank, lane: by, key, folder } = one
  const common = { wish: null, failures: 0, runs: 0, status: 'ready' as const }
  const task: ModelTask = {
    id: tasks.length + 1,
    board,
    priority: rank,
    lane: by,
    key,
    folder,
    needs,
    dueMs,
    ...common,
  }
  model.tasks.set(task.id, task)
  task.status = one.draft ? 'triage' : model.openNeeds(task) > 0 ? 'todo' : 'ready'
}

function edit(yard: TestBoard, model: Model, task: ModelTask | undefined, one: Extract<Act, { do: 'edit' }>): void {
  if (task === undefined) return
  const on = one.need % 2 === 0 ? undefined : [...model.tasks.keys()][one.need % model.tasks.size]
  const closes = on !== undefined && model.reaches(on, task.id)
  const addNeeds = on === undefined ? [] : [{ task: taskId(on), when: one.when }]
  const patch = { priority: one.priority, lane: one.lane, addNeeds }
  agree(
    model,
    task.status !== 'running' && !closes,
    () => yard.board.editTask(taskId(task.id), patch, ann),
    () => {
      task.priority = one.priority
      task.lane = one.lane
      if (on !== undefined) task.needs.set(on, one.when)
      model.follow()
    },
  )
}

function settleModel(model: Model, run: RunId, to: Move['to'], dueMs: number | null): void {
  const found = model.runs.get(run)
  if (found === undefined) throw new Error(`no R${run} in the model`)
  const task = model.task(found.task)
  model.runs.delete(run)
  const wished =
    to === 'done' || task.wish === null ? to : task.wish === 'cancel' ? 'cancelled' : to === 'back' ? 'blocked' : to
  task.failures = wished === 'done' ? 0 : task.failures + (to === 'back' ? 1 : 0)
  task.dueMs = wished === 'back' ? dueMs : null
  task.wish = null
  task.status = wished === 'back' ? (model.openNeeds(task) > 0 ? 'todo' : 'ready') : wished
  model.follow()
}

function pickRun(model: Model, at: number, is: (run: { ended: boolean }) => boolean) {
  const runs = [...model.runs].filter(([, run]) => is(run))
  const found = runs[at % Math.max(1, runs.length)]
  return found === undefined ? undefined : { id: runId(found[0]), run: found[1] }
}

function moveTo(to: Move['to'], notBeforeMs: number | null): Move {
  const why = { code: 'x', text: 'because' }
  return to === 'done' ? { to } : to === 'back' ? { to, notBeforeMs, ...why } : { to, ...why }
}

/** Both do it, or both do not: a refused act is an error of the catalogue and changes nothing. */
function agree(model: Model, may: boolean, real: () => unknown, onModel: () => void): void {
  let refused: unknown
  try {
    real()
  } catch (fault) {
    refused = fault
  }
  if (refused !== undefined && !(refused instanceof YardError)) throw refused
  expect(refused === undefined, `allowed by the model: ${may}; ${String(refused)}`).toBe(may)
  if (!may) return
  onModel()
  model.follow()
}
