import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { widthOf } from '../../src/cli/render/visible.ts'
import type { Hub } from '../../src/main.ts'
import { type AHome, aHome } from './a-home.ts'
import { aHub } from './a-hub.ts'

let yard: AHome
let hub: Hub
beforeAll(async () => {
  yard = aHome()
  hub = await aHub(yard.home)
})
afterAll(async () => {
  await hub.stop({ workers: 'end' })
  await yard[Symbol.asyncDispose]()
})

/** Adds a command and waits for the end of its first attempt; answers its id. */
async function ended(script: string, ...flags: string[]): Promise<string> {
  const id = await added(script, ...flags)
  await seen(id, ({ kind }) => kind === 'run.settled')
  return id
}

async function added(script: string, ...flags: string[]): Promise<string> {
  const { out } = await yard.type('add', '-q', script.slice(0, 40), ...flags, '--', 'bash', '-c', script)
  return out.trim()
}

/** Waits for an event of a task, from its first on. */
async function seen(id: string, isIt: (event: { readonly kind: string }) => boolean): Promise<void> {
  const enough = new AbortController()
  for await (const event of hub.client.events(0, { task: Number(id.slice(1)) }, enough.signal)) {
    if (isIt(event)) enough.abort()
  }
}

const started = (id: string) => seen(id, ({ kind }) => kind === 'run.started')

describe('C49: a failed task', () => {
  test('shows its exit code, the last 20 non-empty lines and its log, the cause on stdout included', async () => {
    const id = await ended('for i in $(seq 1 30); do echo "line $i"; done; echo "cause: disk quota"; exit 3')
    const { out } = await yard.type('show', id)
    expect(out).toContain('failed, exit 3')
    for (let line = 12; line <= 30; line += 1) expect(out).toContain(`| line ${line}\n`)
    expect(out).toContain('| cause: disk quota')
    expect(out).not.toContain('| line 11\n')
    expect(out).toMatch(/log +\/\S+\/output\.log \(yardmaster log R\d+\)/)
    expect((await yard.type('list')).out).toContain(`failed: ${id}`)
    expect((await yard.type('list', '--status', 'failed')).out).toMatch(new RegExp(`${id} .* failed .* exit 3`))
    expect((await yard.type('log', id)).out).toMatch(/^line 1\n[\s\S]*cause: disk quota\n$/)
  })

  test('killed from outside names the signal', async () => {
    const id = await ended('kill -9 $$')
    expect((await yard.type('show', id)).out).toMatch(/killed, signal SIGKILL/)
  })
})

describe('a card that cannot start', () => {
  test('is added with the reason and what changes that, not only as ready', async () => {
    await yard.type('pause', '--lane', 'command')
    const { out } = await yard.type('add', 'later', '--', 'true')
    expect(out).toMatch(/^T\d+ ready on main, .*\nIt does not start yet: lane command is paused, by \S+\. /)
    expect(out).toMatch(/yardmaster resume --lane command\n$/)
    await yard.type('resume', '--lane', 'command')
  })
})

test('stop of a task that has ended says so, and claims nothing', async () => {
  const id = await ended('exit 3')
  expect(await yard.type('stop', id)).toMatchObject({ code: 0, out: `${id} is failed already: nothing of it runs.\n` })
})

test('a command that has printed nothing yet is not said to have', async () => {
  const id = await added('exec sleep 100')
  await started(id)
  expect((await yard.type('list')).out).toMatch(new RegExp(`${id} .*attempt 1/1 .*no output yet\\n`))
  const { out } = await yard.type('show', id, '--json')
  expect(JSON.parse(out).last_run.live).toMatchObject({ last_output_at: null, last_line: null })
  await yard.type('cancel', id)
  await seen(id, ({ kind }) => kind === 'run.settled')
})

describe('a running task', () => {
  test('shows itself in list, show and why, is stopped by a person, and goes on by retry', async () => {
    const id = await added('echo "webpack 71 %"; sleep 100')
    await started(id)
    expect((await yard.type('list')).out).toMatch(new RegExp(`RUNNING +${id} .*attempt 1/1`))
    expect((await yard.type('show', id)).out).toMatch(/it runs: pid \d+/)
    expect((await yard.type('why', id)).out).toContain('[running]')
    expect(await yard.type('edit', id, '--title', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('runs') })
    expect((await yard.type('stop', id)).out).toMatch(/is being stopped: attempt R\d+ is ended/)
    await seen(id, ({ kind }) => kind === 'run.settled')
    expect((await yard.type('list', '--needs-me')).out).toMatch(new RegExp(`NEEDS YOU +${id} .*yardmaster retry ${id}`))
    expect((await yard.type('cancel', id)).out).toBe(`${id} cancelled.\n`)
  })

  test('log -f prints what comes and ends with the attempt, saying how', async () => {
    const id = await added('echo one; sleep 0.3; echo two; exit 4')
    const { code, out, err } = await yard.type('log', '-f', id)
    expect({ code, out }).toEqual({ code: 0, out: 'one\ntwo\n' })
    expect(err).toMatch(/R\d+ failed, exit 4/)
  })

  test('log -f of a task that waits waits for its first attempt', async () => {
    await yard.type('pause', '--lane', 'command')
    const id = await added('echo at last')
    const onErr = (text: string) => {
      if (text.startsWith('Waiting for its first attempt')) void yard.type('resume', '--lane', 'command')
    }
    const { code, out, err } = await yard.typeWith({ onErr }, 'log', '-f', id)
    expect({ code, out }).toEqual({ code: 0, out: 'at last\n' })
    expect(err).toMatch(/^Waiting for its first attempt: lane command is paused/)
  })

  test('log --json is one document a piece', async () => {
    const id = await ended('echo hello')
    const { out } = await yard.type('log', id, '--json')
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text)
        .join(''),
    ).toBe('hello\n')
  })

  test('log of a task that has not run says why not', async () => {
    const { out } = await yard.type('add', '-q', '--draft', 'an idea')
    const id = out.trim()
    expect(await yard.type('log', id)).toMatchObject({ code: 0, out: '', err: expect.stringContaining('[draft]') })
  })
})

