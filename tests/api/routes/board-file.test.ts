import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBoardFile } from '../../../src/api/bodies/board-file.ts'
import type { BoardFileTask, BodyFault, NewTaskBody } from '../../../src/api/contract/index.ts'
import type { Outcome } from '../../../src/board/index.ts'
import { type TaskId, taskId, type YardError } from '../../../src/kernel/index.ts'
import { openHalfStateFinder } from '../../board/find-half-states.ts'
import { type ApiYard, endRun, openApiYard, secret, startRun } from '../open-yard.ts'
import { settingValues } from '../setting-values.ts'

async function exported({ client }: ApiYard, board: string): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of client.exportBoard(board, AbortSignal.timeout(100_000))) lines.push(line)
  return lines
}

const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`
const tasksOf = (lines: readonly string[]): readonly BoardFileTask[] =>
  lines.slice(1).map((line) => JSON.parse(line) as BoardFileTask)

const plain: NewTaskBody = { title: 'a task', run: 'true', dir: '/tmp', board: 'shop' }
const ann = { by: 'ann' }

describe('a board as a file', () => {
  test('is a header and a line for each task, with its needs, labels, comments and ended attempts', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...plain, labels: ['red'], timeout: '1h30m', memory: '2GiB', key: 'k' })
    endRun(yard, startRun(yard), 'last words')
    await yard.client.createTask({ ...plain, title: 'other', needs: [{ task: 1, when: 'always' }] })
    await yard.client.act(2, 'comment', 'look here')
    const lines = await exported(yard, 'shop')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ yardmaster: 'board', format: 1, board: 'shop', tasks: 2 })
    const [first, second] = tasksOf(lines)
    expect(first).toMatchObject({
      task: 1,
      status: 'done',
      labels: ['red'],
      timeout: '1h30m',
      memory: '2GiB',
      key: 'k',
      runs: [{ attempt: 1, outcome: 'done', output_tail: 'last words' }],
    })
    expect(second).toMatchObject({
      needs: [{ task: 1, when: 'always', outside: false, met: true }],
      comments: [{ by: 'Zoë', text: 'look here' }],
    })
  })

  test('holds no token, no process and no secret: what is one by its name or its value', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...plain, env: { API_KEY: 'open', CI: '1' }, run: `echo ${secret}` })
    const { run, dir } = startRun(yard)
    endRun(yard, { run })
    writeFileSync(join(dir, 'output.log'), 'x')
    const text = textOf(await exported(yard, 'shop'))
    expect(tasksOf(await exported(yard, 'shop'))).toMatchObject([{ env: { CI: '1' }, left_out: ['env.API_KEY'] }])
    for (const hidden of [secret, 'open"', 'fingerprint', 'unverified', '4000000', run.nonce, 'token', dir]) {
      expect(text).not.toContain(hidden)
    }
  })

  test('of a board that has no task is refused', async () => {
    await using yard = await openApiYard()
    await expect(exported(yard, 'nowhere')).rejects.toMatchObject({ code: 'BOARD_NO_BOARD' })
  })

  test('is the board of one moment, whatever happens while it is read', async () => {
    await using yard = await openApiYard()
    const many = Array.from({ length: 120 }, () => ({
      spec: { title: 'a task', run: 'true', dir: '/tmp' },
      lane: 'command',
    }))
    yard.board.createTasks({ board: 'shop', tasks: many }, ann)
    const lines: string[] = []
    for await (const line of yard.client.exportBoard('shop', AbortSignal.timeout(100_000))) {
      lines.push(line)
      if (lines.length === 10) {
        yard.board.createTasks({ board: 'shop', tasks: many }, ann)
        for (const id of [110, 115, 120]) yard.board.cancelTask(taskId(id), ann)
      }
    }
    expect(lines).toHaveLength(121)
    expect(new Set(tasksOf(lines).map(({ status }) => status))).toEqual(new Set(['ready']))
  })
})

describe('an import', () => {
  test('gives new numbers and says which, and everything stands as it stood', async () => {
    await using from = await openApiYard()
    await from.client.createTask(plain)
    endRun(from, startRun(from), 'last words')
    await from.client.createTask({ ...plain, title: 'blocked', needs: [{ task: 1, when: 'done' }] })
    await from.client.act(2, 'block', 'wait for ann')
    await from.client.createTask({ ...plain, title: 'waits', needs: [{ task: 2, when: 'done' }] })
    await from.client.archive(1, {})
    const text = textOf(await exported(from, 'shop'))

    await using to = await openApiYard()
    await to.client.createTask({ ...plain, board: 'other' })
    const { board, tasks } = await to.client.importBoard({ text })
    expect(board).toBe('shop')
    expect(tasks).toEqual([
      { from: 1, id: 2, title: 'a task', status: 'done', note: null },
      { from: 2, id: 3, title: 'blocked', status: 'blocked', note: null },
      { from: 3, id: 4, title: 'waits', status: 'todo', note: null },
    ])
    expect(await to.client.task(2)).toMatchObject({
      archived_by: 'Zoë',
      runs: 1,
      all_runs: [
        {
          outcome: 'done',
          output_tail: 'last words',
          pid: null,
          pruned_at: expect.any(String),
          imported: true,
          call: null,
        },
      ],
    })
    expect(await to.client.task(4)).toMatchObject({ needs: [{ task: 3, when: 'done' }] })
    expect(await to.client.task(3)).toMatchObject({ hold: { text: 'wait for ann', by: 'Zoë' } })
    const event = to.board.eventsAfter(0, 100).find(({ kind }) => kind === 'board.imported')
    expect(event).toMatchObject({ board: 'shop', data: { tasks: 3 } })
  })

  test('brings what ran, what needs another board, and what lost a secret as drafts, and says why', async () => {
    await using from = await openApiYard()
    await from.client.createTask({ ...plain, board: 'elsewhere', draft: true })
    await from.client.createTask({ ...plain, title: 'runs' })
    startRun(from)
    await from.client.createTask({ ...plain, title: 'outside', needs: [{ task: 1, when: 'done' }] })
    await from.client.createTask({ ...plain, title: 'secret', env: { API_TOKEN: 'x' } })
    await using to = await openApiYard()
    const { tasks } = await to.client.importBoard({ text: textOf(await exported(from, 'shop')) })
    expect(tasks.map(({ title, status, note }) => [title, status, note])).toEqual([
      ['runs', 'triage', 'it was running there'],
      ['outside', 'triage', 'it needs T1 of another board, which was left behind'],
      ['secret', 'triage', 'env.API_TOKEN was left out of the file'],
    ])
  })

  test('is all or nothing: a key that is held, a board that is there, a lane that is not', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...plain, key: 'k' })
    await yard.client.createTask({ ...plain, title: 'second' })
    const lines = await exported(yard, 'shop')
    const text = textOf(lines)
    const before = yard.board.lastSeq()
    await expect(yard.client.importBoard({ text })).rejects.toMatchObject({ code: 'BOARD_IMPORT_BOARD_TAKEN' })
    await expect(yard.client.importBoard({ text, board: 'shop' })).rejects.toMatchObject({
      code: 'BOARD_IMPORT_KEY_TAKEN',
      message: expect.stringContaining('held by T1 (ready)'),
    })
    const otherLane = textOf([...lines.slice(0, 2), (lines[2] ?? '').replace(/"lane":"\w+"/, '"lane":"clade"')])
    await expect(yard.client.importBoard({ text: otherLane, board: 'new' })).rejects.toMatchObject({
      code: 'BOARD_UNKNOWN_LANE',
    })
    expect(yard.board.lastSeq()).toBe(before)
    expect(yard.board.counts()).toMatchObject({ ready: 2 })
    expect(await yard.client.importBoard({ text, board: 'new' })).toMatchObject({ board: 'new' })
  })

  const task = (over: object) => ({ ...line, ...over })
  const line = {
    lane: 'command',
    task: 1,
    title: 'a',
    run: 'true',
    dir: '/tmp',
    status: 'ready',
    key: null,
    batch: null,
    row_key: null,
    failures: 0,
    hold: null,
    not_before: null,
    created_by: 'x',
    created_at: '2026-11-29T18:00:00.000Z',
    settled_at: null,
    archived_at: null,
    archived_by: null,
    needs: [],
    comments: [],
    runs: [],
    left_out: [],
  }
  const run = (over: object) => ({
    attempt: 1,
    lane: 'command',
    account: null,
    outcome: 'done',
    reason: 'exit 0',
    exit_code: 0,
    signal: null,
    output_tail: null,
    result: null,
    data: null,
    usage: null,
    claimed_at: line.created_at,
    exited_at: line.created_at,
    settled_at: line.created_at,
    peak_rss_bytes: null,
    cpu_seconds: null,
    released_by: null,
    ...over,
  })
  test('is read in pieces, with a turn of the loop for everybody else after each', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, n) => task({ task: n + 1 }))
    const header = { yardmaster: 'board', format: 1, board: 'new', exported_at: 'x', tasks: tasks.length }
    let isRead = false
    const reading = readBoardFile(textOf([header, ...tasks].map((one) => JSON.stringify(one)))).finally(() => {
      isRead = true
    })
    let turns = 0
    while (!isRead) {
      await new Promise((next) => setImmediate(next))
      turns += 1
    }
    expect((await reading).tasks).toHaveLength(1_000)
    expect(turns).toBeGreaterThan(5)
  })

  const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)
  const need = (on: number) => ({ task: on, when: 'done', outside: false, met: false })

  test.each<[string, readonly object[], string]>([
    ['no status', [task({ status: 'paused' })], 'line 2: status'],
    ['a field too many', [task({ pid: 4 })], 'line 2: pid is not known'],
    ['a task twice', [task({}), task({})], 'T1 stands twice in the file'],
    ['a need that is not there', [task({ needs: [need(7)] })], 'T1 needs T7, which is not in the file'],
    ['a circle', [task({ needs: [need(2)] }), task({ task: 2, needs: [need(1)] })], 'need each other in a circle'],
    ['one key twice', [task({ key: 'k' }), task({ task: 2, key: 'k' })], 'held by T1 of the file'],
    ['no work', [task({ run: undefined })], 'line 2'],
    ['an outcome of its own', [task({ runs: [{ outcome: 'fine' }] })], 'line 2: runs[0]'],
    ['a day that is not', [task({ created_at: '2026-13-45T18:00:00.000Z' })], 'line 2: created_at'],
    [
      'such a day of an end',
      [task({ runs: [run({ exited_at: '2026-02-31T99:00:00Z' })] })],
      'line 2: runs[0].exited_at',
    ],
    ['two attempts of one number', [task({ runs: [run({}), run({})] })], 'line 2: runs[1].attempt'],
    ['a number that no column holds', [task({ failures: 1e300 })], 'line 2: failures'],
    ['such a number of an attempt', [task({ runs: [run({ attempt: 2 ** 60 })] })], 'line 2: runs[0].attempt'],
    ['such an exit code', [task({ runs: [run({ exit_code: -1e20 })] })], 'line 2: runs[0].exit_code'],
    ['such a use', [task({ runs: [run({ peak_rss_bytes: 1e30 })] })], 'line 2: runs[0].peak_rss_bytes'],
    ['data without a bottom', [task({ runs: [run({ data: deep })] })], 'line 2: runs[0].data'],
    ['a need named twice', [task({}), task({ task: 2, needs: [need(1), need(1)] })], 'line 3: needs[1]'],
    ['a variable that no matrix sets', [task({ matrix: { LD_PRELOAD: 'x' } })], 'line 2: matrix.LD_PRELOAD'],
    ['a key of two lines', [task({ key: 'a\u001b[2J\nb' })], 'line 2: key'],
    ['a title of two lines', [task({ title: 'a\u001b[2J\nb' })], 'line 2: title'],
  ])('refuses a file with %s, and writes nothing', async (_, tasks, says) => {
    await using yard = await openApiYard()
    const header = { yardmaster: 'board', format: 1, board: 'new', exported_at: 'x', tasks: tasks.length }
    const text = textOf([header, ...tasks].map((one) => JSON.stringify(one)))
    await expect(yard.client.importBoard({ text })).rejects.toMatchObject({ message: expect.stringContaining(says) })
    expect(yard.board.lastSeq()).toBe(0)
  })

  test.each([
    ['/import', 257, '268435456'],
    ['/tasks', 65, '67108864'],
  ])('may be larger than anything else that is sent: %s is refused %i MiB', async (path, mebibytes, most) => {
    await using yard = await openApiYard()
    const headers = { authorization: `Bearer ${yard.token}`, 'content-type': 'application/json' }
    const length = { 'content-length': mebibytes * 1024 ** 2 } // announced is enough
    const asked = request({
      port: yard.port,
      path: `/api/v1${path}`,
      method: 'POST',
      headers: { ...headers, ...length },
    })
    asked.on('error', () => {}) // it is hung up on
    asked.flushHeaders()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(JSON.parse(await text(answer))).toMatchObject({
      error: { code: 'API_BODY_TOO_LARGE', message: expect.stringContaining(most) },
    })
    asked.destroy()
  })

  test('of many faulty lines it names the first and counts all others', async () => {
    await using yard = await openApiYard()
    const header = { yardmaster: 'board', format: 1, board: 'new', exported_at: 'x', tasks: 300 }
    const tasks = Array.from({ length: 300 }, (_, n) => task({ task: n + 1, wholly_strange: 1 }))
    const text = textOf([header, ...tasks].map((one) => JSON.stringify(one)))
    const fault = await yard.client.importBoard({ text }).catch((told: unknown) => told)
    expect(fault).toMatchObject({
      message: expect.stringMatching(/^line 2: wholly_strange is not known · .*line 6: .* \(and 295 more\)$/),
      fix: 'take it out, or export the board again',
    })
    const { faults } = (fault as YardError).values as { faults: readonly BodyFault[] }
    expect([faults.length, faults.at(-1)]).toEqual([21, expect.objectContaining({ left: 280 })])
  })

  test.each([
    ['', 'line 1 is not the header'],
    ['not json', 'line 1 is not the header'],
    ['{"yardmaster":"board","format":2}', 'form 2; this program knows forms up to 1'],
    [
      JSON.stringify({ yardmaster: 'board', format: 1, board: 'b', exported_at: '', tasks: 2 }),
      'the file is not whole',
    ],
  ])('refuses what is no exported board: %j', async (text, says) => {
    await using yard = await openApiYard()
    await expect(yard.client.importBoard({ text })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(says),
    })
  })
})

test('what is exported, imported and exported again says the same, whatever stands in it', async () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => !text.includes('\0'))
  const title = texts.map((text) => `t ${text.replaceAll(/\p{C}|\p{Z}/gu, '_')}`)
  const card = fc.record({
    title,
    prompt: fc.option(texts, { nil: undefined }),
    run: fc.array(texts, { minLength: 1, maxLength: 3 }),
    labels: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 3 }),
    priority: fc.integer({ min: -9, max: 9 }),
    timeoutMs: fc.option(fc.integer({ min: 1, max: 1e8 }), { nil: undefined }),
    graceMs: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined }),
    stallMs: fc.option(fc.oneof(fc.constant('off' as const), fc.integer({ min: 1, max: 1e7 })), { nil: undefined }),
    memoryBytes: fc.option(fc.integer({ min: 2 ** 24, max: 2 ** 36 }), { nil: undefined }),
    logBytes: fc.option(fc.integer({ min: 2 ** 24, max: 2 ** 33 }), { nil: undefined }),
    keeps: fc.option(fc.boolean(), { nil: undefined }),
    env: fc.dictionary(fc.constantFrom('CI', 'LANG', 'PORT'), texts),
    needs: fc.array(fc.nat(20), { maxLength: 3 }),
    check: fc.option(settingValues.check, { nil: undefined }),
    mayChange: fc.option(settingValues.mayChange, { nil: undefined }),
    expect: fc.option(settingValues.expect, { nil: undefined }),
    review: fc.option(settingValues.review, { nil: undefined }),
    workspace: fc.option(settingValues.workspace, { nil: undefined }),
    repoBranch: fc.option(fc.constant('main'), { nil: undefined }),
    draft: fc.boolean(),
    comment: fc.option(texts, { nil: undefined }),
    fate: fc.constantFrom('open', 'done', 'failed', 'cancelled', 'blocked', 'archived'),
  })
  await using yard = await openApiYard()
  const { board } = yard
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(card, { minLength: 1, maxLength: 5 }), async (cards) => {
      round += 1
      const made: TaskId[] = []
      for (const { title, prompt, run, labels, priority, needs, draft, comment, fate, env, ...settings } of cards) {
        const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
        const work = prompt === undefined ? { run } : { prompt }
        const spec = { title, ...work, dir: '/tmp', labels, env, ...given }
        const on = new Set(needs.flatMap((need) => made[need % Math.max(1, made.length)] ?? []))
        const links = [...on].map((id) => ({ on: id, when: 'always' as const }))
        const tasks = [{ spec, lane: 'command', priority, draft, needs: links }]
        const id = board.createTasks({ board: `from-${round}`, tasks }, ann)[0]?.task.id ?? taskId(0)
        made.push(id)
        if (comment !== undefined) board.comment(id, comment, ann)
        meet(yard, id, fate)
      }
      const first = await exported(yard, `from-${round}`)
      const { tasks } = await yard.client.importBoard({ text: textOf(first), board: `to-${round}` })
      const second = await exported(yard, `to-${round}`)
      const numbers = new Map(tasks.map(({ from, id }) => [id, from]))
      expect(tasksOf(second).map((one) => renumbered(one, numbers))).toEqual(tasksOf(first))
    }),
    { numRuns: 20 },
  )
  using finder = openHalfStateFinder(join(yard.home, 'yard.db'))
  expect(finder.findHalfStates()).toEqual([])
})

/** Brings a card to where it is to stand, as far as what it needs lets it. */
function meet({ board }: ApiYard, id: TaskId, fate: string): void {
  if (fate === 'open') return
  if (fate === 'blocked') return void board.blockTask(id, 'wait', ann)
  if (fate === 'cancelled' || fate === 'archived') board.cancelTask(id, ann)
  if (fate === 'archived') return void board.archiveTask(id, 'wait', ann)
  if (board.readTask(id)?.status !== 'ready') return
  const claims = board.claim({ max: 100, prepare: () => ({ ok: true, settings: '{}' }) })
  for (const { run, task } of claims) {
    const outcome: Outcome = task.id === id && fate === 'failed' ? 'failed' : 'done'
    const refusal = { class: 'transient', reason: 'rate_limit', provider: null, status: 429, code: 'c', requestId: 'r' }
    const spent = { model: 'm', costUsd: 0.25, counts: { replies: 2 }, compactions: 1, refusal }
    const left = { result: 'r', data: '{"a":1}', usage: null, spent: fate === 'failed' ? null : spent }
    const nothing = { signal: null, stopDelivered: false, exitCode: 0, ...left }
    board.recordExited([{ run: run.id, fence: run.fence, outcome, reason: 'so', outputTail: 'x', ...nothing }])
    const move =
      outcome === 'done' ? ({ to: 'done' } as const) : ({ to: 'failed', code: 'failed', text: 'so' } as const)
    board.recordSettled([{ run: run.id, fence: run.fence, move, failures: outcome === 'done' ? 0 : 1 }])
  }
}

function renumbered(task: BoardFileTask, numbers: ReadonlyMap<number, number>): BoardFileTask {
  const of = (id: number) => numbers.get(id) ?? -1
  return { ...task, task: of(task.task), needs: task.needs.map((need) => ({ ...need, task: of(need.task) })) }
}
