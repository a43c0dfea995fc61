import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/kernel/index.ts'
import { resolveInside, resolveReadable } from '../../../../src/worker/tools/files/inside-workspace.ts'
import type { CommandBeat } from '../../../../src/worker/tools/terminal/desk-deps.ts'
import { heartbeatEveryMs } from '../../../../src/worker/tools/terminal/heartbeat.ts'
import { isAlive, TestDesk, unhurried } from './desk.ts'

/** Time runs a thousand times as fast for timers, and as ever for what is measured. */
const hasty: Clock = {
  ...systemClock,
  every: (ms, signal, beat) => systemClock.every(ms / 1_000, signal, beat),
}

/** A script that starts something in a group of its own, which no reading of the command can see. */
const leavesGroup = `import os, sys, time
if os.fork() == 0:
    os.setsid()
    open('far', 'w').write(str(os.getpid()))
    time.sleep(60)
while not os.path.exists('far') or not open('far').read(): time.sleep(0.01)
`

describe('a command', () => {
  test('tells its output and its exit code, also one that only looks like a time-out', async () => {
    await using desk = new TestDesk()
    expect(await desk.terminal('echo out; echo err >&2; exit 124')).toMatch(/^out\nerr\n\n\[exit 124, [\d.]+s\]$/)
    expect(await desk.terminal('true')).toMatch(/^\[no output\]\n\[exit 0/)
    expect(await desk.terminal('kill -9 $$')).toContain('[ended by SIGKILL')
  })

  test('has both its outputs told in the order in which they were written', async () => {
    await using desk = new TestDesk()
    const text = await desk.terminal('for i in 1 2 3; do echo out $i; echo err $i >&2; done')
    expect(text).toMatch(/^out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n/)
  })

  test('may open its outputs by their names, as scripts do that tell faults', async () => {
    await using desk = new TestDesk()
    const text = await desk.terminal('echo one > /dev/stderr; echo two | tee /dev/stderr; echo three > /dev/stdout')
    expect(text).toMatch(/^one\ntwo\ntwo\nthree\n\n\[exit 0/)
    expect(existsSync(desk.outputs)).toBe(false)
  })

  test('has its outputs told also where no pipe can be made', async () => {
    await using desk = new TestDesk()
    const bin = join(desk.folder, 'bin')
    mkdirSync(bin)
    symlinkSync(execFileSync('which', ['bash'], { encoding: 'utf8' }).trim(), join(bin, 'bash'))
    await using other = new TestDesk({ env: { PATH: bin } })
    expect(await other.terminal('echo out; echo err >&2')).toMatch(/^out\nerr\n\n\[exit 0/)
    expect(existsSync(other.outputs)).toBe(false)
  })

  test('has its own line numbers in what the shell says', async () => {
    await using desk = new TestDesk()
    expect(await desk.terminal('true\nnone_such_command')).toContain('line 2: none_such_command')
  })

  test('gets no input and no terminal', async () => {
    await using desk = new TestDesk()
    expect(await desk.terminal('cat; read x || echo end; tty')).toMatch(/^end\nnot a tty\n/)
  })

  test('of more than 30,000 characters is told with head and tail, its whole output is in a file, and memory stays', async () => {
    await using desk = new TestDesk()
    const text = await desk.terminal('echo first; head -c 20000000 /dev/zero | tr "\\0" x; echo; echo last')

    expect(text.startsWith('first\nxxx')).toBe(true)
    expect(text).toMatch(/last\n\n\[exit 0/)
    expect(text).toContain(`[… ${20_000_000 + 6 + 1 + 5 - 30_000} bytes left out here …]`)
    const path = /the whole output is in (\S+): too large for read, look into it in the terminal/.exec(text)?.[1] ?? ''
    expect(statSync(path).size).toBe(20_000_012)
    expect(await desk.terminal(`tail -n 1 ${path}`)).toMatch(/^last\n/)
    await desk.desk.closeAll()
    expect(existsSync(desk.outputs)).toBe(false)
  })

  test('keeps its whole output beyond the worker where that is wanted', async () => {
    await using desk = new TestDesk({ spilled: 'kept' })
    await desk.terminal('head -c 40000 /dev/zero')
    await desk.desk.closeAll()
    expect(readdirSync(desk.outputs)).toEqual(['command-1.txt'])
  })

  test('never shows a secret of the worker, however it prints it', async () => {
    const secret = 'canary-key/42+xyz'
    await using desk = new TestDesk({ knownSecrets: [secret] })
    writeFileSync(join(desk.workspace, 'key'), secret)
    const text = await desk.terminal(
      'head -c 5 key; sleep 0.1; tail -c +6 key; echo; base64 -w0 key; echo; head -c 70000 /dev/zero | tr "\\0" x; cat key',
    )
    expect(text).toMatch(/^\[secret\]\n\[secret\]/)
    expect(text).not.toContain('canary')
    expect(readFileSync(join(desk.outputs, 'command-1.txt'), 'utf8')).not.toContain('canary')
  })

  test('starts in a folder of the workspace, and in no other', async () => {
    await using desk = new TestDesk()
    mkdirSync(join(desk.workspace, 'sub'))
    symlinkSync('/etc', join(desk.workspace, 'link'))
    writeFileSync(join(desk.workspace, 'file'), '')
    expect(await desk.terminal('pwd', { cwd: 'sub' })).toContain(`${desk.workspace}/sub\n`)
    expect(await desk.terminal('pwd', { cwd: '' })).toContain(`${desk.workspace}\n`)
    expect(await desk.terminal('pwd', { cwd: 'link' })).toMatch(/^error: .*outside the workspace/)
    expect(await desk.terminal('pwd', { cwd: '../..' })).toMatch(/^error: .*outside the workspace/)
    expect(await desk.terminal('pwd', { cwd: 'file' })).toMatch(/^error: .*file is no folder/)
    expect(await desk.terminal('pwd', { cwd: 'none' })).toMatch(/^error: .*none is no folder/)
  })

  test('over the limit of the system is refused with its byte count', async () => {
    await using desk = new TestDesk()
    expect(await desk.terminal(`echo ${'x'.repeat(3_000_000)}`)).toContain(
      'not started: it has 3000005 bytes, more than 131060',
    )
    expect(await desk.terminal(`echo ${'x'.repeat(131_055)}`)).toContain('[exit 0')
    expect(await desk.terminal('echo a\0b')).toContain('zero byte')
  })

  test('that cannot be started is told and not thrown', async () => {
    await using desk = new TestDesk({ env: { PATH: '/nowhere' } })
    expect(await desk.terminal('true')).toContain('bash was not found')
    await using other = new TestDesk()
    expect(await other.terminal(`rm -rf ${other.workspace}; echo done`)).toContain('done')
    expect(await other.terminal('true')).toMatch(/^error: not started: the folder .* is gone/)
  })

  test('that floods is ended by its limit, and what it printed is kept', async () => {
    await using desk = new TestDesk()
    const text = await desk.terminal('yes', { timeout_seconds: 2 })
    expect(text.startsWith('y\ny\n')).toBe(true)
    expect(text).toContain('stopped after its limit of 2s')
    expect(text).toMatch(/its first 67108864 bytes are in|the whole output is in/)
  })
})

describe('the time limit', () => {
  test('ends a command with all that it started, keeps what it printed, and says that it was the limit', async () => {
    await using desk = new TestDesk()
    writeFileSync(join(desk.workspace, 'leave.py'), leavesGroup)
    const command = 'echo begun; trap "" TERM; python3 leave.py; while :; do sleep 0.05; done'
    const result = await desk.use('terminal', { command, timeout_seconds: 4 })

    expect(result.outcome).toBe('failed')
    expect(result.text).toMatch(/^begun\n\n\[stopped after its limit of 4s, [\d.]+s\]\n\[more time: /)
    expect(isAlive(Number(readFileSync(join(desk.workspace, 'far'), 'utf8')))).toBe(false)
  })

  test.each([
    ['that is only of its group', 'if os.fork() == 0: (os.fork() or os.execve(python, bare, {})) and os._exit(0)'],
    ['that is only a child of it', 'subprocess.Popen(bare, env={}, start_new_session=True)'],
  ])('ends what has taken its marker off, too: one %s', async (_, starts) => {
    await using desk = new TestDesk()
    const says = "import os, time; open('bare', 'w').write(str(os.getpid())); time.sleep(60)"
    const script = [
      'import os, subprocess, sys, time',
      'python = sys.executable',
      `bare = [python, '-c', ${JSON.stringify(says)}]`,
    ]
    writeFileSync(join(desk.workspace, 'bare.py'), [...script, starts, 'time.sleep(60)', ''].join('\n'))
    const running = desk.terminal('python3 bare.py')
    const file = join(desk.workspace, 'bare')
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await systemClock.sleep(10)
    desk.stop.abort()

    expect(await running).toContain('stopped because the worker was told to stop')
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  test('is that of the worker where the model says nothing', async () => {
    await using desk = new TestDesk({ commandTimeoutMs: 300 })
    expect(await desk.terminal('sleep 60')).toContain('stopped after its limit of 0.3s')
  })

  test('of more than 600 s sends the command into the background, where it runs once', async () => {
    await using desk = new TestDesk()
    const result = await desk.use('terminal', { command: 'echo x >> ran; sleep 1; echo done', timeout_seconds: 601 })

    expect(result.outcome).toBe('ok')
    expect(result.text).toContain('[P1 runs in the background because it may run longer than the 10m')
    expect(await desk.process('wait', { id: 'P1' })).toMatch(/^done\n\n\[P1: exit 0/)
    expect(readFileSync(join(desk.workspace, 'ran'), 'utf8')).toBe('x\n')
  })

  test.each([0, -1, 1.5, true, '180'])('of %j is refused', async (timeout_seconds) => {
    await using desk = new TestDesk()
    expect(await desk.terminal('true', { timeout_seconds })).toMatch(/^error: timeout_seconds must be/)
  })
})

describe('what would not end with its shell is refused before it is started', () => {
  test.each([
    ['sleep 9 > /dev/null 2>&1 &', {}, '& leaves behind what nobody looks after: leave & out, say background: true'],
    ['sleep 9 &', { background: true }, 'leave & out'],
    ['nohup sleep 9', { timeout_seconds: 900 }, 'leave nohup out'],
    ['npm run dev', {}, 'npm run dev does not end by itself: say background: true'],
    ['npm run dev', { timeout_seconds: 900 }, 'npm run dev does not end by itself'],
  ])('%s with %j', async (command, more, says) => {
    await using desk = new TestDesk()
    const result = await desk.use('terminal', { command, ...more })
    expect(result).toMatchObject({ outcome: 'failed', counts: ['guard_endless_command'] })
    expect(result.text).toContain(says)
    expect(await desk.process('list')).toBe('nothing was sent into the background')
  })

  test('a server is taken for the background', async () => {
    await using desk = new TestDesk()
    writeFileSync(join(desk.workspace, 'log'), 'line\n')
    expect(await desk.terminal('tail -f log', { background: true })).toMatch(/^line\n\n\[P1 runs in the background;/)
  })
})

describe('what a command leaves running', () => {
  test('and holds its output open is not waited for, is told, and is ended with the worker', async () => {
    await using desk = new TestDesk()
    writeFileSync(join(desk.workspace, 'leave.py'), leavesGroup)

    const text = await desk.terminal('python3 leave.py; echo started')
    const far = Number(readFileSync(join(desk.workspace, 'far'), 'utf8'))

    expect(text).toMatch(/^started\n\n\[exit 0, [\d.]+s\]\n\[something it started still runs/)
    expect(isAlive(far)).toBe(true)
    expect(await desk.desk.closeAll()).toMatchObject([
      { id: null, command: 'python3 leave.py; echo started', end: 'ended' },
    ])
    expect(isAlive(far)).toBe(false)
  })

  test('a stop in those two seconds is told, too', async () => {
    await using desk = new TestDesk({ clock: unhurried })
    writeFileSync(join(desk.workspace, 'leave.py'), leavesGroup)
    const running = desk.terminal('python3 leave.py; echo $$ > shell')
    while (!existsSync(join(desk.workspace, 'far')) || readFileSync(join(desk.workspace, 'far'), 'utf8') === '')
      await systemClock.sleep(10)
    const shell = () => Number(readFileSync(join(desk.workspace, 'shell'), 'utf8'))
    while (!existsSync(join(desk.workspace, 'shell')) || shell() === 0 || isAlive(shell())) await systemClock.sleep(10)
    desk.stop.abort()

    expect(await running).toContain('stopped because the worker was told to stop')
    expect(isAlive(Number(readFileSync(join(desk.workspace, 'far'), 'utf8')))).toBe(false)
  })
})

describe('a stop of the worker', () => {
  test('ends the command that runs', async () => {
    await using desk = new TestDesk()
    const running = desk.terminal('echo $$; sleep 60')
    setImmediate(() => desk.stop.abort())
    expect(await running).toMatch(/told to stop/)
  })

  test('is told apart from the end of its time', async () => {
    await using desk = new TestDesk()
    const running = desk.terminal('echo begun; sleep 60')
    setImmediate(() => desk.stop.abort('run'))
    const text = await running
    expect(text).toContain('stopped because the time of the run was up')
    expect(text).not.toContain('told to stop')
  })

  test('lets nothing be started any more', async () => {
    await using desk = new TestDesk()
    desk.stop.abort()
    expect(await desk.terminal('touch x')).toContain('not started: the worker was told to stop')
    expect(existsSync(join(desk.workspace, 'x'))).toBe(false)
  })

  test('the workspace may vanish under a command: what it printed is told', async () => {
    await using desk = new TestDesk()
    const running = desk.terminal('echo begun; touch begun; while [ -e begun ]; do sleep 0.01; done; echo over')
    while (!existsSync(join(desk.workspace, 'begun'))) await systemClock.sleep(10)
    rmSync(desk.workspace, { recursive: true })
    expect(await running).toMatch(/^begun\n/)
  })
})

describe('attention', () => {
  test('moves a running command into the background: it is not killed, not repeated, and the answer comes at once', async () => {
    await using desk = new TestDesk()
    const running = desk.use('terminal', {
      command: 'echo x >> ran; echo begun; while [ ! -e go ]; do sleep 0.02; done; echo over',
    })
    while (!existsSync(join(desk.workspace, 'ran'))) await systemClock.sleep(10)
    desk.attention.abort()

    const result = await running
    expect(result.outcome).toBe('ok')
    expect(result.text).toMatch(
      /^begun\n\n\[P1 runs in the background because somebody wants your attention; process poll/,
    )

    desk.attention = new AbortController()
    writeFileSync(join(desk.workspace, 'go'), '')
    expect(await desk.process('wait', { id: 'p1' })).toMatch(/^over\n\n\[P1: exit 0/)
    expect(readFileSync(join(desk.workspace, 'ran'), 'utf8')).toBe('x\n')
  })

  test('lifts the limit that nobody asked for', async () => {
    await using desk = new TestDesk({ commandTimeoutMs: 500 })
    desk.attention.abort()
    expect(await desk.terminal('sleep 1; echo over')).toContain('P1 runs in the background')
    desk.attention = new AbortController()
    expect(await desk.process('wait', { id: 'P1' })).toMatch(/^over\n/)
  })

  test('that was there before lets a short command end', async () => {
    await using desk = new TestDesk({ clock: unhurried })
    desk.attention.abort()
    expect(await desk.terminal('echo quick')).toMatch(/^quick\n\n\[exit 0/)
  })

  test('ends a wait for a command, and the command goes on', async () => {
    await using desk = new TestDesk()
    await desk.terminal('sleep 60', { background: true })
    setImmediate(() => desk.attention.abort())
    expect(await desk.process('wait', { id: 'P1', timeout_seconds: 600 })).toContain('[P1: runs')
  })
})

describe('heartbeats', () => {
  test('tell of a command that runs, with its time and its bytes, and call whoever wants to know', async () => {
    const beats: CommandBeat[] = []
    await using desk = new TestDesk({ clock: hasty, heartbeatMs: 60_000, onBeat: (beat) => void beats.push(beat) })
    const command = 'echo begun; until [ -e go ]; do sleep 0.02; done'
    const running = desk.terminal(command)
    while (!beats.some(({ grew }) => grew) || beats.at(-1)?.grew !== false) await systemClock.sleep(10)
    writeFileSync(join(desk.workspace, 'go'), '')
    await running

    expect(desk.logged[0]).toMatch(/^terminal: echo begun; until .* done: runs for [\d.]+s, \d bytes so far$/)
    expect(beats.find(({ grew }) => grew)).toMatchObject({ command, outputBytes: 6 })
    const heard = beats.length
    await systemClock.sleep(150)
    expect(beats.length).toBe(heard)
  })

  test('are off with 0, and never more often than once a minute', async () => {
    expect([0, -5, 1_000, 60_000, 90_000].map(heartbeatEveryMs)).toEqual([undefined, undefined, 60_000, 60_000, 90_000])
    await using desk = new TestDesk({ clock: hasty, heartbeatMs: 0 })
    await desk.terminal('sleep 0.2')
    expect(desk.logged).toEqual([])
  })
})

test('what was cut can be read and searched by its path, and nothing beside it', async () => {
  await using desk = new TestDesk()
  expect(desk.desk.outputs()).toBeUndefined()
  const text = await desk.terminal('seq 1 20000')
  const path = /the whole output is in (\S+):/.exec(text)?.[1] ?? ''
  const places = { workspace: desk.workspace, given: undefined, outputs: desk.desk.outputs }
  expect(await resolveReadable(places, path)).toMatchObject({ ok: true, path, shown: path })
  expect(await resolveReadable(places, join(desk.folder, 'beside'))).toMatchObject({ ok: false })
  expect(await resolveReadable(places, `${desk.outputs}/../workspace/../beside`)).toMatchObject({ ok: false })
  expect(await resolveInside(desk.workspace, path)).toMatchObject({ ok: false })
})
