import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectRun } from '../../../src/api/client/index.ts'
import { runCalls, taskVerbs } from '../../../src/api/contract/index.ts'
import { createRedactor } from '../../../src/kernel/index.ts'
import { type ApiYard, endRun, openApiYard, ownSecret, secret, startRun } from '../open-yard.ts'

const ann = { by: 'ann' }

/** A card that runs, and a client with the token of its attempt. */
async function running(yard: ApiYard, fields: object = {}) {
  const { task } = await yard.client.createTask({ prompt: 'Fix the login.', title: 'login', dir: '/shop', ...fields })
  const started = startRun(yard)
  const own = connectRun({ port: yard.port, token: started.token })
  const ask = (path: string, init: { method?: string; body?: unknown } = {}) =>
    yard.ask(`/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${started.token}` } })
  return { ...started, id: task.id, own, ask }
}

const codeOf = async (answer: Promise<Response>) => {
  const given = await answer
  const { error } = (await given.json()) as { error: { code: string; message: string; fix: string } }
  return [given.status, error.code, error.message, error.fix] as const
}

describe('an attempt with its own token', () => {
  test('sees its task, what came before it, what was said since, and whether it is to end', async () => {
    await using yard = await openApiYard()
    const [build] = yard.board.createTasks(
      { board: 'main', tasks: [{ spec: { title: 'build', run: 'make', dir: '/shop' }, lane: 'command' }] },
      ann,
    )
    const before = startRun(yard)
    endRun(yard, before, 'built 42')
    const needs = [{ task: build?.task.id ?? 0, when: 'done' as const }]
    const { own, id } = await running(yard, { needs, labels: ['auth'], priority: 2 })
    yard.board.comment(build?.task.id as never, 'not for it', ann)
    yard.board.comment(id as never, 'mind the clock', ann)
    expect(await own.show()).toMatchObject({
      attempt: 1,
      task: {
        id,
        title: 'login',
        kind: 'prompt',
        lane: 'chat',
        prompt: 'Fix the login.',
        run: null,
        labels: ['auth'],
        priority: 2,
      },
      needs: [{ task: build?.task.id, title: 'build', status: 'done', outcome: 'done', result: null }],
      needs_not_shown: 0,
      comments: [{ n: 1, by: 'ann', text: 'mind the clock' }],
      call: null,
      stop: null,
    })
    expect((await own.show(1)).comments).toEqual([])
    yard.board.cancelTask(id as never, ann)
    expect((await own.heartbeat()).stop).toEqual({ kind: 'cancel', text: '' })
  })

  test('says how it ends, once; who says the same again is told the same', async () => {
    await using yard = await openApiYard()
    const { own, ask } = await running(yard)
    expect(await own.comment('half way')).toMatchObject({ call: null })
    expect(await own.complete({ result: 'fixed', data: { files: 3 } })).toMatchObject({ call: 'complete' })
    expect(await own.complete({ result: 'fixed', data: { files: 3 } })).toMatchObject({ call: 'complete' })
    expect(await codeOf(ask('/run/block', { method: 'POST', body: { text: 'or not?' } }))).toEqual([
      409,
      'API_RUN_HAS_CALLED',
      'R1 has said already how it ends (complete), and that is said once',
      'end now; the first word counts',
    ])
    expect(await yard.client.run(1)).toMatchObject({
      call: { kind: 'complete', text: 'fixed', on_task: null },
      late_calls: 0,
    })
  })

  test('asks a person, who answers; asks for a review, which is rejected and then approved', async () => {
    await using yard = await openApiYard()
    const { own, id } = await running(yard)
    await own.block({ text: 'Redis or in memory?' })
    const end = (outcome: 'blocked' | 'review', move: object) => {
      const [open] = yard.board.openRuns()
      if (open === undefined) throw new Error('nothing runs')
      const facts = {
        exitCode: 0,
        signal: null,
        outputTail: null,
        result: null,
        data: null,
        usage: null,
        stopDelivered: false,
      }
      yard.board.recordExited([{ run: open.id, fence: open.fence, outcome, reason: 'it said so', ...facts }])
      yard.board.recordSettled([{ run: open.id, fence: open.fence, move: move as never, failures: 0 }])
    }
    end('blocked', { to: 'blocked', code: 'needs_input', text: 'Redis or in memory?' })
    expect(await yard.client.act(id, 'answer', 'Redis')).toMatchObject({ status: 'ready', hold: null })
    const again = startRun(yard)
    await connectRun({ port: yard.port, token: again.token }).review({ text: 'look at auth.ts' })
    end('review', { to: 'review', text: 'look at auth.ts' })
    expect(await yard.client.why(id)).toMatchObject({ code: 'review' })
    expect(await yard.client.act(id, 'reject', 'no tests')).toMatchObject({ status: 'ready' })
    await connectRun({ port: yard.port, token: startRun(yard).token }).review({ text: 'with tests' })
    end('review', { to: 'review', text: 'with tests' })
    expect(await yard.client.act(id, 'approve')).toMatchObject({ status: 'done' })
    expect((await yard.client.task(id)).comments.map(({ by, text }) => [by, text])).toEqual([
      ['Zoë', 'Redis'],
      ['Zoë', 'no tests'],
    ])
  })

  test('may wait for another task, but not in a circle, which is named', async () => {
    await using yard = await openApiYard()
    const { own, id } = await running(yard)
    const { task: child } = await yard.client.createTask({
      prompt: 'x',
      dir: '/shop',
      needs: [{ task: id, when: 'done' }],
    })
    await expect(own.wait({ task: child.id })).rejects.toMatchObject({
      code: 'BOARD_NEED_CYCLE',
      message: `these tasks need each other in a circle: T${id} -> T${child.id} -> T${id}`,
    })
    await expect(own.wait({ task: 999 })).rejects.toMatchObject({ code: 'BOARD_NO_TASK' })
    const { task: other } = await yard.client.createTask({ prompt: 'schema', dir: '/shop' })
    expect(await own.wait({ task: other.id, text: 'its schema' })).toMatchObject({ call: 'wait' })
  })

  test('is told when it is being ended for a reason that decides, and cannot say any more how', async () => {
    await using yard = await openApiYard()
    const { ask, own, task } = await running(yard)
    yard.board.recordStop(task.openRun as never, { kind: 'timeout', by: 'dispatcher', text: 'longer than 2h' })
    expect(await own.heartbeat()).toMatchObject({ stop: { kind: 'timeout', text: 'longer than 2h' } })
    expect((await codeOf(ask('/run/complete', { method: 'POST', body: {} }))).slice(0, 3)).toEqual([
      409,
      'API_RUN_STOPPING',
      'R1 is being ended (timeout, by the hub: longer than 2h), so it cannot say any more how it ends',
    ])
  })
})

