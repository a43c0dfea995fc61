import { describe, expect, test } from 'vitest'
import type { Board, BoardEvent, Claim } from '../../src/board/index.ts'
import type { NewCall } from '../../src/board/run-calls.ts'
import { makeTokenSecret } from '../../src/board/run-token.ts'
import { systemRandom, type TaskId, taskId } from '../../src/kernel/index.ts'
import { cpuTimer } from '../cpu-timer.ts'
import {
  add,
  addOne,
  ann,
  backAtOnce,
  end,
  exit,
  finish,
  one,
  openInMemory,
  openReopened,
  settle,
  start,
  statusOf,
} from './open-test-board.ts'

const complete: NewCall = { kind: 'complete', code: null, text: 'all of it', data: null, onTask: null }
const waitFor = (onTask: TaskId): NewCall => ({ kind: 'wait', code: null, text: 'its schema', data: null, onTask })
const callerOf = ({ run }: Claim) => ({ run: run.id, fence: run.fence })
const eventsOf = (board: Board, kind: BoardEvent['kind']) =>
  board.eventsAfter(0, 10_000).filter((event) => event.kind === kind)

/** A card that runs, and nothing else. */
function running(board: Board): Claim {
  addOne(board)
  return one(start(board))
}

describe('the token of a run', () => {
  test.each([
    ['in memory', openInMemory],
    ['opened again before each call', openReopened],
  ])('names its run, its card and its fence, %s', (_, open) => {
    using yard = open()
    const claim = running(yard.board)
    expect(claim.token).toMatch(/^ymr_R1_[A-Za-z0-9_-]{43}$/)
    expect(yard.board.verifyToken(claim.token)).toEqual({
      run: claim.run.id,
      task: claim.task.id,
      fence: claim.run.fence,
      phase: 'started',
    })
  })

  test('is kept as a hash only, and stands in no event', () => {
    using yard = openInMemory()
    const { token, run } = running(yard.board)
    const secret = token.split('_').slice(2).join('_')
    const kept = JSON.stringify([
      yard.board.readRun(run.id),
      yard.board.runsOf(run.task),
      yard.board.eventsAfter(0, 100),
    ])
    expect(kept).not.toContain(secret)
    expect(yard.board.readRun(run.id)?.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('anything else is no token: another run, a changed end, half of it, an admin token, nothing', () => {
    using yard = openInMemory()
    const { token } = running(yard.board)
    const other = running(yard.board).token
    const foreign = `ymr_R1_${other.split('_').slice(2).join('_')}`
    const changed = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const bad of [
      foreign,
      changed,
      token.slice(0, -5),
      `${token}x`,
      'ymr_R9_'.padEnd(50, 'a'),
      'ymr_',
      '',
      ` ${token}`,
      'f'.repeat(64),
    ]) {
      expect(yard.board.verifyToken(bad), bad).toBeUndefined()
    }
  })

  test('is answered after the end too, with the phase that says so', () => {
    using yard = openInMemory()
    const { token, run } = running(yard.board)
    exit(yard.board, run.id)
    expect(yard.board.verifyToken(token)?.phase).toBe('exited')
    settle(yard.board, run.id, { to: 'done' })
    expect(yard.board.verifyToken(token)?.phase).toBe('settled')
  })

  test('costs microseconds to make', () => {
    const times = 20_000
    const usedMs = cpuTimer()
    for (let made = 0; made < times; made += 1) makeTokenSecret(systemRandom)
    // About 5 µs each; a slow hash meant for passwords would take thousands.
    expect((usedMs() / times) * 1_000).toBeLessThan(200)
  })
})

describe('a long question', () => {
  test.each(['block', 'review'] as const)(
    'of a %s is kept whole once; card, events and lists have its beginning',
    (kind) => {
      using yard = openInMemory()
      const { run, task } = running(yard.board)
      const asked = 'which of the two stores is meant? '.repeat(1_900)
      yard.board.recordCall(
        { run: run.id, fence: run.fence },
        { kind, code: null, text: asked, data: null, onTask: null },
      )
      exit(yard.board, run.id, kind === 'block' ? 'blocked' : 'review')
      settle(
        yard.board,
        run.id,
        kind === 'block' ? { to: 'blocked', code: 'needs_input', text: asked } : { to: 'review', text: asked },
      )
      const brief = expect.stringMatching(/^which of the two stores .{900,980}…$/)
      expect(yard.board.readRun(run.id)?.call?.text).toBe(asked)
      expect(yard.board.readTask(task.id)?.holdText).toEqual(brief)
      expect(yard.board.lastRuns([task.id]).get(task.id)?.call?.text).toEqual(brief)
      for (const { kind, text } of yard.board.eventsAfter(0, 100)) expect(text.length, kind).toBeLessThan(1_100)
    },
  )
})

describe('signs of life', () => {
  test('C13: are kept for the record, and there is no lease that they would have to renew: 3 h of silence change nothing', () => {
    using yard = openInMemory()
    const [talks, silent] = [running(yard.board), running(yard.board)]
    for (let sign = 0; sign < 5; sign += 1) {
      yard.clock.atMs += 30_000
      expect(yard.board.recordHeartbeat(callerOf(talks))).toEqual({ kind: 'recorded' })
    }
    expect(yard.board.readRun(talks.run.id)?.heartbeatAtMs).toBe(yard.clock.atMs)
    yard.clock.atMs += 3 * 3_600_000
    yard.board.openDue()
    expect(start(yard.board)).toEqual([])
    for (const { run } of [talks, silent])
      expect(yard.board.readRun(run.id)).toMatchObject({ phase: 'started', stop: null })
    expect(yard.board.nextDueMs()).toBeNull()
  })

  test('C15: a new run starts with none, whatever the one before it left', () => {
    using yard = openInMemory()
    const first = running(yard.board)
    yard.board.recordHeartbeat(callerOf(first))
    end(yard.board, first.run.id, 'failed', backAtOnce, 1)
    yard.clock.atMs += 3 * 3_600_000
    const second = one(start(yard.board))
    expect(yard.board.readRun(second.run.id)).toMatchObject({
      heartbeatAtMs: null,
      claimedAtMs: yard.clock.atMs,
      attempt: 2,
    })
    expect(yard.board.readRun(first.run.id)?.heartbeatAtMs).toBe(yard.clock.atMs - 3 * 3_600_000)
  })
})

describe('the terminal call', () => {
  test('is write-once: the same again is answered the same, another one with the first', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    expect(yard.board.recordCall(callerOf(claim), complete)).toEqual({ kind: 'recorded' })
    yard.clock.atMs += 1_000
    expect(yard.board.recordCall(callerOf(claim), complete)).toEqual({ kind: 'recorded' })
    const block: NewCall = { ...complete, kind: 'block', code: 'needs_input' }
    for (const other of [block, { ...complete, text: 'more' }, { ...complete, data: '1' }]) {
      expect(yard.board.recordCall(callerOf(claim), other)).toMatchObject({
        kind: 'called',
        before: { kind: 'complete' },
      })
    }
    expect(yard.board.readRun(claim.run.id)?.call).toEqual({ ...complete, atMs: yard.clock.atMs - 1_000 })
    expect(eventsOf(yard.board, 'run.called')).toMatchObject([{ by: 'R1', run: 1, data: { call: 'complete' } }])
  })

  test.each(['cancel', 'stop', 'timeout', 'stall', 'memory', 'budget'] as const)(
    'is refused once the run is being ended by %s, with that reason',
    (kind) => {
      using yard = openInMemory()
      const claim = running(yard.board)
      yard.board.recordStop(claim.run.id, { kind, by: 'ann', text: 'enough' })
      const answer = yard.board.recordCall(callerOf(claim), complete)
      expect(answer).toMatchObject({ kind: 'stopping', stop: { kind, by: 'ann', text: 'enough' } })
      expect(yard.board.readRun(claim.run.id)?.call).toBeNull()
    },
  )

  test.each(['drain', 'replace', 'shutdown', 'batch_time'] as const)(
    'is taken while the yard goes down (%s)',
    (kind) => {
      using yard = openInMemory()
      const claim = running(yard.board)
      yard.board.recordStop(claim.run.id, { kind, by: 'dispatcher', text: '' })
      expect(yard.board.recordCall(callerOf(claim), complete)).toEqual({ kind: 'recorded' })
    },
  )

  test('with the fence of another run is nobody’s', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    const { run, fence } = callerOf(claim)
    expect(yard.board.recordCall({ run, fence: fence + 1 }, complete)).toMatchObject({ kind: 'over' })
    expect(yard.board.readRun(run)?.call).toBeNull()
  })

  test('C19: an outcome is written once: a verdict that comes later is dropped, and so is a call', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    const { run, fence } = callerOf(claim)
    exit(yard.board, run, 'done')
    const late = {
      exitCode: null,
      signal: null,
      outputTail: null,
      result: null,
      data: null,
      usage: null,
      stopDelivered: false,
    }
    const verdict = { run, fence, outcome: 'lost', reason: 'not seen any more', ...late } as const
    expect(yard.board.recordExited([verdict]).size).toBe(0)
    settle(yard.board, run, { to: 'done' })
    expect(yard.board.recordExited([verdict]).size).toBe(0)
    settle(yard.board, run, backAtOnce, 1)
    expect(yard.board.recordCall({ run, fence }, { ...complete, kind: 'block', code: 'needs_input' })).toMatchObject({
      kind: 'over',
    })
    expect(yard.board.readRun(run)).toMatchObject({ outcome: 'done', reason: 'exit 0', call: null })
    expect(statusOf(yard.board, claim.task.id)).toBe('done')
  })
})

