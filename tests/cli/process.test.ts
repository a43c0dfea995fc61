import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readStat } from '../../src/kernel/process/index.ts'
import { buildProgram, startProgram } from './program.ts'

beforeAll(buildProgram, 60_000)

let root: string
let place: { readonly home: string; readonly cwd: string }
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yardmaster-process-'))
  place = { home: join(root, 'home'), cwd: root }
})
afterEach(async () => {
  await type('down', '--now')
  rmSync(root, { recursive: true })
})

const start = (...argv: string[]) => startProgram(argv, place)
const type = (...argv: string[]) => start(...argv).ended

/** A command that says it runs and then waits to be ended. */
const waits = ['bash', '-c', 'echo started > "$0"; exec sleep 300']

test('every module of the released program, those that few verbs load included, is one that Node can read', () => {
  const modules = readdirSync('dist').filter((name) => name.endsWith('js'))
  expect(modules.length).toBeGreaterThan(3)
  const isRead = (name: string) => spawnSync(process.execPath, ['--check', join('dist', name)]).status === 0
  expect(modules.filter((name) => !isRead(name))).toEqual([])
})

test('an answer larger than a pipe reaches a reader that begins late, whole', () => {
  const tasks = Array.from({ length: 400 }, (_, n) => `  task-${n}: { title: ${'long '.repeat(40)}${n}, run: 'true' }`)
  writeFileSync(join(root, 'many.yaml'), `tasks:\n${tasks.join('\n')}\n`)
  const lateReader = '"$@" | (sleep 0.5; cat)'
  const line = [process.execPath, resolve('dist/bin.cjs'), 'run', 'many.yaml', '--dry-run', '--json']
  const { stdout } = spawnSync('bash', ['-c', lateReader, 'bash', ...line], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, YARDMASTER_HOME: place.home },
    encoding: 'utf8',
  })
  expect(stdout.length).toBeGreaterThan(100_000)
  expect(JSON.parse(stdout).groups).toHaveLength(400)
})

describe('up -d', () => {
  test('answers once it serves, with pid, slots and address; a second one is refused; down ends it', async () => {
    const up = await type('up', '-d')
    expect(up).toMatchObject({ code: 0 })
    const [, pid = ''] =
      /^Hub up \(pid (\d+)\), \d+ slots?, http:\/\/127\.0\.0\.1:\d+ {2}0 ready\. Stop: yardmaster down\n/.exec(
        up.out,
      ) ?? []
    expect(isAlive(Number(pid))).toBe(true)
    expect(up.err).toContain('Workers run as you')

    for (const again of [await type('up'), await type('up', '-d')]) {
      expect(again).toMatchObject({ code: 2, out: '' })
      expect(again.err).toContain(`(pid ${pid},`)
      expect(again.err).toContain('fix: use it as it is, put this program in its place (yardmaster up --replace), or')
    }
    const down = await type('down')
    expect(down.code).toBe(0)
    expect(down.out).toContain(`Hub stopped (pid ${pid})`)
    expect(isAlive(Number(pid))).toBe(false)
  })

  test('two at one moment start one hub, and the other is refused as a second one', async () => {
    const both = await Promise.all([type('up', '-d'), type('up', '-d')])
    const [won, lost] = both.toSorted((a, b) => Number(a.code) - Number(b.code))
    expect([won?.code, lost?.code]).toEqual([0, 2])
    expect(lost?.err).toContain('[CLI_HUB_UP]')
    const [, pid] = /pid (\d+)/.exec(won?.out ?? '') ?? []
    expect(lost?.err).toContain(`(pid ${pid},`)
    expect(lost?.err).not.toContain('Hub up')
  })

  test('C129: a fresh install caps what runs at once by itself: half the cores, 1 to 8', async () => {
    const { out } = await type('up', '-d', '--json')
    const { slots } = JSON.parse(out)
    expect(slots.total).toBeGreaterThanOrEqual(1)
    expect(slots.total).toBeLessThanOrEqual(8)
  })

  test.each([[['up']], [['up', '-d']], [['add', 'x']]])(
    'C129: a misspelt key is refused with the nearest name by %j, and nothing starts',
    async (argv) => {
      writeFileSync(join(root, 'yardmaster.yaml'), 'slots: 3\nmax_slots: 2\nlanse: {}\n')
      const { code, err } = await type(...argv)
      expect(code).toBe(2)
      expect(err).toContain('[CONFIG_INVALID]')
      expect(err).toContain('did you mean lanes?')
      expect(err).toContain('max_slots')
      expect(existsSync(join(place.home, 'yard.db'))).toBe(false)
    },
  )

  test('that cannot start says what the hub said', async () => {
    writeFileSync(place.home, 'a file where the home should be')
    const { code, err } = await type('up', '-d')
    expect(code).not.toBe(0)
    expect(err).toMatch(/fix: \S/)
    rmSync(place.home)
  })
})

