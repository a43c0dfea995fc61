import { expect } from 'vitest'
import type { CallKind, Move } from '../../src/board/index.ts'
import { type RunId, runId, taskId } from '../../src/kernel/index.ts'
import { agree } from './agree.ts'
import { type Model, type ModelRun, type ModelTask, sameCall } from './model.ts'
import { ann, exit, type TestBoard } from './open-test-board.ts'
import type { Act } from './random-act.ts'

type ActOfRun = Extract<Act, { do: 'claim' | 'exit' | 'settle' | 'release' | 'call' | 'hub' }>

/** What the dispatcher and the runs themselves do. */
export function performOfRun(yard: TestBoard, model: Model, one: ActOfRun) {
  const { board, clock } = yard
  const at = (ms: number): number | null => (ms > 0 ? clock.atMs + ms : null)
  switch (one.do) {
    case 'hub':
      model.hubs += 1
      board.recordHubStart({ ...hubOf(model), host: 'here', pid: 7, version: '0', startedBy: 'person' })
      return
    case 'claim':
      return claim(yard, model, one.max)
    case 'exit': {
      const found = pickRun(model, one.pick, (run) => !run.ended)
      if (found === undefined) return
      exit(board, found.id, found.run.call?.kind === 'block' ? 'blocked' : 'done')
      found.run.ended = true
      model.task(found.run.task).lastEnd = found.run.call?.kind === 'block' ? 'asked' : 'done'
      return
    }
    case 'settle': {
      const found = pickRun(model, one.pick, (run) => run.ended)
      if (found === undefined) return
      // Whoever asked a person is not done: the judge of ends says so, and the board is told.
      const to = found.run.call?.kind === 'block' && one.to === 'done' ? 'blocked' : one.to
      board.recordSettled([settled(yard, found.id, to, at(one.waitMs))])
      return settleModel(model, found.id, to, at(one.waitMs))
    }
    case 'release': {
      const found = pickRun(model, one.pick, () => true)
      if (found === undefined) return
      expect(board.releaseRun(settled(yard, found.id, one.to, at(one.waitMs)), ann)).toBeDefined()
      if (!found.run.ended) model.task(found.run.task).lastEnd = 'unknown'
      expect(board.readRun(found.id)).toMatchObject({ releasedBy: 'ann', phase: 'settled' })
      return settleModel(model, found.id, one.to, at(one.waitMs))
    }
    case 'call':
      return call(yard, model, one)
  }
}

const hubOf = (model: Model) => ({ machine: 'm1', instance: `hub-${model.hubs}` })

function claim({ board }: TestBoard, model: Model, max: number): void {
  const by = model.hubs === 0 ? null : hubOf(model)
  const claimed = board.claim({ max, by, prepare: () => ({ ok: true, settings: '{}' }) })
  expect(claimed.map(({ task }) => Number(task.id))).toEqual(model.claim(max))
  for (const { run, token } of claimed) {
    expect(board.verifyToken(token)).toMatchObject({ run: run.id, phase: 'claimed' })
    expect(board.readRun(run.id)?.hub ?? null).toBe(by?.instance ?? null)
    model.tokens.set(run.id, token)
  }
}

/** A run that is open or over speaks by its token. Only the first word of an open one counts. */
function call(yard: TestBoard, model: Model, one: Extract<Act, { do: 'call' }>) {
  const { board } = yard
  const open = [...model.tokens].filter(([run]) => model.runs.get(run)?.ended === false)
  const runs = open.length === 0 || one.pick % 4 === 0 ? [...model.tokens] : open
  const chosen = runs[one.pick % Math.max(1, runs.length)]
  if (chosen === undefined) return
  const [run, token] = chosen
  const holder = board.verifyToken(token)
  expect(holder?.run).toBe(run)
  if (holder === undefined) return
  const speaking = model.runs.get(run)
  const on = one.kind === 'wait' ? ([...model.tasks.keys()][one.on % model.tasks.size] ?? null) : null
  const asked = { kind: one.kind, on }
  const record = () => board.recordCall(holder, { ...callOf(one.kind), onTask: on === null ? null : taskId(on) }).kind
  if (speaking === undefined || speaking.ended) {
    const before = board.readRun(runId(run))
    expect(record()).toBe('over')
    expect(board.readRun(runId(run))).toEqual({ ...before, lateCalls: (before?.lateCalls ?? 0) + 1 })
    return
  }
  if (speaking.call !== null) {
    expect(record()).toBe(sameCall(speaking.call, asked) ? 'recorded' : 'called')
    return
  }
  const closes = on !== null && model.reaches(on, speaking.task)
  agree(
    model,
    !closes,
    () => expect(record()).toBe('recorded'),
    () => {
      speaking.call = asked
    },
  )
}

const callOf = (kind: CallKind) => ({
  kind,
  code: kind === 'block' ? 'needs_input' : null,
  text: 'because',
  data: null,
})

function settled({ board }: TestBoard, run: RunId, to: Move['to'], notBeforeMs: number | null) {
  const failures = to === 'back' ? (1 as const) : (0 as const)
  return { run, fence: board.readRun(run)?.fence ?? 0, move: moveTo(to, notBeforeMs), failures }
}

/** The tree is gone, or a person lets the task go without knowing that: what was wished and what it waits for hold. */
function settleModel(model: Model, run: RunId, to: Move['to'], dueMs: number | null): void {
  const found = model.runs.get(run)
  if (found === undefined) throw new Error(`no R${run} in the model`)
  const task = model.task(found.task)
  model.runs.delete(run)
  const { on } = found.call ?? { on: null }
  if (on !== null && to !== 'done' && to !== 'cancelled') settleWaiting(model, { task, on, to, dueMs })
  else settleTask(model, task, to, dueMs)
}

/** It said what it waits for: that is a need from now on, unless the other has come to wait for this one meanwhile. */
function settleWaiting(
  model: Model,
  { task, on, to, dueMs }: { task: ModelTask; on: number; to: Move['to']; dueMs: number | null },
): void {
  const isCircle = model.reaches(on, task.id)
  if (!isCircle) task.needs.set(on, 'done')
  settleTask(model, task, isCircle && to !== 'failed' ? 'blocked' : to, dueMs, to)
}

function settleTask(model: Model, task: ModelTask, to: Move['to'], dueMs: number | null, asked = to): void {
  const wished =
    to === 'done' || task.wish === null ? to : task.wish === 'cancel' ? 'cancelled' : to === 'back' ? 'blocked' : to
  task.failures = wished === 'done' ? 0 : task.failures + (asked === 'back' ? 1 : 0)
  task.dueMs = wished === 'back' ? dueMs : null
  task.wish = null
  task.status = wished === 'back' ? (model.openNeeds(task) > 0 ? 'todo' : 'ready') : wished
  model.follow()
}

function pickRun(model: Model, at: number, is: (run: ModelRun) => boolean) {
  const runs = [...model.runs].filter(([, run]) => is(run))
  const found = runs[at % Math.max(1, runs.length)]
  return found === undefined ? undefined : { id: runId(found[0]), run: found[1] }
}

function moveTo(to: Move['to'], notBeforeMs: number | null): Move {
  const why = { code: 'x', text: 'because' }
  return to === 'done' ? { to } : to === 'back' ? { to, notBeforeMs, ...why } : { to, ...why }
}
