import { describe, expect, test } from 'vitest'
import { connectRun } from '../../../src/api/client/index.ts'
import { type Grant, systemClock } from '../../../src/kernel/index.ts'
import { type ApiYard, endRun, openApiYard, ownSecret, secret, startRun } from '../open-yard.ts'

const ann = { by: 'ann' }

const yardWith = (grants: readonly Grant[], agentsMayStart = false) =>
  openApiYard({ yard: { rightsOf: () => ({ grants, agentsMayStart }) } })

/** A card that runs, and a client with the token of its attempt. */
async function running(yard: ApiYard, fields: object = {}) {
  const { task } = await yard.client.createTask({ prompt: 'Fix the login.', dir: '/shop', ...fields })
  const started = startRun(yard)
  return { ...started, id: task.id, own: connectRun({ port: yard.port, token: started.token }) }
}

const told = (yard: ApiYard, kind: string) =>
  yard.board
    .eventsAfter(0, 10_000)
    .filter((event) => event.kind === kind)
    .map(({ by, task, run, text }) => ({ by, task, run, text }))

describe('an attempt on its board', () => {
  test('lists the tasks of its own board, some at a time, and never those of another', async () => {
    await using yard = await yardWith([])
    const { own, id } = await running(yard)
    for (const title of ['one', 'two']) await yard.client.createTask({ run: 'true', title, dir: '/shop' })
    await yard.client.createTask({ prompt: 'x', dir: '/shop', board: 'shop' })

    const first = await own.tasks({ limit: 2 })
    const rest = await own.tasks({ limit: 2, after: first.next ?? '' })

    expect([...first.rows, ...rest.rows].map((row) => [row.id, row.status, row.own])).toEqual([
      [id, 'running', false],
      [2, 'ready', false],
      [3, 'ready', false],
    ])
    expect((await own.tasks({ status: 'ready', lane: 'command' })).rows.map(({ title }) => title)).toEqual([
      'one',
      'two',
    ])
    await expect(own.tasks({ status: 'redy' })).rejects.toMatchObject({ code: 'API_BAD_REQUEST' })
  })

  test('makes drafts of its own lane where its lane grants it, and each stands on record as its own', async () => {
    await using yard = await yardWith(['create'])
    const { own, id } = await running(yard)

    const made = await own.create({ prompt: `Test it with ${ownSecret}.`, title: 'tests', needs: [id], labels: ['qa'] })

    expect(made).toEqual({
      id: 2,
      title: 'tests',
      status: 'triage',
      lane: 'chat',
      priority: 0,
      open_needs: 1,
      own: true,
    })
    expect(yard.board.readSpec(2 as never)).toMatchObject({ prompt: 'Test it with [secret].', dir: '/shop' })
    expect(yard.board.readTask(2 as never)).toMatchObject({ createdBy: 'R1', board: 'main' })
    expect(told(yard, 'run.acted')).toEqual([
      { by: 'R1', task: id, run: 1, text: 'T1 attempt 1 makes a draft for lane chat: tests' },
    ])
  })

  test('starts what it makes only where its lane says so, too', async () => {
    await using yard = await yardWith(['create'], true)
    const { own } = await running(yard)

    expect(await own.create({ prompt: 'more' })).toMatchObject({ status: 'ready' })
  })

  test('makes at most 20 tasks, and the next is refused with nothing left of it', async () => {
    await using yard = await yardWith(['create'])
    const { own } = await running(yard)
    for (let n = 0; n < 20; n += 1) await own.create({ prompt: `more ${n}` })

    await expect(own.create({ prompt: 'and more' })).rejects.toMatchObject({
      code: 'BOARD_TOO_MANY_ACTS',
      message: 'R1 has done this 20 times (create), and no more of it is taken',
    })
    expect(yard.board.counts('main').triage).toBe(20)
  })

  test('comments on other tasks of its board, and links them, where it is granted', async () => {
    await using yard = await yardWith(['comment', 'link'])
    const { own, id } = await running(yard)
    const { task: a } = await yard.client.createTask({ prompt: 'a', dir: '/shop' })
    const { task: b } = await yard.client.createTask({ prompt: 'b', dir: '/shop' })
    const { task: far } = await yard.client.createTask({ prompt: 'c', dir: '/shop', board: 'shop' })

    await own.comment(`mind ${secret}`, a.id)
    await own.comment('mine', id)
    await own.link({ task: b.id, needs: a.id })

    expect(yard.board.comments(a.id as never)).toMatchObject([{ by: 'R1', text: 'mind [secret]' }])
    expect(yard.board.comments(id as never)).toMatchObject([{ by: 'R1', text: 'mine' }])
    expect(yard.board.readTask(b.id as never)?.status).toBe('todo')
    await expect(own.link({ task: a.id, needs: b.id })).rejects.toMatchObject({
      code: 'BOARD_NEED_CYCLE',
      message: `these tasks need each other in a circle: T${a.id} -> T${b.id} -> T${a.id}`,
    })
    await expect(own.link({ task: id, needs: a.id })).rejects.toMatchObject({ code: 'BOARD_TASK_RUNNING' })
    for (const reach of [own.comment('hi', far.id), own.link({ task: a.id, needs: far.id }), own.comment('hi', 99)]) {
      await expect(reach).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    }
    expect(told(yard, 'run.acted').map(({ text }) => text)).toEqual([
      `T1 attempt 1 makes a remark on T${a.id}`,
      `T1 attempt 1 lets T${b.id} wait for T${a.id}`,
    ])
  })

  test('C118: neither approves its own work nor makes work for another lane by itself, and both stand on record', async () => {
    await using yard = await yardWith(['create'])
    const { own, id, token } = await running(yard)
    const approve = await yard.ask(`/api/v1/tasks/${id}/approve`, {
      method: 'POST',
      body: {},
      headers: { authorization: `Bearer ${token}` },
    })

    expect([approve.status, ((await approve.json()) as { error: { code: string } }).error.code]).toEqual([
      403,
      'API_NOT_FOR_RUNS',
    ])
    await expect(own.create({ prompt: 'x', lane: 'claude' })).rejects.toMatchObject({
      code: 'API_NOT_GRANTED',
      message: 'R1 may not create tasks for lane claude: lane chat does not grant it',
      fix: 'leave it to a person, who may let it by grants: [any_lane] of lane chat in yardmaster.yaml',
    })
    expect(yard.board.listTasks({}, { limit: 10 }).rows.map((task) => task.id)).toEqual([id])
    expect(told(yard, 'run.refused')).toEqual([
      {
        by: 'R1',
        task: id,
        run: 1,
        text: `T1 attempt 1 was refused: POST /api/v1/tasks/${id}/approve: that is not open to an attempt`,
      },
      {
        by: 'R1',
        task: id,
        run: 1,
        text: 'T1 attempt 1 was refused: create tasks for lane claude: R1 may not create tasks for lane claude: lane chat does not grant it',
      },
    ])
  })

  test('with the further grant makes drafts for another lane, which must fit', async () => {
    await using yard = await yardWith(['create', 'any_lane'])
    const { own } = await running(yard)

    expect(await own.create({ prompt: 'x', lane: 'claude' })).toMatchObject({ lane: 'claude', status: 'triage' })
    await expect(own.create({ prompt: 'x', lane: 'tests' })).rejects.toMatchObject({ code: 'API_LANE_DOES_NOT_FIT' })
    await expect(own.create({ prompt: 'x', lane: 'clod' })).rejects.toMatchObject({ code: 'API_UNKNOWN_LANE' })
  })

  test('may do nothing of it where nothing is granted, and is told of the refusals only so often', async () => {
    await using yard = await yardWith([])
    const { own, id } = await running(yard)
    const { task: other } = await yard.client.createTask({ prompt: 'a', dir: '/shop' })
    const acts = [
      () => own.create({ prompt: 'x' }),
      () => own.comment('x', other.id),
      () => own.link({ task: other.id, needs: id }),
    ]

    for (let n = 0; n < 10; n += 1) {
      for (const act of acts) await expect(act()).rejects.toMatchObject({ code: 'API_NOT_GRANTED', status: 403 })
    }

    const refused = told(yard, 'run.refused')
    expect(refused).toHaveLength(20)
    expect(refused.at(-1)?.text).toMatch(/; what follows is not told$/)
  })
})