describe('what a run calls when it is over', () => {
  test('stands on that run: the first 20 as events, all of them as a number', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    end(yard.board, claim.run.id, 'done', { to: 'done' })
    for (let call = 0; call < 24; call += 1) {
      const acts = [
        () => yard.board.recordHeartbeat(callerOf(claim)),
        () => yard.board.recordRemark(callerOf(claim), 'still here'),
        () => yard.board.recordCall(callerOf(claim), complete),
      ]
      expect(acts[call % 3]?.()).toEqual({ kind: 'over', phase: 'settled' })
    }
    const late = eventsOf(yard.board, 'run.late_call')
    expect(late).toHaveLength(20)
    expect(late[0]).toMatchObject({ run: claim.run.id, task: claim.task.id, data: { call: 'heartbeat', calls: 1 } })
    expect(late.at(-1)?.text).toContain('what follows is only counted')
    expect(yard.board.readRun(claim.run.id)?.lateCalls).toBe(24)
    expect(yard.board.comments(claim.task.id)).toEqual([])
  })

  test('remarks of one run have an end, too', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    for (let remark = 0; remark < 100; remark += 1) yard.board.recordRemark(callerOf(claim), `${remark}`)
    expect(() => yard.board.recordRemark(callerOf(claim), 'one more')).toThrow('R1 has made 100 remarks')
    expect(yard.board.comments(claim.task.id)).toHaveLength(100)
    expect(yard.board.comments(claim.task.id)[0]).toMatchObject({ by: 'R1', text: '0' })
    yard.board.comment(claim.task.id, 'a person still may', ann)
  })
})

