import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readStat } from '../../src/kernel/process/index.ts'
import { apiKey, rehearse, requireFreshBuild } from './chat-worker.ts'

beforeAll(requireFreshBuild)

const isAlive = (pid: number) => {
  const stat = readStat(pid)
  return typeof stat !== 'string' && stat.state !== 'Z'
}

/** Starts something in a group of its own, which no reading of the command can see. */
const leavesGroup = `import os, time
if os.fork() == 0:
    os.setsid()
    open('far.new', 'w').write(str(os.getpid()))
    os.rename('far.new', 'far')
    time.sleep(60)
while not os.path.exists('far'): time.sleep(0.01)
`

describe('a stop ends the worker with 130, whatever it is doing', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s in mid-stream: what was said is reported', async (signal) => {
    const asked = new EventEmitter()
    await using yard = await rehearse(
      'plays: [{ turns: [{ say: a longer answer, faults: [{ kind: stall, after: 2 }] }] }]',
      () => asked.emit('asked'),
    )
    const worker = yard.boardWorker(['-q', 'go'])
    await once(asked, 'asked')

    worker.child.kill(signal)

    expect(await worker.ended).toMatchObject({ code: 130, stdout: '' })
    expect(yard.report()).toMatchObject({ status: 'interrupted', reason: 'interrupted', served: false })
  })

  test('while it waits for a provider', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ faults: [{ kind: status, status: 429, retry_after: 25, times: always }] }] }]',
    )
    const worker = yard.boardWorker(['-q', 'go'])
    await worker.logged('the same call again in 25 s')

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(yard.report().status).toBe('interrupted')
  })

  test('also where something breaks because of it', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ faults: [{ kind: no_headers }] }] }]')
    const preload = join(yard.folder, 'breaks-at-a-stop.cjs')
    writeFileSync(
      preload,
      "process.on('SIGTERM', () => process.nextTick(() => { throw new Error('broken by the stop') }))",
    )
    const worker = yard.boardWorker(['-q', 'go'], { env: { NODE_OPTIONS: `--require ${preload}` } })
    await worker.logged('chat: model')

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(yard.report()).toMatchObject({ status: 'interrupted', reason: 'interrupted' })
  })

  test('while a command runs: the command, its children and those that left its group are ended first', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: write, with: { path: leave.py, content: ${JSON.stringify(leavesGroup)} } }]
      - say: I start it.
        call:
          - tool: terminal
            with:
              command: |
                trap '' TERM
                python3 leave.py
                bash -c 'echo $$ > near; while :; do sleep 0.05; done' | cat &
                while [ ! -s near ]; do sleep 0.02; done
                echo $$ > leader
                wait
`)
    const worker = yard.boardWorker(['-q', 'go'])
    await yard.appeared('leader')
    const pids = ['far', 'near', 'leader'].map((name) => Number(yard.file(name)))

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(pids.filter(isAlive)).toEqual([])
    expect(yard.report()).toMatchObject({ status: 'interrupted', result: 'I start it.', served: true, turns: 2 })
  })

  test('after a command that left something behind, and with another in the background: nothing of them survives', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: write, with: { path: leave.py, content: ${JSON.stringify(leavesGroup)} } }]
      - call: [{ tool: terminal, with: { background: true, command: "trap '' TERM; echo $$ > back; while :; do sleep 0.05; done" } }]
      - call: [{ tool: terminal, with: { command: "python3 leave.py > /dev/null 2>&1; echo done" } }]
      - call: [{ tool: terminal, with: { command: "until [ -s back ]; do sleep 0.02; done; echo $$ > leader; sleep 60" } }]
`)
    const worker = yard.boardWorker(['-q', 'go'])
    await yard.appeared('leader')
    const pids = ['far', 'back', 'leader'].map((name) => Number(yard.file(name)))
    expect(pids.filter(isAlive)).toEqual(pids)

    worker.child.kill('SIGTERM')

    const { code, stderr } = await worker.ended
    expect(code).toBe(130)
    expect(pids.filter(isAlive)).toEqual([])
    expect(stderr).toContain('P1: trap')
    expect(yard.report().left).toEqual([
      "trap '' TERM; echo $$ > back; while :; do sleep 0.05; done",
      'python3 leave.py > /dev/null 2>&1; echo done',
    ])
  })

  test('while it waits for the output of what a command left behind', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: write, with: { path: leave.py, content: ${JSON.stringify(leavesGroup)} } }]
      - call: [{ tool: terminal, with: { command: "python3 leave.py; echo $$ > leader" } }]
