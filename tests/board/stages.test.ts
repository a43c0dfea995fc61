import { expect, test } from 'vitest'
import type { Board, Run, StageOver, Started } from '../../src/board/index.ts'
import type { RunId } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { addOne, ann, claim, end, exit, one, openOnDisk, settle, start, startMs } from './open-test-board.ts'

let pid = 5000

function identity({ id, fence }: Pick<Run, 'id' | 'fence'>): Started {
  pid += 1
  return { run: id, fence, pid, fingerprint: `boot|${pid}`, startedMonotonic: `boot ${pid}` }
}

function begin(board: Board, run: Run, stage?: 'prepare' | 'work' | 'check', command?: string): boolean {
  const how = { ...(stage === undefined ? {} : { stage }), ...(command === undefined ? {} : { command }) }
  return board.recordStarted([{ ...identity(run), ...how }]).has(run.id)
}

function endStage(board: Board, { id: run, fence }: Run, over: Partial<StageOver> & Pick<StageOver, 'stage'>): boolean {
  const how = { exitCode: 0, signal: null, reason: 'exit 0', outputTail: null, judged: null }
  return board.recordStageOver([{ run, fence, ...how, ...over }]).has(run)
}

const claimOne = (board: Board): Run => one(claim(board, 1)).run
const read = (board: Board, run: RunId): Run => board.readRun(run) as Run
const tells = (board: Board): readonly string[] =>
  board.eventsAfter(0, 100).flatMap(({ kind, text }) => (kind.startsWith('run.') ? [text] : []))

test('an attempt is prepared, works, is checked and ends, one process after the other in one slot', () => {
  using yard = openOnDisk()
  const { board, clock } = yard
  addOne(board)
  const run = claimOne(board)
  expect(run).toMatchObject({ stage: 'work', stageOver: false, judged: null, claimedFrom: 'ready' })
  clock.atMs = startMs + 10
  expect(begin(board, run, 'prepare', 'npm ci')).toBe(true)
  const first = read(board, run.id)
  expect(first).toMatchObject({ phase: 'started', stage: 'prepare', stageOver: false, startedAtMs: startMs + 10 })
  expect(board.stagesOf(run.id)).toEqual([
    {
      ...{ run: run.id, kind: 'prepare', command: 'npm ci', startedAtMs: startMs + 10 },
      ...{ endedAtMs: null, exitCode: null, signal: null, reason: null, outputTail: null },
    },
  ])
  clock.atMs = startMs + 20
  expect(endStage(board, run, { stage: 'prepare', outputTail: 'added 12 packages' })).toBe(true)
  expect(read(board, run.id)).toMatchObject({ phase: 'started', stageOver: true, pid: first.pid })
  expect(claim(board)).toEqual([])
  clock.atMs = startMs + 30
  expect(begin(board, run)).toBe(true)
  const work = read(board, run.id)
  expect(work).toMatchObject({ stage: 'work', stageOver: false, startedAtMs: startMs + 10 })
  expect([work.pid, work.startedMonotonic]).not.toEqual([first.pid, first.startedMonotonic])
  expect(endStage(board, run, { stage: 'work', judged: '{"outcome":"done"}' })).toBe(true)
  expect(begin(board, run, 'check', 'npm test')).toBe(true)
  expect(read(board, run.id)).toMatchObject({ stage: 'check', stageOver: false, judged: '{"outcome":"done"}' })
  expect(endStage(board, run, { stage: 'check' })).toBe(true)
  end(board, run.id, 'done', { to: 'done' })
  expect(board.stagesOf(run.id)).toMatchObject([
    { kind: 'prepare', endedAtMs: startMs + 20, exitCode: 0, reason: 'exit 0', outputTail: 'added 12 packages' },
    { kind: 'check', startedAtMs: startMs + 30, endedAtMs: startMs + 30, exitCode: 0 },
  ])
  expect(tells(board)).toEqual([
    'T1 attempt 1 begins',
    'T1 attempt 1 is being prepared: npm ci',
    'T1 attempt 1 is prepared',
    'T1 attempt 1 runs',
    'T1 attempt 1: its check runs: npm test',
    'T1 attempt 1: its check passed',
    'T1 attempt 1 ended: exit 0 (done)',
    'T1 attempt 1 is over',
  ])
  using sound = openHalfStateFinder(yard.path)
  expect(sound.findHalfStates()).toEqual([])
})