describe('up in the foreground', () => {
  test('logs a line an event; SIGTERM leaves workers to the next hub, which adopts them', async () => {
    const hub = start('up')
    await hub.says('Stop: yardmaster down')
    const flag = join(root, 'flag')
    const { out } = await type('add', '-q', '--', ...waits, flag)
    const id = out.trim()
    await hub.says(`${id} attempt 1 runs`)
    const { live_pid } = await pidOf(id)
    hub.child.kill('SIGTERM')
    const ended = await hub.ended
    expect(ended.code).toBe(0)
    expect(ended.err).toContain('1 attempt goes on; the next hub adopts what runs.')
    expect(isAlive(live_pid)).toBe(true)

    const refused = await type('stop', id)
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(/R1 may be alive[\s\S]*fix: .*yardmaster up/)

    expect(await type('up', '-d')).toMatchObject({ code: 0 })
    expect((await pidOf(id)).live_pid).toBe(live_pid)
    const down = await type('down', '--now')
    expect(down.code).toBe(0)
    expect(down.err).toContain(`  ${id} `)
    expect(isAlive(live_pid)).toBe(false)
  })

  test('Ctrl-C ends it with 130', async () => {
    const hub = start('up', '--paused')
    await hub.says('It starts nothing now: it is paused.')
    hub.child.kill('SIGINT')
    expect(await hub.ended).toMatchObject({ code: 130, err: expect.stringContaining('Hub stopped.') })
  })

  test('down waits for what runs and says for whom', async () => {
    const hub = start('up')
    await hub.says('Stop: yardmaster down')
    const go = join(root, 'go')
    await type('add', 'waits for a file', '--', 'bash', '-c', `until [ -e ${go} ]; do sleep 0.05; done`)
    await hub.says('T1 attempt 1 runs')
    const down = start('down')
    await down.says('T1 waits for a file  attempt 1/1')
    writeFileSync(go, '')
    expect(await down.ended).toMatchObject({ code: 0, out: expect.stringContaining('Hub stopped') })
    expect(await hub.ended).toMatchObject({ code: 0 })
  })
})

/** A zombie whose parent died and that nobody collects yet is not alive. */
function isAlive(pid: number): boolean {
  const stat = readStat(pid)
  return typeof stat !== 'string' && stat.state !== 'Z'
}

async function pidOf(id: string): Promise<{ readonly live_pid: number }> {
  const { out } = await type('show', id, '--json')
  return { live_pid: JSON.parse(out).last_run.pid }
}

describe('the program', () => {
  test('ends quietly when the reader of a pipe goes away', async () => {
    await type('up', '-d')
    const watching = start('list', '-w', '--json')
    watching.child.stdout?.once('data', () => watching.child.stdout?.destroy())
    await once(watching.child.stdout ?? watching.child, 'close')
    await type('add', '--draft', 'something to tell')
    expect(await watching.ended).toMatchObject({ code: 0, err: '' })
  })

  test('does not look successful when its answer could not be written', async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [resolve('dist/bin.cjs'), '--help'], { stdio: ['ignore', full, 'pipe'] })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
  })

  test('Ctrl-C while following ends with 130', async () => {
    await type('up', '-d')
    await type('add', '--', 'bash', '-c', 'echo started; exec sleep 300')
    const following = start('log', '-f', 'T1')
    await following.says('started')
    following.child.kill('SIGINT')
    expect((await following.ended).code).toBe(130)
  })

  test('chat as the first word is the agent, not the command line', async () => {
    const { code, err } = await type('chat', '-q', 'hello')
    expect(code).toBe(1)
    expect(err).not.toContain('CLI_')
  })

  test('plays a rehearsal until Ctrl-C', async () => {
    const scenario = readFileSync(resolve('examples/chat/scenario.yaml'), 'utf8')
    writeFileSync(join(root, 'scenario.yaml'), scenario)
    const rehearsal = start('dev', 'rehearsal', 'scenario.yaml')
    await rehearsal.says('Ctrl-C ends it.')
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(rehearsal.out()) ?? []
    expect((await fetch(`${address}/models`)).status).toBeLessThan(500)
    rehearsal.child.kill('SIGINT')
    expect((await rehearsal.ended).code).toBe(130)
  })
})