describe('list', () => {
  test('-w --json gives the board anew after each change, until Ctrl-C', async () => {
    const enough = new AbortController()
    const looks: string[] = []
    const watching = yard.typeWith(
      {
        interrupt: enough.signal,
        onOut: (text) => {
          looks.push(text)
          if (looks.length === 1) void yard.type('add', '--draft', 'seen while watching')
          if (text.includes('seen while watching')) enough.abort()
        },
      },
      'list',
      '-w',
      '--json',
    )
    expect(await watching).toMatchObject({ code: 0, err: '' })
    expect(looks.length).toBeGreaterThan(1)
    for (const look of looks) expect(JSON.parse(look)).toMatchObject({ hub: 'up' })
  })

  test('-w needs a terminal, and draws inside it', async () => {
    expect(await yard.type('list', '-w')).toMatchObject({
      code: 2,
      err: expect.stringContaining('draws on a terminal'),
    })
    await yard.type('add', '--draft', 'a title that is longer than any line of a narrow terminal is wide')
    const enough = new AbortController()
    const onOut = (text: string) => (text.includes('\u001b[H') ? enough.abort() : undefined)
    const { code, out } = await yard.typeWith({ terminal: 60, interrupt: enough.signal, onOut }, 'list', '--watch')
    expect(code).toBe(0)
    expect(out.endsWith('\u001b[?7h\u001b[?25h')).toBe(true)
    // What clears the rest of a line would take the last column of a full one.
    const rows = out.split('\u001b[H')[1]?.split('\u001b[K\n') ?? []
    const cut = rows.filter((line) => line.endsWith('…'))
    expect(cut).not.toEqual([])
    for (const line of cut) expect(widthOf(line)).toBeLessThan(60)
  })
})

describe('batches', () => {
  test('are named by id and by name, and cancelled as a whole', async () => {
    const row = (key: string) => ({ key, run: 'exit 1' })
    await hub.client.submitBatch({
      name: 'night',
      digest: 'x',
      file: null,
      dir: yard.cwd,
      limits: {},
      defaults: {},
      tasks: [row('a'), row('b[src/x.ts]'), { key: 'c', run: 'sleep 100' }],
      mode: 'auto',
      redo: [],
    })
    const [failing] = (await hub.client.listTasks({ batch: 1 })).rows
    await seen(`T${failing?.id}`, ({ kind }) => kind === 'run.settled')
    expect((await yard.type('list', 'night', '--all')).out).toContain('exit 1')
    expect((await yard.type('show', 'B1')).out).toMatch(/^B1 night\n/)
    expect((await yard.type('show', 'b[src/x.ts]')).out).toMatch(/key +b\[src\/x\.ts\]/)
    expect(await yard.type('log', 'night')).toMatchObject({ code: 2, err: expect.stringContaining('B1 is a batch') })
    expect((await yard.type('cancel', 'night')).out).toMatch(/^B1 night cancelled\./)
    expect((await yard.type('show', 'B1', '--json')).out).toContain('"cut"')
    expect((await yard.type('retry', '@E1', '--batch', 'night')).code).toBe(0)
  })
})

describe('pause and drain', () => {
  test('say what they hold and how it goes on', async () => {
    expect((await yard.type('drain')).out).toMatch(
      /^Draining: everything\. \d+ attempts? may finish\. Start again: yardmaster resume\n$/,
    )
    expect((await yard.type('list')).out).toMatch(/DRAINING {2}everything/)
    expect((await yard.type('resume')).out).toBe('Resumed: everything.\n')
    expect((await yard.type('pause', '-b', 'main')).out).toContain('Start again: yardmaster resume --board main')
    expect((await yard.type('resume', '--board', 'main', '--json')).out).toContain('"holds":[]')
  })
})

test('a second up in one home is refused with the pid and the fix', async () => {
  const { code, err } = await yard.type('up')
  expect(code).toBe(2)
  expect(err).toContain(`pid ${process.pid}`)
  expect(err).toContain('yardmaster up --replace')
})

test('dev rehearsal plays a scenario until Ctrl-C', async () => {
  writeFileSync(join(yard.cwd, 'faulty.yaml'), 'nonsense: true\n')
  expect(await yard.type('dev', 'rehearsal', 'faulty.yaml')).toMatchObject({
    code: 2,
    err: expect.stringContaining('nonsense'),
  })
})