`)
    const worker = yard.boardWorker(['-q', 'go'])
    const leader = Number(await yard.appeared('leader'))
    while (isAlive(leader)) await new Promise((resolve) => setTimeout(resolve, 5))

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(isAlive(Number(yard.file('far')))).toBe(false)
  })

  test('told twice it leaves at once, and what it started gets KILL', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "trap '' TERM; echo $$ > leader; while :; do sleep 0.05; done" } }]
`)
    const worker = yard.boardWorker(['-q', 'go'])
    const leader = Number(await yard.appeared('leader'))

    worker.child.kill('SIGINT')
    await worker.logged('SIGINT: stopping')
    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(() => yard.report()).toThrow('no report') // as whoever leaves in an orderly way would have written
    while (isAlive(leader)) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})

describe('the end of the work ends what runs in the background', () => {
  test('it is listed in the report, and nobody survives', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { background: true, command: "echo $$ > back; sleep 60" } }]
      - call: [{ tool: terminal, with: { command: "until [ -s back ]; do sleep 0.02; done" } }]
      - say: Done.
`)
    const { code } = await yard.boardWorker(['-q', 'go']).ended

    expect(code).toBe(0)
    expect(isAlive(Number(yard.file('back')))).toBe(false)
    expect(yard.report()).toMatchObject({ status: 'completed', left: ['echo $$ > back; sleep 60'] })
  })
})

describe('the worker goes on', () => {
  test('when its workspace vanishes under a command, when a command is too long for the system, and with control bytes in one', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: ${JSON.stringify(`echo ${'x'.repeat(140_000)}`)} } }]
      - call: [{ tool: terminal, with: { command: "printf 'a\u0007\u001b[31mb\\\\n'" } }]
      - call: [{ tool: terminal, with: { command: "rm -rf -- $PWD; echo gone" } }]
      - call: [{ tool: terminal, with: { command: "echo x" } }]
      - say: Nothing left to do.
`)
    const { code, stdout } = await yard.person(['-q', 'go']).ended

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing left to do.\n' })
    const told = yard.lastMessages().flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
    expect(told[0]).toContain('not started: it has 140005 bytes')
    expect(told[1]).toMatch(/^a\\x07b\n/)
    expect(told[2]).toMatch(/^gone\n/)
    expect(told[3]).toMatch(/not started: the folder .* is gone/)
  })
})

test('C116 · a real child of a real worker finds neither its token nor its fence nor its key', async () => {
  await using yard = await rehearse(`
plays:
  - turns:
      - call:
          - tool: terminal
            with:
              command: |
                env | grep -E '^YARDMASTER|KEY|TOKEN' | cut -d= -f1 | sort | tr '\\n' ' '
                cat <&3 || echo closed
                grep -c ${apiKey} /proc/$PPID/cmdline
      - say: Looked.
`)
  const worker = yard.boardWorker(['-q', 'go'], {
    env: {
      YARDMASTER_TASK: 'T1',
      YARDMASTER_RUN: 'R981',
      YARDMASTER_SLOT: '2',
      YARDMASTER_FENCE: '7',
      YARDMASTER_HUB: '/x',
    },
  })
  await worker.ended

  const told = yard.lastMessages().find(({ role }) => role === 'tool')?.content ?? ''
  expect(told).toMatch(/^YARDMASTER_MARKER YARDMASTER_RUN YARDMASTER_SLOT YARDMASTER_TASK /)
  expect(told).toContain('Bad file descriptor')
  expect(told).toContain('closed\n0\n')
})

test('C116 · a descriptor that the worker inherited is closed in what it starts', async () => {
  await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "ls -l /proc/$PPID/fd/3; cat <&3 || echo closed" } }]
      - say: Looked.
`)
  writeFileSync(join(yard.folder, 'token'), 'canary')
  const args = [resolve('dist/bin.cjs'), 'chat', '-q', 'go', '--model', 'm', '--base-url', yard.baseUrl]
  const env = { PATH: process.env.PATH, HOME: yard.folder, YARDMASTER_API_KEY: apiKey }
  const how = { cwd: yard.folder, env, stdio: ['ignore', 'ignore', 'ignore'] as 'ignore'[] }
  const worker = spawn('bash', ['-c', 'exec 3< token; exec "$@"', 'bash', process.execPath, ...args], how)
  expect(await once(worker, 'exit')).toEqual([0, null])

  const told = yard.lastMessages().find(({ role }) => role === 'tool')?.content ?? ''
  expect(told).toContain('closed\n')
  expect(told).toContain('/token\n') // the worker itself has it
  expect(told).not.toContain('canary')
})