test('a plain command has one process, and nothing is kept of stages', () => {
  using yard = openOnDisk()
  addOne(yard.board)
  const { run } = one(start(yard.board))
  expect(read(yard.board, run.id)).toMatchObject({ phase: 'started', stage: 'work', stageOver: false })
  end(yard.board, run.id, 'done', { to: 'done' })
  expect(yard.board.stagesOf(run.id)).toEqual([])
})

test('no stage begins before the one before is over, out of order, or under another fence', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const run = claimOne(board)
  expect(begin(board, run, 'check')).toBe(false)
  expect(begin(board, run, 'prepare')).toBe(true)
  expect(begin(board, run)).toBe(false)
  expect(endStage(board, run, { stage: 'work' })).toBe(false)
  expect(endStage(board, { ...run, fence: run.fence ^ 1 }, { stage: 'prepare' })).toBe(false)
  expect(endStage(board, run, { stage: 'prepare' })).toBe(true)
  expect(endStage(board, run, { stage: 'prepare' })).toBe(false)
  expect(begin(board, run, 'check')).toBe(false)
  expect(begin(board, { ...run, fence: run.fence ^ 1 })).toBe(false)
  expect(begin(board, run)).toBe(true)
  expect(begin(board, run, 'check')).toBe(false)
  expect(endStage(board, run, { stage: 'work' })).toBe(true)
  exit(board, run.id)
  expect(begin(board, run, 'check')).toBe(false)
  expect(endStage(board, run, { stage: 'work' })).toBe(false)
  expect(board.stagesOf(run.id)).toHaveLength(1)
})

test.each(['cancel', 'stop', 'drain', 'shutdown', 'batch_time'] as const)(
  'no further stage begins once a %s is on record, and nothing is written of it',
  (kind) => {
    using yard = openOnDisk()
    const { board } = yard
    addOne(board)
    const run = claimOne(board)
    begin(board, run)
    endStage(board, run, { stage: 'work' })
    board.recordStop(run.id, { kind, by: 'ann', text: 'enough' })
    const before = [read(board, run.id), board.lastSeq()]
    expect(begin(board, run, 'check', 'npm test')).toBe(false)
    expect([read(board, run.id), board.lastSeq()]).toEqual(before)
    expect(board.stagesOf(run.id)).toEqual([])
  },
)

test('a stop that was about the work and decided nothing does not keep its check from running, nor a later stop from counting', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const run = claimOne(board)
  begin(board, run)
  board.recordStop(run.id, { kind: 'linger', by: 'dispatcher', text: 'it stayed' })
  board.recordRung({ run: run.id, fence: run.fence, rung: 'KILL' })
  board.recordSignalled({ run: run.id, fence: run.fence, reached: 'worker', text: 'KILL sent' })
  endStage(board, run, { stage: 'work', judged: '{}' })
  expect(begin(board, run, 'check', 'npm test')).toBe(true)
  expect(read(board, run.id)).toMatchObject({ stop: null, rung: null, stopDelivered: false })
  expect(board.recordStop(run.id, { kind: 'timeout', by: 'dispatcher', text: 'the check took too long' })).toBe(true)
})

test('a limit of one stage is gone with it, and the next one has its own', () => {
  using yard = openOnDisk()
  const { board } = yard
  for (const reached of ['worker', 'nobody'] as const) {
    addOne(board)
    const run = claimOne(board)
    begin(board, run)
    board.recordStop(run.id, { kind: 'timeout', by: 'dispatcher', text: 'too long' })
    board.recordRung({ run: run.id, fence: run.fence, rung: 'TERM' })
    board.recordSignalled({ run: run.id, fence: run.fence, reached, text: 'TERM' })
    endStage(board, run, { stage: 'work' })
    expect(read(board, run.id)).toMatchObject({ stop: null, stopDelivered: false, rung: null })
    expect(begin(board, run, 'check')).toBe(true)
    expect(board.recordStop(run.id, { kind: 'timeout', by: 'dispatcher', text: 'too long' })).toBe(true)
  }
})

