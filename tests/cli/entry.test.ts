import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { findHome } from '../../src/cli/home.ts'
import { outputTo, wantsColour } from '../../src/cli/output.ts'
import { hearSignals } from '../../src/cli/signals.ts'
import { systemClock } from '../../src/kernel/index.ts'

describe('the home', () => {
  const from = (env: Record<string, string>) => findHome({ env, cwd: '/shop', userHome: '/home/anna' })

  test('is $YARDMASTER_HOME, else below $XDG_STATE_HOME, else below ~/.local/state', () => {
    expect(from({ YARDMASTER_HOME: '/y', XDG_STATE_HOME: '/state' })).toBe('/y')
    expect(from({ YARDMASTER_HOME: 'y' })).toBe('/shop/y')
    expect(from({ XDG_STATE_HOME: '/state' })).toBe('/state/yardmaster')
    expect(from({})).toBe('/home/anna/.local/state/yardmaster')
  })

  test('ignores what is empty, and a relative $XDG_STATE_HOME as its specification asks', () => {
    expect(from({ YARDMASTER_HOME: '', XDG_STATE_HOME: 'state' })).toBe('/home/anna/.local/state/yardmaster')
  })
})

describe('colour', () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%j on a terminal %s: %s', (env, isTerminal, colour) => {
    expect(wantsColour(env, isTerminal)).toBe(colour)
  })
})

describe('an output', () => {
  const failing = (code: string) =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    })

  test('whose reader has gone takes more text quietly and says so to streams', async () => {
    const faults: Error[] = []
    const output = outputTo(failing('EPIPE'), { env: {}, onFault: (fault) => faults.push(fault) })
    const gone = new Promise((resolve) => output.closed.addEventListener('abort', resolve))
    output.write('one')
    await gone
    output.write('two')
    expect(faults).toEqual([])
  })

  test('is written once its reader has taken all of it, however late it reads', async () => {
    const slow = new PassThrough({ highWaterMark: 1 })
    const output = outputTo(slow, { env: {}, onFault: () => {} })
    output.write('long '.repeat(1_000))
    output.write('end')
    let taken = ''
    let takenWhenWritten: string | undefined
    const written = output.written().then(() => {
      takenWhenWritten = taken
    })
    await systemClock.sleep(0)
    slow.on('data', (text) => {
      taken += text
    })
    await written
    expect(takenWhenWritten).toBe(`${'long '.repeat(1_000)}end`)
  })

  test('whose reader has gone counts as written', async () => {
    const output = outputTo(failing('EPIPE'), { env: {}, onFault: () => {} })
    output.write('one')
    await output.written()
    await output.written()
  })

  test('on a full disk does not look like success', async () => {
    const fault = new Promise<Error>((resolve) => {
      outputTo(failing('ENOSPC'), { env: {}, onFault: resolve }).write('one')
    })
    expect((await fault).message).toBe('ENOSPC')
  })

  test('is as wide as $COLUMNS says, else as its terminal, and never cuts for a pipe', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 72, rows: 20 })
    const onFault = () => {}
    expect(outputTo(terminal, { env: { COLUMNS: '40' }, onFault }).width()).toBe(40)
    expect(outputTo(terminal, { env: { COLUMNS: 'wide' }, onFault }).width()).toBe(72)
    expect(outputTo(new PassThrough(), { env: {}, onFault }).width()).toBe(1_000)
  })
})

describe('signals', () => {
  function heard() {
    const handlers = new Map<string, () => void>()
    const left: number[] = []
    const later: (() => void)[] = []
    const signals = hearSignals({
      source: { on: (name, handler) => handlers.set(name, handler) },
      leave: (code) => left.push(code),
      after: (_ms, beat) => later.push(beat),
    })
    return { signals, left, later, send: (name: string) => handlers.get(name)?.() }
  }

  test('the first interrupts and leaves after a second, the second leaves at once; SIGINT is 130', () => {
    const { signals, left, later, send } = heard()
    send('SIGINT')
    expect(signals.interrupted.aborted).toBe(true)
    expect(signals.exitCode()).toBe(130)
    expect(left).toEqual([])
    later[0]?.()
    expect(left).toEqual([130])
    send('SIGTERM')
    expect(left).toEqual([130, 143])
  })

  test('a verb that takes them gets them all, and gives them back', () => {
    const { signals, left, send } = heard()
    const taken: string[] = []
    const giveBack = signals.take((name) => taken.push(name))
    send('SIGINT')
    send('SIGHUP')
    expect(taken).toEqual(['SIGINT', 'SIGHUP'])
    expect(signals.interrupted.aborted).toBe(false)
    giveBack()
    send('SIGTERM')
    expect(signals.interrupted.aborted).toBe(true)
    expect(left).toEqual([])
  })
})