describe('the word of an attempt that it is done', () => {
  test('is refused while it names tasks that it did not make, and nothing changes', async () => {
    await using yard = await yardWith(['create'])
    const { own, id } = await running(yard)
    const made = await own.create({ prompt: 'more' })
    const { task: far } = await yard.client.createTask({ prompt: 'c', dir: '/shop', board: 'shop' })

    await expect(own.complete({ result: 'all', created: [made.id, id, 77] })).rejects.toMatchObject({
      code: 'API_BAD_TASKS',
      status: 422,
      message: `R1 is not done yet: it names tasks that are not there: T${id} (this attempt did not make it), T77 (there is none)`,
    })
    await expect(own.complete({ data: { tasks: ['T78', { id: far.id }, made.id, 'later'] } })).rejects.toMatchObject({
      message: `R1 is not done yet: it names tasks that are not there: T78 (there is none), T${far.id} (there is none)`,
    })

    expect(yard.board.readRun(1 as never)?.call).toBeNull()
    expect(yard.board.readTask(id as never)?.status).toBe('running')
    expect(told(yard, 'run.refused')).toHaveLength(2)
    expect(await own.complete({ result: 'all', created: [made.id] })).toMatchObject({ call: 'complete' })
  })

  test('is the verdict of one that reviews, by the last line of its result', async () => {
    await using yard = await openApiYard()
    const spec = { title: 'a', prompt: 'x', dir: '/shop', review: { lane: 'chat' } } as const
    yard.board.createTasks({ board: 'main', tasks: [{ spec, lane: 'chat' }] }, ann)
    const author = startRun(yard)
    const nothing = { signal: null, result: null, data: null, usage: null, stopDelivered: false, outputTail: null }
    const { id: run, fence } = author.run
    yard.board.recordExited([{ run, fence, exitCode: 0, outcome: 'review', reason: 'exit 0', ...nothing }])
    yard.board.recordSettled([{ run, fence, move: { to: 'review', text: 'look', lane: 'chat' }, failures: 0 }])
    const reviewer = startRun(yard)
    const own = connectRun({ port: yard.port, token: reviewer.token })

    await expect(own.complete({ result: 'looks nice' })).rejects.toMatchObject({
      code: 'BOARD_VERDICT_MISSING',
      fix: expect.stringContaining('a line of its own, verdict: approve or verdict: reject'),
    })
    await own.complete({ result: 'No tests.\n\nverdict: reject' })

    expect(yard.board.readRun(reviewer.run.id)?.call).toMatchObject({ code: 'changes_requested', text: 'No tests.' })
  })

  test('of the author is no verdict, whatever its last line says', async () => {
    await using yard = await openApiYard()
    const { own } = await running(yard)
    await own.complete({ result: 'Good.\nverdict: approve' })
    expect(yard.board.readRun(1 as never)?.call).toMatchObject({ code: null, text: 'Good.\nverdict: approve' })
  })
})