test('a setup or a check that never got its go is begun again, and both times are on record', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const run = claimOne(board)
  for (const stage of ['prepare', 'prepare', 'work', 'check', 'check'] as const) {
    expect(begin(board, run, stage)).toBe(true)
    endStage(board, run, { stage })
  }
  expect(board.stagesOf(run.id).map(({ kind }) => kind)).toEqual(['prepare', 'prepare', 'check', 'check'])
})

test('an attempt that ends in the middle of a stage ends it, with its reason', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const prepared = claimOne(board)
  begin(board, prepared, 'prepare', 'npm ci')
  exit(board, prepared.id, 'launch_failed', 7)
  settle(board, prepared.id, { to: 'blocked', code: 'launch_failed', text: 'npm ci: exit 7' })
  expect(board.stagesOf(prepared.id)).toMatchObject([{ endedAtMs: startMs, exitCode: 7, reason: 'exit 7' }])

  addOne(board)
  const checked = claimOne(board)
  begin(board, checked)
  endStage(board, checked, { stage: 'work' })
  begin(board, checked, 'check', 'npm test')
  exit(board, checked.id, 'check_error', 0)
  // The exit code of an attempt is that of its work.
  expect(board.stagesOf(checked.id)).toMatchObject([{ endedAtMs: startMs, exitCode: null, reason: 'exit 0' }])
  using sound = openHalfStateFinder(yard.path)
  expect(sound.findHalfStates()).toEqual([])
})

test('what is left of an attempt whose work is over says nothing in its name any more', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const { run, token } = one(claim(board))
  const caller = { run: run.id, fence: run.fence }
  const call = { kind: 'complete', code: null, text: 'late', data: null, onTask: null } as const
  begin(board, run)
  expect(board.recordHeartbeat(caller)).toEqual({ kind: 'recorded' })
  endStage(board, run, { stage: 'work' })
  expect(board.recordCall(caller, call)).toEqual({ kind: 'over', phase: 'started' })
  begin(board, run, 'check')
  expect(board.recordCall(caller, call)).toEqual({ kind: 'over', phase: 'started' })
  expect(board.recordRemark(caller, 'hello')).toEqual({ kind: 'over', phase: 'started' })
  expect(board.recordHeartbeat(caller)).toEqual({ kind: 'over', phase: 'started' })
  expect(read(board, run.id)).toMatchObject({ call: null, lateCalls: 4 })
  expect(board.verifyToken(token)).toMatchObject({ run: run.id })
})

test('a hub that goes on with an attempt of the one before gets a token, and the old one opens nothing', () => {
  using yard = openOnDisk()
  const { board } = yard
  const task = addOne(board, { spec: { title: 'build', run: 'make', dir: '/shop' } })
  const before = one(claim(board))
  const after = board.claimOf(before.run.id)
  expect(after).toMatchObject({ task: { id: task.id, status: 'running' }, spec: { run: 'make' }, defaults: null })
  expect(after?.run).toEqual({ ...before.run, tokenHash: after?.run.tokenHash })
  expect(board.verifyToken(before.token)).toBeUndefined()
  expect(board.verifyToken(after?.token ?? '')).toMatchObject({ run: before.run.id, task: task.id })

  begin(board, before.run, 'prepare', 'npm ci')
  expect(board.claimOf(before.run.id)?.run.stage).toBe('prepare')
  endStage(board, before.run, { stage: 'prepare' })
  const last = board.claimOf(before.run.id)
  expect(board.verifyToken(last?.token ?? '')).toMatchObject({ run: before.run.id })
  begin(board, before.run)
  expect(board.claimOf(before.run.id)).toBeUndefined()
  end(board, before.run.id, 'done', { to: 'done' })
  expect(board.claimOf(before.run.id)).toBeUndefined()
  expect(board.readTask(task.id)?.status).toBe('done')
})

test('a person lets the card of an attempt go while it is prepared, and its stage ends with it', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const run = claimOne(board)
  begin(board, run, 'prepare', 'npm ci')
  const move = { to: 'blocked', code: 'released', text: 'let go' } as const
  board.releaseRun({ run: run.id, fence: run.fence, move, failures: 0 }, ann)
  expect(board.stagesOf(run.id)).toMatchObject([{ endedAtMs: startMs, exitCode: null }])
})
