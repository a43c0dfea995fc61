import { describe, expect, test } from 'vitest'
import { addOne, claim, one, openInMemory, openReopened, startMs } from './open-test-board.ts'

describe.each([
  ['in memory', openInMemory],
  ['on disk, opened again before every call', openReopened],
])('the starts of hubs on a board %s', (_, open) => {
  const start = (instance: string, over: object = {}) => ({
    instance,
    machine: 'm1',
    host: 'build-1',
    pid: 4121,
    version: '0.2.0',
    startedBy: 'person' as const,
    ...over,
  })

  test('are kept with machine, pid, version and who started them; the newest is told first', () => {
    using yard = open()
    expect(yard.board.hubStarts({ sinceMs: 0 })).toEqual([])
    yard.board.recordHubStart(start('a'))
    yard.clock.atMs += 1_000
    yard.board.recordHubStart(start('b', { startedBy: 'service' }))
    const [b, a] = yard.board.hubStarts({ sinceMs: 0 })
    expect(a).toEqual({ ...start('a'), startedAtMs: startMs, stoppedAtMs: null })
    expect(b).toMatchObject({ instance: 'b', startedBy: 'service', startedAtMs: startMs + 1_000 })
    expect(yard.board.hubStarts({ sinceMs: startMs + 1 }).map(({ instance }) => instance)).toEqual(['b'])
  })

  test('a stop in good order is told from a kill, also when the clock was set back meanwhile', () => {
    using yard = open()
    yard.board.recordHubStart(start('killed'))
    yard.board.recordHubStart(start('stopped'))
    yard.clock.atMs -= 60_000
    yard.board.recordHubStop('stopped')
    yard.clock.atMs += 120_000
    yard.board.recordHubStop('stopped')
    yard.board.recordHubStop('never started')
    const stops = yard.board.hubStarts({ sinceMs: 0 }).map(({ instance, stoppedAtMs }) => [instance, stoppedAtMs])
    expect(Object.fromEntries(stops)).toEqual({ killed: null, stopped: startMs })
  })

  test('the machine of a home is unknown until a hub writes it', () => {
    using yard = open()
    expect(yard.board.readMachine()).toBeNull()
    yard.board.writeMachine('m1')
    yard.board.writeMachine('m2')
    expect(yard.board.readMachine()).toBe('m2')
  })

  test('a claim writes down which hub made it; without a hub nothing is written', () => {
    using yard = open()
    addOne(yard.board)
    addOne(yard.board)
    const prepare = () => ({ ok: true, settings: '{}' }) as const
    const [mine] = yard.board.claim({ max: 1, prepare, by: { machine: 'm1', instance: 'i1' } })
    expect(mine?.run).toMatchObject({ machine: 'm1', hub: 'i1' })
    expect(one(claim(yard.board, 1)).run).toMatchObject({ machine: null, hub: null })
  })
})

describe('C173: an attempt that another machine has started', () => {
  test('is named with its host, takes no slot here, and only a person can let it go', () => {
    using yard = openInMemory()
    const { board } = yard
    board.applyLimits({ slots: 1, lanes: { command: { account: null, slots: 1 } }, accounts: {} })
    const [first, second] = [addOne(board), addOne(board)]
    board.recordHubStart({
      instance: 'i1',
      machine: 'm1',
      host: 'build-1',
      pid: 1,
      version: '1.0.0',
      startedBy: 'person',
    })
    board.writeMachine('m1')
    const prepare = () => ({ ok: true, settings: '{}' }) as const
    const by = { machine: 'm1', instance: 'i1' }
    const mine = one(board.claim({ max: 1, prepare, by })).run
    expect(board.hostElsewhere(mine)).toBeNull()
    expect(board.claim({ max: 1, prepare, by })).toEqual([])

    board.writeMachine('m2')
    expect(board.hostElsewhere(mine)).toBe('build-1')
    expect(board.hostElsewhere({ machine: 'm0', hub: null })).toBe('m0')
    expect(board.explainTask(first.id, 'up')).toMatchObject({
      code: 'elsewhere',
      says: expect.stringContaining('attempt 1 (R1) was started on build-1, another machine'),
      youCan: ['yardmaster release T1 --despite R1', 'yardmaster show T1'],
    })
    expect(one(board.claim({ max: 1, prepare, by: { machine: 'm2', instance: 'i2' } })).task.id).toBe(second.id)
    expect(board.explainTask(second.id, 'up')).toMatchObject({ code: 'running' })
  })
})
