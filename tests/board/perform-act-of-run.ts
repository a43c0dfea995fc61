import { expect } from 'vitest'
import type { CallKind, Move } from '../../src/board/index.ts'
import type { VerdictCode } from '../../src/board/run-calls.ts'
import { type RunId, runId, taskId } from '../../src/kernel/index.ts'
import { agree } from './agree.ts'
import { type Lane, type Model, type ModelCall, type ModelRun, type ModelTask, sameCall } from './model.ts'
import { ann, exit, type TestBoard } from './open-test-board.ts'
import type { Act } from './random-act.ts'

type StageAct = Extract<Act, { stage: unknown }>
type ActOfRun = StageAct | Extract<Act, { do: 'claim' | 'exit' | 'settle' | 'release' | 'call' | 'hub' }>

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
      const asked = { to, lane: one.lane, dueMs: at(one.waitMs) }
      if (refusesVerdict(found.run, to, () => board.recordSettled([settled(yard, found.id, asked)]))) return
      return settleModel(model, found.id, asked)
    }
    case 'release': {
      const found = pickRun(model, one.pick, () => true)
      if (found === undefined) return
      const asked = { to: one.to, lane: one.lane, dueMs: at(one.waitMs) }
      const release = () => expect(board.releaseRun(settled(yard, found.id, asked), ann)).toBeDefined()
      if (refusesVerdict(found.run, one.to, release)) return
      if (!found.run.ended) model.task(found.run.task).lastEnd = 'unknown'
      expect(board.readRun(found.id)).toMatchObject({ releasedBy: 'ann', phase: 'settled' })
      return settleModel(model, found.id, asked)
    }
    case 'stage':
      return beginStage(yard, model, one)
    case 'over':
      return endStage(yard, model, one)
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
  const verdict = one.kind === 'complete' ? one.verdict : null
  const asked = { kind: one.kind, on, verdict }
  const record = () =>
    board.recordCall(holder, { ...callOf(one.kind, verdict), onTask: on === null ? null : taskId(on) }).kind
  if (speaking === undefined || speaking.ended || speaking.stageOver || (speaking.stage ?? 'work') !== 'work') {
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
    !closes && mayCall(speaking, asked),
    () => expect(record()).toBe('recorded'),
    () => {
      speaking.call = asked
    },
  )
}

/** A reviewer says its verdict or that it needs a person; nobody else gives one. */
const mayCall = ({ from }: ModelRun, { kind, verdict }: ModelCall): boolean =>
  from === 'ready' ? verdict === null : kind === 'block' || verdict !== null

const callOf = (kind: CallKind, verdict: VerdictCode | null) => ({
  kind,
  code: kind === 'block' ? 'needs_input' : verdict,
  text: 'because',
  data: null,
})

interface Asked {
  readonly to: Move['to']
  readonly lane: Lane | null
  readonly dueMs: number | null
}

/** The author's attempt gives no verdict: nothing is written of one. */
function refusesVerdict({ from }: ModelRun, to: Move['to'], record: () => void): boolean {
  const isRefused = from === 'ready' && (to === 'approved' || to === 'rejected')
  if (isRefused) expect(record).toThrow('cannot give a verdict')
  else record()
  return isRefused
}

function beginStage({ board }: TestBoard, model: Model, one: StageAct): void {
  const found = pickRun(model, one.pick, (run) => !run.ended)
  if (found === undefined) return
  const { run, id } = found
  const next = one.stage === 'work' ? 'prepare' : 'work'
  const may =
    run.stage === null
      ? one.stage !== 'check'
      : run.stageOver &&
        (run.stage === next || run.stage === one.stage) &&
        !(one.stage === 'prepare' && run.stage === 'work') &&
        !(one.stage === 'work' && run.stage === 'work')
  pid += 1
  const identity = { pid, fingerprint: `boot|${pid}`, startedMonotonic: `boot ${pid}` }
  const started = board.recordStarted([
    { run: id, fence: board.readRun(id)?.fence ?? 0, ...identity, stage: one.stage, command: 'x' },
  ])
  expect([one.stage, run.stage, started.has(id)]).toEqual([one.stage, run.stage, may])
  if (!may) return
  run.stage = one.stage
  run.stageOver = false
}
let pid = 100_000

function endStage({ board }: TestBoard, model: Model, one: StageAct): void {
  const found = pickRun(model, one.pick, (run) => !run.ended)
  if (found === undefined) return
  const { run, id } = found
  // Mostly of the stage that it is in; else it finds out that nothing is written.
  const stage = one.pick % 5 === 0 ? one.stage : (run.stage ?? one.stage)
  const may = run.stage === stage && !run.stageOver
  const how = { exitCode: 0, signal: null, reason: 'exit 0', outputTail: null, judged: stage === 'work' ? '{}' : null }
  expect(board.recordStageOver([{ run: id, fence: board.readRun(id)?.fence ?? 0, stage, ...how }]).has(id)).toBe(may)
  if (may) run.stageOver = true
}