describe('waiting for another card', () => {
  test('its card waits behind it when the run is settled, and goes on once it is done', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    const other = addOne(yard.board, { draft: true })
    yard.board.recordCall(callerOf(claim), waitFor(other.id))
    expect(statusOf(yard.board, claim.task.id)).toBe('running')
    end(yard.board, claim.run.id, 'blocked', backAtOnce)
    expect(yard.board.readTask(claim.task.id)).toMatchObject({ status: 'todo', openNeeds: 1 })
    expect(yard.board.needsOf(claim.task.id)).toMatchObject([{ task: other.id, when: 'done' }])
    yard.board.readyTask(other.id, ann)
    finish(yard.board, other.id)
    expect(statusOf(yard.board, claim.task.id)).toBe('ready')
  })

  test('what is done meanwhile holds nothing up', () => {
    using yard = openInMemory()
    const [task, other] = add(yard.board, [{}, {}])
    const claims = start(yard.board)
    const of = (id: TaskId | undefined) => one(claims.filter((claim) => claim.task.id === id))
    yard.board.recordCall(callerOf(of(task?.id)), waitFor(other?.id ?? taskId(0)))
    end(yard.board, of(other?.id).run.id, 'done', { to: 'done' })
    end(yard.board, of(task?.id).run.id, 'blocked', backAtOnce)
    expect(yard.board.readTask(task?.id ?? taskId(0))).toMatchObject({ status: 'ready', openNeeds: 0 })
  })

  test('is refused for one that it has waited for and that is done: each attempt would end like the one before', () => {
    using yard = openInMemory()
    const first = running(yard.board)
    const other = addOne(yard.board, { draft: true })
    yard.board.recordCall(callerOf(first), waitFor(other.id))
    end(yard.board, first.run.id, 'blocked', backAtOnce)
    yard.board.readyTask(other.id, ann)
    finish(yard.board, other.id)
    const again = one(start(yard.board))
    expect(() => yard.board.recordCall(callerOf(again), waitFor(other.id))).toThrow(
      'T2 is done, and this attempt began with its result',
    )
    expect(yard.board.readRun(again.run.id)?.call).toBeNull()
  })

  test('is refused for itself, for a card that needs it however far away, and for one that is not there', () => {
    using yard = openInMemory()
    const [task, near, far] = add(yard.board, [
      { rowKey: 'a' },
      { rowKey: 'b', needs: [{ on: 'a', when: 'done' }] },
      { rowKey: 'c', needs: [{ on: 'b', when: 'done' }] },
    ]).map(({ id }) => id)
    const claim = one(start(yard.board))
    const waits = (on: TaskId | undefined) => () => yard.board.recordCall(callerOf(claim), waitFor(on ?? taskId(0)))
    expect(waits(task)).toThrow('these tasks need each other in a circle: T1 -> T1')
    expect(waits(near)).toThrow('T1 -> T2 -> T1')
    expect(waits(far)).toThrow('T1 -> T3 -> T2 -> T1')
    expect(waits(taskId(99))).toThrow('there is no task T99')
    expect(yard.board.readRun(claim.run.id)?.call).toBeNull()
  })

  test('a circle that was closed after the call is a person’s to open', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    const other = addOne(yard.board, { draft: true })
    yard.board.recordCall(callerOf(claim), waitFor(other.id))
    yard.board.editTask(other.id, { addNeeds: [{ task: claim.task.id, when: 'done' }] }, ann)
    end(yard.board, claim.run.id, 'blocked', backAtOnce)
    expect(yard.board.readTask(claim.task.id)).toMatchObject({ status: 'blocked', holdCode: 'need_cycle' })
    expect(yard.board.readTask(claim.task.id)?.holdText).toContain('T1 -> T2 -> T1')
    expect(yard.board.needsOf(claim.task.id)).toEqual([])
  })

  test('a person’s wish to cancel counts more than what it waits for', () => {
    using yard = openInMemory()
    const claim = running(yard.board)
    const other = addOne(yard.board, { draft: true })
    yard.board.recordCall(callerOf(claim), waitFor(other.id))
    yard.board.cancelTask(claim.task.id, ann)
    end(yard.board, claim.run.id, 'blocked', backAtOnce)
    expect(statusOf(yard.board, claim.task.id)).toBe('cancelled')
  })
})
