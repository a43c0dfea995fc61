import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/kernel/index.ts'
import { createProcessTool } from '../../../../src/worker/tools/terminal/process.ts'
import { createTerminalTool } from '../../../../src/worker/tools/terminal/terminal.ts'
import { describeTool } from '../../../../src/worker/tools/tool.ts'
import { isAlive, TestDesk, unhurried } from './desk.ts'

const waitUntil = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await systemClock.sleep(10)
}

describe('a command in the background', () => {
  test('is listed with its state, and looked at as it grows', async () => {
    await using desk = new TestDesk()
    await desk.terminal('echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; sleep 60', { background: true })
    await waitUntil(async () => (await desk.process('log', { id: 'P1' })).includes('one'))
    expect(await desk.process('list')).toMatch(/^P1: runs, [\d.]+s, \d bytes: echo one; while/)
    await desk.process('poll', { id: 'P1' }) // where it had not said it yet when it was sent away

    const still = await desk.use('process', { action: 'poll', id: 'P1' })
    expect(still).toMatchObject({ outcome: 'ok', moved: false })
    expect(still.text).toMatch(/^\[no new output\]\n\[P1: runs/)
    writeFileSync(join(desk.workspace, 'go'), '')
    let grown = still
    while (grown.moved !== true) {
      await systemClock.sleep(10)
      grown = await desk.use('process', { action: 'poll', id: 'P1' })
    }
    expect(grown.text).toMatch(/^two\n\n\[P1: runs/)
  })

  test('that ends within a moment is told at once', async () => {
    await using desk = new TestDesk({ clock: unhurried })
    expect(await desk.terminal('echo quick; exit 3', { background: true })).toMatch(/^quick\n\n\[exit 3/)
    expect(await desk.process('list')).toBe('nothing was sent into the background')
  })

  test('is waited for up to the time that was said', async () => {
    await using desk = new TestDesk()
    await desk.terminal('sleep 60', { background: true })
    const began = performance.now()
    expect(await desk.process('wait', { id: 'P1', timeout_seconds: 1 })).toContain('[P1: runs')
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('is known to have been waited for only where that took its time', async () => {
    const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) }
    await using desk = new TestDesk({ clock: hasty })
    await desk.terminal('sleep 60', { background: true })
    const wait = async (timeout_seconds?: number) =>
      await desk.use('process', { action: 'wait', id: 'P1', timeout_seconds })
    expect((await wait()).waited).toBe(true)
    expect((await wait(29)).waited).toBeUndefined()
    desk.attention.abort()
    expect((await wait()).waited).toBeUndefined()
    await desk.process('kill', { id: 'P1' })
    expect((await wait()).waited).toBeUndefined()
  })

  test('has its limit where one was said', async () => {
    await using desk = new TestDesk()
    await desk.terminal('echo x; sleep 60', { background: true, timeout_seconds: 1 })
    expect(await desk.process('wait', { id: 'P1' })).toContain('[P1: stopped after its limit')
  })

  test('a stop of the worker ends a wait for it', async () => {
    await using desk = new TestDesk()
    await desk.terminal('sleep 60', { background: true })
    setImmediate(() => desk.stop.abort())
    expect(await desk.process('wait', { id: 'P1', timeout_seconds: 600 })).toContain('[P1: runs')
  })

  test('any stretch of its output can be read', async () => {
    await using desk = new TestDesk()
    await desk.terminal('seq 1 5000; sleep 60', { background: true })
    await waitUntil(async () => (await desk.process('log', { id: 'P1', bytes: 5 })).includes('of 23893'))
    expect(await desk.process('log', { id: 'P1', offset: 0, bytes: 6 })).toMatch(
      /^1\n2\n3\n\n\[bytes 0 to 6 of 23893; go on with offset 6\]/,
    )
    expect(await desk.process('log', { id: 'P1', bytes: 5 })).toMatch(/^5000\n\n\[bytes 23888 to 23893 of 23893\]/)
    expect(await desk.process('log', { id: 'P1', offset: 99_999 })).toContain('[nothing there; P1 has 23893 bytes]')
  })

  test('is killed with all that it started, politely first, and told so', async () => {
    await using desk = new TestDesk({ clock: { ...unhurried, sleep: systemClock.sleep } })
    const command =
      'trap "echo bye; exit 0" TERM; bash -c "echo \\$\\$ > new; mv new child; while :; do sleep 0.05; done"; sleep 60'
    await desk.terminal(command, { background: true })
    await waitUntil(() => existsSync(join(desk.workspace, 'child')))
    const result = await desk.use('process', { action: 'kill', id: 'P1' })
    expect(result.text).toMatch(/bye\n\n\[P1: killed as you asked/)
    expect(result.summary).toMatch(/^process kill P1: killed as you asked, /)
    expect(isAlive(Number(readFileSync(join(desk.workspace, 'child'), 'utf8')))).toBe(false)
    expect(await desk.process('kill', { id: 'P1' })).toContain('[P1: killed as you asked')
  })
})

test('nothing but own background commands is reached', async () => {
  await using desk = new TestDesk()
  expect(await desk.process('kill', { id: '1' })).toBe('error: there is no 1: nothing was sent into the background')
  expect(await desk.process('poll')).toBe('error: id is missing; action list names them')
  expect(await desk.process('signal', { id: 'P1' })).toContain('action must be one of list, poll, wait, log, kill')
  await desk.terminal('sleep 60', { background: true })
  expect(await desk.process('kill', { id: 'P2' })).toContain('there is no P2')
  expect(await desk.process('wait', { id: 'P1', timeout_seconds: 601 })).toContain('must be from 1 to 600')
})

test('64 of them at most; those that have ended make room', async () => {
  await using desk = new TestDesk()
  const commands = Array.from({ length: 64 }, (_, n) => (n === 0 ? 'exec sleep 59' : 'exec sleep 60'))
  await Promise.all(commands.map((command) => desk.terminal(command, { background: true })))
  expect(await desk.terminal('sleep 60', { background: true })).toContain('too many commands run in the background')
  expect(await desk.terminal('echo foreground')).toContain('foreground')
  const first = (await desk.process('list'))
    .split('\n')
    .find((row) => row.includes('sleep 59'))
    ?.split(':')[0]
  await desk.process('kill', { id: first })
  expect(await desk.terminal('sleep 60', { background: true })).toContain('P65 runs in the background')
  expect(await desk.process('poll', { id: first })).toContain(`there is no ${first}`)
})

const stubborn = 'trap "" TERM; echo $$ > new; mv new leader; while :; do sleep 0.05; done'

describe('the end of the worker', () => {
  test('ends all that still runs and says what that was; nobody survives', async () => {
    await using desk = new TestDesk()
    await desk.terminal(stubborn, { background: true })
    await desk.terminal('sleep 60', { background: true })
    await desk.terminal('echo over')
    await waitUntil(() => existsSync(join(desk.workspace, 'leader')))
    const leader = Number(readFileSync(join(desk.workspace, 'leader'), 'utf8'))

    const left = await desk.desk.closeAll()

    expect(left).toMatchObject([
      { id: 'P1', command: stubborn, end: 'ended' },
      { id: 'P2', command: 'sleep 60', end: 'ended' },
    ])
    expect(isAlive(leader)).toBe(false)
    expect(await desk.desk.closeAll()).toBe(left)
    expect(await desk.terminal('true')).toContain('not started: the worker ends')
  })

  test('in a hurry kills what can be seen, without waiting', async () => {
    await using desk = new TestDesk()
    await desk.terminal(stubborn, { background: true })
    await waitUntil(() => existsSync(join(desk.workspace, 'leader')))
    desk.desk.killNow()
    await waitUntil(() => !isAlive(Number(readFileSync(join(desk.workspace, 'leader'), 'utf8'))))
  })

  test('without any command loads and makes nothing', async () => {
    await using desk = new TestDesk()
    desk.desk.killNow()
    expect(await desk.desk.closeAll()).toEqual([])
    await desk.desk.checkSandbox()
  })
})

test('both tools together cost a model at most 600 tokens', async () => {
  await using desk = new TestDesk()
  const schemas = JSON.stringify([createTerminalTool(desk.desk), createProcessTool(desk.desk)].map(describeTool))
  expect(schemas.length / 3.6).toBeLessThanOrEqual(600)
})