describe('the token of an attempt opens nothing else', () => {
  test('every other route answers 403, also one that does not exist', async () => {
    await using yard = await openApiYard()
    const { ask, id } = await running(yard)
    const reads = [
      '/health',
      '/tasks',
      `/tasks/${id}`,
      `/tasks/${id}/why`,
      `/tasks/${id}/settings`,
      '/runs/1',
      '/runs/1/log',
    ]
    const more = [
      '/runs/1/log/follow',
      '/batches',
      '/batches/1',
      '/events',
      '/events/page',
      '/nothing',
      '/run/',
      '/run/../tasks',
    ]
    const writes = [
      '/tasks',
      '/batches',
      '/pause',
      '/resume',
      '/drain',
      '/down',
      '/run',
      '/run/nothing',
      '/run/complete/',
    ]
    const asked = [
      ...[...reads, ...more].map((path) => ['GET', path]),
      ...writes.map((path) => ['POST', path]),
      ...taskVerbs.map((verb) => ['POST', `/tasks/${id}/${verb}`]),
      ['PATCH', `/tasks/${id}`],
      ['GET', '/run/complete'],
      ['DELETE', '/run'],
      ['PUT', '/run/complete'],
    ] as const
    for (const [method, path] of asked) {
      const [status, code, , fix] = await codeOf(ask(path, { method, ...(method === 'GET' ? {} : { body: {} }) }))
      expect([method, path, status, code]).toEqual([method, path, 403, 'API_NOT_FOR_RUNS'])
      expect(fix).toContain(runCalls.join(', '))
    }
    expect((await ask('/run', { method: 'HEAD' })).status).toBe(403)
    expect(yard.board.readTask(id as never)?.status).toBe('running')
  })

  test('and the home’s token does not open what is an attempt’s own', async () => {
    await using yard = await openApiYard()
    for (const call of runCalls) {
      const [method = '', path = ''] = call.split(' ')
      const answer = codeOf(yard.ask(`/api/v1${path}`, { method, ...(method === 'GET' ? {} : { body: {} }) }))
      expect((await answer).slice(0, 2)).toEqual([403, 'API_ONLY_FOR_RUNS'])
    }
  })

  test('one that is nobody’s is refused, and not repeated', async () => {
    await using yard = await openApiYard()
    const { token } = await running(yard)
    const bad = `${token.slice(0, -4)}AAAA`
    const answer = codeOf(yard.ask('/api/v1/run', { headers: { authorization: `Bearer ${bad}` } }))
    const [status, code, ...said] = await answer
    expect([status, code]).toEqual([401, 'API_BAD_RUN_TOKEN'])
    expect(said.join()).not.toContain(bad.slice(8, 20))
  })

  test('a hub that lost its own token serves no attempt either', async () => {
    await using yard = await openApiYard({ serveWith: 'no token' })
    yard.board.createTasks(
      { board: 'main', tasks: [{ spec: { title: 'x', run: 'x', dir: '/shop' }, lane: 'command' }] },
      ann,
    )
    const { token } = startRun(yard)
    const answer = codeOf(yard.ask('/api/v1/run', { headers: { authorization: `Bearer ${token}` } }))
    expect((await answer).slice(0, 2)).toEqual([401, 'API_NO_TOKEN'])
  })
})

