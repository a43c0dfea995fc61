import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, runId, systemClock } from '../../../src/kernel/index.ts'
import { formatHandover } from '../../../src/runs/index.ts'
import { readHandover } from '../../../src/worker/board/read-handover.ts'
import { endRun, openApiYard } from '../../api/open-yard.ts'
import { waitFor } from '../../wait-for.ts'
import { openBoardYard } from './board-yard.ts'

const ann = { by: 'ann' }
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the token of a run', () => {
  const token = `ymr_R12_${'a'.repeat(43)}`
  const pipeWith = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'yard-token-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    execFileSync('mkfifo', [join(folder, 'gate')])
    const both = openSync(join(folder, 'gate'), 'r+')
    writeSync(both, text)
    const descriptor = openSync(join(folder, 'gate'), 'r')
    closeSync(both)
    return descriptor
  }

  test('is read from its descriptor once, and nothing of it is left for anybody', () => {
    const descriptor = pipeWith(token)

    expect(readHandover(descriptor)).toEqual({ token, key: undefined })
    expect(() => closeSync(descriptor)).toThrow('EBADF')
  })

  test('comes with the key of its provider, whatever signs that has', () => {
    const key = 'a key\nkey of two lines '
    expect(readHandover(pipeWith(formatHandover({ token, key })))).toEqual({ token, key })
  })

  test('is none where the pipe is empty, holds something else, or is no pipe', () => {
    const nothing = { token: undefined, key: undefined }
    expect(readHandover(pipeWith(''))).toEqual(nothing)
    expect(readHandover(pipeWith('x'.repeat(10_000)))).toEqual(nothing)
    expect(readHandover(999)).toEqual(nothing)
    const file = openSync('/dev/null', 'r')
    expect(readHandover(file)).toEqual(nothing)
    closeSync(file) // it is still ours
  })
})

describe('the line of a worker to its board', () => {
  test('tells of a comment in the moment in which it is made, and never of its own', async () => {
    await using at = await openBoardYard()
    expect(await at.board.opening).toEqual({ kind: 'ok' })
    const heard = new Promise<void>((resolve) => at.board.link.onNews(new AbortController().signal, resolve))
    while (at.yard.listeners() === 0) await turn()
    await at.use('comment', { text: 'mine' })
    at.yard.board.comment(1 as never, 'mind the clock', ann)
    await heard

    expect(at.board.link.takeNews()).toMatchObject([{ by: 'ann', text: 'mind the clock' }])
    expect(at.board.link.takeNews()).toEqual([])
  })

  test('ends when somebody stops the task, with the reason', async () => {
    await using at = await openBoardYard()
    while (at.yard.listeners() === 0) await turn()
    at.yard.board.stopTask(1 as never, 'enough', ann)
    await aborted(at.board.link.ended)

    expect(at.board.link.endedBy()).toEqual({ kind: 'stop', text: 'stop: enough' })
  })

  test('ends when the run is over without it; then its last call is not taken and not repeated', async () => {
    await using at = await openBoardYard()
    while (at.yard.listeners() === 0) await turn()
    endRun(at.yard, at.started)
    await aborted(at.board.link.ended)

    expect(at.board.link.endedBy()).toMatchObject({ kind: 'over' })
    expect(await at.board.link.finish({ call: 'complete', result: 'late' })).toEqual({
      kind: 'over',
      says: 'R1 is over (done); nothing that it says changes its end',
    })
    expect(at.yard.board.readRun(1 as never)).toMatchObject({ call: null, lateCalls: 1 })
  })

  test('says of a last call that comes while it is being ended that it is stopped', async () => {
    await using at = await openBoardYard()
    await at.board.opening
    at.yard.board.recordStop(1 as never, { kind: 'timeout', by: 'dispatcher', text: 'longer than 2h' })

    expect(await at.board.link.finish({ call: 'complete', result: 'x' })).toMatchObject({ kind: 'over' })
    expect(at.board.link.endedBy()).toMatchObject({ kind: 'stop' })
  })

  test('C102: a hub that has another store is named, and nothing is begun', async () => {
    await using other = await openApiYard()
    await using at = await openBoardYard({ input: { task: 'T9' } })
    await using far = await openBoardYard()
    writeFileSync(far.hubFile, `http://127.0.0.1:${other.port}\n`)
    await using strange = await openBoardYard({ input: { run: runId(77) } })

    expect(await at.board.opening).toEqual({
      kind: 'wrong_store',
      says: 'wrong store: the hub that answers does not have this run (the hub knows this worker as R1 of T1, and it was started as R1 of T9)',
    })
    expect(await strange.board.opening).toMatchObject({ kind: 'wrong_store' })
  })

  test('C102: a hub that does not know the token is named, too', async () => {
    await using other = await openApiYard()
    await using at = await openBoardYard({ input: { hubFile: hubFileOf(other.port) } })

    expect(await at.board.opening).toMatchObject({
      kind: 'wrong_store',
      says: expect.stringContaining('that of none in this home'),
    })
  })

  test('a hub that is not there lets the work begin, and is heard when it comes back at another address', async () => {
    const hubFile = hubFileOf(1)
    await using at = await openBoardYard({ input: { hubFile } })
    writeFileSync(hubFile, `http://127.0.0.1:${at.yard.port}\n`)

    expect(await at.board.opening).toEqual({ kind: 'ok' })
    expect(await at.board.link.finish({ call: 'complete', result: 'done' })).toMatchObject({ kind: 'ended' })
  })
})