describe('news for an attempt', () => {
  test('come in the moment in which somebody comments, and its own remarks are none', async () => {
    await using yard = await openApiYard()
    const { own, id } = await running(yard)
    await own.comment('my own')
    const asked = own.news({ after: 1, waitSeconds: 30 })
    while (yard.listeners() === 0) await new Promise((resolve) => setImmediate(resolve))
    yard.board.comment(id as never, 'mind the clock', ann)

    expect(await asked).toMatchObject({ last: 2, comments: [{ n: 2, by: 'ann', text: 'mind the clock' }], stop: null })
    expect(await own.news({ after: undefined, waitSeconds: 0 })).toMatchObject({ last: 2, comments: [{ n: 2 }] })
    expect(yard.listeners()).toBe(0)
  })

  test('never hold what was said before it was claimed, however often it asks', async () => {
    await using yard = await openApiYard()
    const { task } = await yard.client.createTask({ prompt: 'Fix the login.', dir: '/shop' })
    yard.board.comment(task.id as never, 'said long ago', ann)
    const createdMs = systemClock.nowMs()
    while (systemClock.nowMs() === createdMs) await new Promise((resolve) => setImmediate(resolve))
    const own = connectRun({ port: yard.port, token: startRun(yard).token })

    const first = await own.news({ after: undefined, waitSeconds: 0 })
    const next = await own.news({ after: first.last, waitSeconds: 0 })

    expect([first, next]).toMatchObject([
      { last: 1, comments: [] },
      { last: 1, comments: [] },
    ])
  })

  test('tell at once that it is to end, and that it is over', async () => {
    await using yard = await openApiYard()
    const { own, id, ...started } = await running(yard)
    const asked = own.news({ after: 0, waitSeconds: 30 })
    while (yard.listeners() === 0) await new Promise((resolve) => setImmediate(resolve))
    yard.board.stopTask(id as never, 'enough', ann)

    expect(await asked).toMatchObject({ stop: { kind: 'stop', text: 'enough' } })
    endRun(yard, started)
    await expect(own.news({ after: 0, waitSeconds: 30 })).rejects.toMatchObject({ code: 'API_RUN_OVER' })
  })

  test('are not waited for when the hub stops, when the time is over and when nobody listens any more', async () => {
    await using yard = await openApiYard()
    const { own } = await running(yard)
    expect(await own.news({ after: 0, waitSeconds: 1 })).toMatchObject({ comments: [] })
    const gone = new AbortController()
    const left = own.news({ after: 0, waitSeconds: 60 }, gone.signal)
    while (yard.listeners() === 0) await new Promise((resolve) => setImmediate(resolve))
    gone.abort()
    await expect(left).rejects.toMatchObject({ code: 'CLIENT_HUB_GONE' })
    while (yard.listeners() > 0) await new Promise((resolve) => setImmediate(resolve))
    const asked = own.news({ after: 0, waitSeconds: 60 })
    while (yard.listeners() === 0) await new Promise((resolve) => setImmediate(resolve))

    await yard.api.stop()

    expect(await asked).toMatchObject({ comments: [], stop: null })
  })
})

test('a note of progress stands on record, at most 200 of them', async () => {
  await using yard = await openApiYard()
  const { own, id, run } = await running(yard)
  await own.heartbeat('tests pass, now the docs')
  expect(told(yard, 'run.acted')).toEqual([
    { by: 'R1', task: id, run: 1, text: 'T1 attempt 1 says how far it is: tests pass, now the docs' },
  ])
  const holder = { run: run.id, fence: run.fence }
  for (let n = 1; n < 200; n += 1) yard.board.recordAct(holder, { act: 'note', text: `${n}` })
  await expect(own.heartbeat('201')).rejects.toMatchObject({ code: 'BOARD_TOO_MANY_ACTS' })
  expect(await own.heartbeat()).toMatchObject({ run: 1 })
})