describe('an attempt that is over', () => {
  test('is refused with its outcome whatever it calls, and each call stands on it', async () => {
    await using yard = await openApiYard()
    const one = await running(yard)
    endRun(yard, one)
    const bodies: Readonly<Record<string, object>> = {
      '/run/comment': { text: 'hi' },
      '/run/block': { text: 'hi' },
      '/run/review': { text: 'hi' },
      '/run/wait': { task: 1 },
      '/run/create': { prompt: 'more' },
      '/run/link': { task: 1, needs: 2 },
    }
    for (const call of runCalls) {
      const [method = '', path = ''] = call.split(' ')
      const [status, code, message] = await codeOf(
        one.ask(path, { method, ...(method === 'GET' ? {} : { body: bodies[path] ?? {} }) }),
      )
      expect([status, code]).toEqual([409, 'API_RUN_OVER'])
      expect(message).toBe('R1 is over (done); nothing that it says changes its end')
    }
    const late = (await yard.client.eventsPage(0, 100)).filter(({ kind }) => kind === 'run.late_call')
    expect(late.map(({ run, data }) => [run, data.call])).toEqual(
      'show news heartbeat comment attach list create link complete block review wait'
        .split(' ')
        .map((call) => [1, call]),
    )
    expect(await yard.client.run(1)).toMatchObject({ outcome: 'done', call: null, late_calls: runCalls.length })
  })
})

describe('bad calls', () => {
  test.each<readonly [string, unknown, string, string]>([
    ['/run/comment', {}, 'API_BAD_REQUEST', 'the request has no text'],
    ['/run/comment', { text: '' }, 'API_BAD_REQUEST', 'text'],
    ['/run/comment', { text: 'x'.repeat(65_537) }, 'API_BAD_REQUEST', 'text'],
    ['/run/comment', { text: 'x', by: 'admin' }, 'API_BAD_REQUEST', 'by'],
    ['/run/heartbeat', { lease: 60 }, 'API_BAD_REQUEST', 'lease'],
    ['/run/complete', { result: 7 }, 'API_BAD_REQUEST', 'result'],
    ['/run/complete', { status: 'done' }, 'API_BAD_REQUEST', 'status'],
    ['/run/complete', { data: deep(101) }, 'API_BAD_REQUEST', 'data is nested more than 100 levels deep'],
    [
      '/run/complete',
      { data: 'x'.repeat(300_000) },
      'API_BAD_REQUEST',
      'data is 300002 bytes as JSON, more than 262144',
    ],
    ['/run/block', { text: 'x', code: 'Needs input!' }, 'API_BAD_REQUEST', 'code'],
    ['/run/review', {}, 'API_BAD_REQUEST', 'text'],
    ['/run/wait', {}, 'API_BAD_REQUEST', 'task'],
    ['/run/wait', { task: 'T7' }, 'API_BAD_REQUEST', 'task'],
    ['/run/wait', { task: 0 }, 'API_BAD_REQUEST', 'task'],
    ['/run/complete', '{"result":', 'API_NOT_JSON', 'JSON'],
    ['/run/complete', { result: 'x'.repeat(3_000_000) }, 'API_BODY_TOO_LARGE', '2097152'],
  ])('%s %# is refused by name and value, and leaves nothing', async (path, body, code, says) => {
    await using yard = await openApiYard()
    const { ask } = await running(yard)
    const [, given, message, fix] = await codeOf(ask(path, { method: 'POST', body }))
    expect([given, message]).toEqual([code, expect.stringContaining(says)])
    expect(fix).not.toBe('')
    expect(yard.board.readRun(1 as never)?.call).toBeNull()
    expect(yard.board.comments(1 as never)).toEqual([])
  })

  function deep(levels: number): unknown {
    return levels === 0 ? 1 : [deep(levels - 1)]
  }
})

describe('secrets', () => {
  test('what an attempt says is masked with what it was given before it is kept', async () => {
    await using yard = await openApiYard()
    const { own, id } = await running(yard)
    await own.comment(`key ${secret}`)
    await own.complete({ result: `with ${ownSecret}`, data: { key: [secret] } })
    expect(yard.board.comments(id as never)[0]?.text).toBe('key [secret]')
    expect(yard.board.readRun(1 as never)?.call).toMatchObject({ text: 'with [secret]', data: '{"key":["[secret]"]}' })
  })

  test('the token of an attempt stands in no row, event, answer, log line or file of the home, and its shape is masked everywhere', async () => {
    await using yard = await openApiYard()
    const { own, token, ask } = await running(yard)
    await own.comment(`my token is ${token}`)
    await codeOf(ask(`/tasks?token=${token}`))
    await codeOf(ask('/run/complete', { method: 'POST', body: { nope: token } }))
    await own.complete({ result: token })
    const secretPart = token.slice(-40)
    const files = readdirSync(yard.home).filter((name) => name.startsWith('yard.db'))
    const kept = files.map((name) => readFileSync(join(yard.home, name), 'latin1')).join('')
    const told = JSON.stringify([
      await yard.client.eventsPage(0, 100),
      await yard.client.run(1),
      await yard.client.task(1),
      yard.surprises,
    ])
    expect(kept).not.toContain(secretPart)
    expect(told).not.toContain(secretPart)
    expect(createRedactor([])(`a ${token} b`)).toBe('a [secret] b')
  })
})