function settled({ board }: TestBoard, run: RunId, asked: Asked) {
  const failures = asked.to === 'back' ? (1 as const) : (0 as const)
  return { run, fence: board.readRun(run)?.fence ?? 0, move: moveTo(asked), failures }
}

/** The tree is gone, or a person lets the task go without knowing that: what was wished and what it waits for hold. */
function settleModel(model: Model, id: RunId, asked: Asked): void {
  const run = model.runs.get(id)
  if (run === undefined) throw new Error(`no R${id} in the model`)
  const task = model.task(run.task)
  model.runs.delete(id)
  if (run.from === 'review') {
    settleReview(model, task, asked)
    return
  }
  task.reviewFailures = 0
  const { on } = run.call ?? { on: null }
  if (on !== null && asked.to !== 'done' && asked.to !== 'cancelled') settleWaiting(model, task, on, asked)
  else settleTask(model, task, asked)
}

/** It said what it waits for: that is a need from now on, unless the other has come to wait for this one meanwhile. */
function settleWaiting(model: Model, task: ModelTask, on: number, asked: Asked): void {
  const isCircle = model.reaches(on, task.id)
  if (!isCircle) task.needs.set(on, 'done')
  const to = isCircle && asked.to !== 'failed' ? 'blocked' : asked.to
  settleTask(model, task, { ...asked, to }, asked.to)
}

function settleTask(model: Model, task: ModelTask, { to, lane, dueMs }: Asked, asked = to): void {
  const wished = afterWish(task, to, lane)
  task.failures = wished === 'done' ? 0 : task.failures + (asked === 'back' ? 1 : 0)
  if (wished === 'done') task.rejections = 0
  task.reviewLane = to === 'review' ? lane : null
  place(model, task, wished, dueMs)
}

/** What a reviewer's attempt comes to counts for nothing of the author's, and goes back to the review where it gave no verdict. */
function settleReview(model: Model, task: ModelTask, { to: asked, lane, dueMs }: Asked): void {
  const isAgain = asked === 'back' || asked === 'done'
  const to = isAgain ? 'review' : asked === 'failed' ? 'blocked' : asked
  if (asked === 'rejected') task.rejections += 1
  const isLoop = asked === 'rejected' && task.rejections >= 5
  const wished = afterWish(task, isLoop ? 'blocked' : to, isAgain ? task.reviewLane : lane)
  if (asked === 'review') task.reviewLane = lane
  if (wished === 'approved') Object.assign(task, { failures: 0, rejections: 0 })
  if (wished === 'approved' || wished === 'cancelled' || asked === 'rejected') task.reviewFailures = 0
  else if (isAgain) task.reviewFailures += 1
  const hasVerdict = asked === 'rejected'
  task.fromReview = wished === 'blocked' && !hasVerdict
  place(model, task, wished, asked === 'done' ? null : dueMs)
}

function afterWish({ wish }: ModelTask, to: Move['to'], lane: Lane | null): Move['to'] {
  if (to === 'done' || to === 'approved' || wish === null) return to
  if (wish === 'cancel') return 'cancelled'
  return to === 'back' || to === 'rejected' || (to === 'review' && lane !== null) ? 'blocked' : to
}

function place(model: Model, task: ModelTask, to: Move['to'], dueMs: number | null): void {
  // Only what would begin again by itself has a time of its own.
  task.dueMs = to === 'back' || to === 'review' ? dueMs : null
  task.wish = null
  if (to === 'back' || to === 'rejected') task.status = model.openNeeds(task) > 0 ? 'todo' : 'ready'
  else task.status = to === 'approved' ? 'done' : to
  model.follow()
}

function pickRun(model: Model, at: number, is: (run: ModelRun) => boolean) {
  const runs = [...model.runs].filter(([, run]) => is(run))
  const found = runs[at % Math.max(1, runs.length)]
  return found === undefined ? undefined : { id: runId(found[0]), run: found[1] }
}

function moveTo({ to, lane, dueMs: notBeforeMs }: Asked): Move {
  const why = { code: 'x', text: 'because' }
  switch (to) {
    case 'done':
      return { to }
    case 'back':
      return { to, notBeforeMs, ...why }
    case 'review':
      return { to, lane, notBeforeMs, text: why.text }
    case 'approved':
    case 'rejected':
      return { to, text: why.text }
    default:
      return { to, ...why }
  }
}