describe('the last call', () => {
  test('is tried again until the hub is back, and counts once', async () => {
    await using at = await openBoardYard()
    await at.board.opening
    writeFileSync(at.hubFile, 'http://127.0.0.1:1\n')
    const finishing = at.board.link.finish({ call: 'complete', result: 'done' })
    await systemClock.sleep(150)
    writeFileSync(at.hubFile, `http://127.0.0.1:${at.yard.port}\n`)

    expect(await finishing).toEqual({
      kind: 'ended',
      end: { call: 'complete', text: 'done', delivery: 'acknowledged' },
    })
    expect(at.yard.board.eventsAfter(0, 1_000).filter(({ kind }) => kind === 'run.called')).toHaveLength(1)
  })

  test('stands as undelivered when no hub answers for as long as the run has time', async () => {
    await using at = await openBoardYard({ input: { timeLeftMs: () => 5_300 } })
    await at.board.opening
    writeFileSync(at.hubFile, 'http://127.0.0.1:1\n')
    const beganMs = performance.now()

    expect(await at.use('complete', { result: 'done', data: { n: 1 }, artifacts: ['a.txt'] })).toMatchObject({
      ends: { call: 'complete', delivery: 'board_unreachable', text: 'done', data: { n: 1 } },
    })
    expect(performance.now() - beganMs).toBeLessThan(5_000) // the rest of its time is for its end
    expect(at.handedBack).toEqual(['a.txt'])
  })

  test('another program at the port of a hub that has gone is not believed', async () => {
    const stranger = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => stranger.once('listening', resolve))
    onTestFinished(() => void stranger.close())
    await using other = await openApiYard()
    await using at = await openBoardYard({ input: { timeLeftMs: () => 5_300 } })
    await at.board.opening
    for (const port of [(stranger.address() as AddressInfo).port, other.port]) {
      writeFileSync(at.hubFile, `http://127.0.0.1:${port}\n`)
      expect(await at.board.link.finish({ call: 'complete', result: 'x' })).toMatchObject({
        end: { delivery: 'board_unreachable' },
      })
    }
    expect(at.board.link.ended.aborted).toBe(false)
  })

  test('a comment that a full disk has refused is not called doubtful; one whose answer says nothing is', async () => {
    const refusals = ['BOARD_DISK_FULL', 'API_FAULT']
    const full = createServer((_, response) => {
      const body = { error: { code: refusals.shift(), message: 'nothing of this was written', fix: 'make space' } }
      response.writeHead(507, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => full.once('listening', resolve))
    onTestFinished(() => void full.close())
    await using at = await openBoardYard()
    await at.board.opening
    const comment = async (port: number) => {
      writeFileSync(at.hubFile, `http://127.0.0.1:${port}\n`)
      const stop = AbortSignal.timeout(1_500)
      const tool = at.tools.find(({ name }) => name === 'comment')
      return (await tool?.run({ text: 'hello' }, { callId: 'c', signal: stop, attention: stop }))?.text
    }
    const { port } = full.address() as AddressInfo

    expect(await comment(port)).toBe('error: nothing of this was written. Fix: make space.')
    expect(await comment(port)).toContain('It is not known whether it was done')
  })

  test('another program that has taken over the port of its hub is waited past, until the hub says where it is', async () => {
    await using at = await openBoardYard()
    expect(await at.board.opening).toEqual({ kind: 'ok' })
    const own = readFileSync(at.hubFile, 'utf8')
    const stranger = createServer((_, response) => {
      writeFileSync(at.hubFile, own)
      const error = { code: 'API_BAD_RUN_TOKEN', message: 'nobody knows this token', fix: 'none' }
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => new Promise<void>((resolve) => stranger.close(() => resolve()).closeAllConnections()))
    await once(stranger, 'listening')
    writeFileSync(at.hubFile, `http://127.0.0.1:${(stranger.address() as AddressInfo).port}\n`)

    expect((await at.use('heartbeat', { note: 'half way' })).text).toBe('noted')
  })

  test('a file that cannot be handed over to a hub that is gone is left to the report', async () => {
    await using at = await openBoardYard()
    await at.board.opening
    writeFileSync(join(at.workspace, 'shot.png'), 'png')
    writeFileSync(at.hubFile, 'http://127.0.0.1:1\n')
    const attach = at.tools.find(({ name }) => name === 'attach')
    const stop = AbortSignal.timeout(100)

    const result = await attach?.run({ path: 'shot.png' }, { callId: 'c', signal: stop, attention: stop })

    expect(result?.text).toContain('is taken when you have ended')
    expect(at.handedBack).toEqual([join(at.workspace, 'shot.png')])
  })

  test('a file that a hub has taken whole and never answers for is left to the report as well, once somebody says stop', async () => {
    await using at = await openBoardYard()
    await at.board.opening
    writeFileSync(join(at.workspace, 'shot.png'), 'png')
    const stop = new AbortController()
    const silent = createServer((request) => request.on('end', () => stop.abort()).resume()).listen(0, '127.0.0.1')
    onTestFinished(() => new Promise<void>((resolve) => silent.close(() => resolve()).closeAllConnections()))
    await once(silent, 'listening')
    writeFileSync(at.hubFile, `http://127.0.0.1:${(silent.address() as AddressInfo).port}\n`)
    const attach = at.tools.find(({ name }) => name === 'attach')

    const order = { callId: 'c', signal: stop.signal, attention: stop.signal }
    const result = await attach?.run({ path: 'shot.png' }, order)

    expect(result?.text).toContain('is taken when you have ended')
    expect(at.handedBack).toEqual([join(at.workspace, 'shot.png')])
  })
})

test('a heartbeat is sent each minute while the loop moves on, and none when it has stood longer than its watchdogs allow', async () => {
  let nowMs = 0
  const beats: (() => void)[] = []
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    every: (ms, _, beat) => void (ms === 60_000 && beats.push(beat)),
  }
  await using at = await openBoardYard({ clock, input: { vetoAfterMs: 90_000 } })
  await at.board.opening
  while (beats.length === 0) await turn()
  const seen = () => at.yard.board.readRun(1 as never)?.heartbeatAtMs ?? null
  const heartbeat = async () => {
    const before = seen()
    beats[0]?.()
    await waitFor(() => expect(seen()).not.toBe(before))
  }

  nowMs = 60_000
  await heartbeat()
  nowMs = 120_000
  const before = seen()
  beats[0]?.()
  await at.use('comment', { text: 'asked after it' })
  expect(seen()).toBe(before)
  at.board.link.noteProgress()
  nowMs = 180_000
  await heartbeat()
})

function hubFileOf(port: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'yard-hub-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'hub'), `http://127.0.0.1:${port}\n`)
  return join(folder, 'hub')
}
