import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectHttp } from '../../src/api/client/index.ts'
import type { ErrorView } from '../../src/api/contract/index.ts'
import { type ApiYard, openApiYard } from './open-yard.ts'

interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** `fetch` sets Host and Origin itself, so what a browser under attack would send goes by hand. */
function send(port: number, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      )
    })
    asked.once('error', reject)
    asked.end()
  })
}

const routes = ['health', 'tasks', 'tasks/1', 'runs/1/log', 'runs/1/log/follow', 'batches', 'events', 'nothing']
const paths = [...routes.map((route) => `/api/v1/${route}`), '/', '/%', '/api/v1/health/live/../../health']

// What changes nothing is asked of one yard; opening one costs more than the question.
let shared: ApiYard
beforeAll(async () => {
  shared = await openApiYard()
})
afterAll(() => shared[Symbol.asyncDispose]())

describe('who is served', () => {
  test.each(paths)('C157: %s is refused without the token, and says nothing else', async (path) => {
    const yard = shared
    for (const authorization of ['', 'Bearer', `Bearer ${'0'.repeat(64)}`, `Basic ${yard.token}`]) {
      const answer = await yard.ask(path, { headers: { authorization } })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toEqual({
        error: { code: 'API_NO_TOKEN', message: expect.any(String), fix: expect.stringContaining('Bearer') },
      })
    }
  })

  test('C157: an address that only looks like the open one is refused without the token, however it is written', async () => {
    const ways = ['tasks/1\\..\\..\\health\\live', 'tasks/1/%2e%2e/%2e%2e/health/live', 'x/../health/live']
    for (const path of ways) expect((await send(shared.port, `/api/v1/${path}`, {})).status).toBe(401)
    expect((await send(shared.port, '//x/api/v1/health/live', {})).status).toBe(401)
    expect((await send(shared.port, '/api/v1/health/live?x=1', {})).status).toBe(204)
  })

  test('C157: a hub that has no token serves nobody, whatever is sent', async () => {
    await using yard = await openApiYard({ serveWith: 'no token' })
    for (const path of paths) {
      for (const authorization of ['', 'Bearer ', 'Bearer undefined', `Bearer ${yard.token}`]) {
        expect((await yard.ask(path, { headers: { authorization } })).status).toBe(401)
      }
    }
    await expect(yard.client.health()).rejects.toMatchObject({ code: 'API_NO_TOKEN', status: 401 })
  })

  test('that it lives is told to everybody on this machine', async () => {
    const yard = shared
    expect((await yard.ask('/api/v1/health/live', { headers: { authorization: '' } })).status).toBe(204)
  })

  test.each(['/api/v1/health', '/api/v1/events', '/api/v1/health/live', '/%', '/'])(
    'C159: %s under a foreign host or for a foreign page is refused before it is looked at',
    async (path) => {
      const yard = shared
      const authorization = `Bearer ${yard.token}`
      const foreign = await send(yard.port, path, { host: 'evil.example', authorization })
      expect([foreign.status, JSON.parse(foreign.text).error.code]).toEqual([403, 'API_WRONG_HOST'])
      const host = `127.0.0.1:${yard.port}`
      const page = await send(yard.port, path, { host, authorization, origin: 'http://evil.example' })
      expect([page.status, JSON.parse(page.text).error.code]).toEqual([403, 'API_WRONG_ORIGIN'])
    },
  )

  test('it listens on loopback and nowhere else', async () => {
    const yard = shared
    const refused = await new Promise((resolve) => {
      const socket = connect({ host: '::1', port: yard.port })
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    expect(refused).toBe(true)
  })
})

describe('what it answers when something is wrong', () => {
  test.each([
    ['/api/v1/nothing', 'GET', 404, 'API_NO_ROUTE'],
    ['/api/v1/tasks/1/explode', 'POST', 404, 'API_NO_ROUTE'],
    ['/', 'GET', 404, 'API_NO_ROUTE'],
    ['/%', 'GET', 404, 'API_NO_ROUTE'],
    ['/api/v1/tasks/5', 'GET', 404, 'API_NOT_FOUND'],
    ['/api/v1/tasks/R5', 'GET', 404, 'API_NOT_FOUND'],
    ['/api/v1/runs/5', 'GET', 404, 'API_NOT_FOUND'],
    ['/api/v1/runs/5/log/follow', 'GET', 404, 'API_NOT_FOUND'],
    ['/api/v1/batches/night', 'GET', 404, 'API_NOT_FOUND'],
    ['/api/v1/tasks?limit=0', 'GET', 400, 'API_BAD_REQUEST'],
    ['/api/v1/tasks?status=dune', 'GET', 400, 'API_BAD_REQUEST'],
    ['/api/v1/tasks?after=nonsense', 'GET', 400, 'BOARD_BAD_CURSOR'],
    ['/api/v1/events?after=-1', 'GET', 400, 'API_BAD_REQUEST'],
    ['/api/v1/events?after=9999', 'GET', 409, 'API_EVENT_AHEAD'],
  ])('%s (%s) is %i %s', async (path, method, status, code) => {
    const yard = shared
    const answer = await yard.ask(path, { method })
    expect([answer.status, ((await answer.json()) as ErrorView).error]).toMatchObject([
      status,
      { code, fix: expect.any(String) },
    ])
  })

  test.each([
    ['that is not JSON', '{"title":', undefined],
    ['that is empty', '', undefined],
    ['of another type', 'title: x', 'text/yaml'],
    ['that reaches for prototypes', '{"__proto__":{"admin":true}}', undefined],
  ])('a body %s is refused in our words', async (_, body, type) => {
    const yard = shared
    const headers = { 'content-type': type ?? 'application/json' }
    const answer = await yard.ask('/api/v1/tasks', { method: 'POST', body, headers })
    expect([answer.status, ((await answer.json()) as ErrorView).error.code]).toEqual([400, 'API_NOT_JSON'])
  })

  test('a surprise tells a reference only, and the log has the rest under it', async () => {
    const broken = () => {
      throw new Error('the password is hunter2')
    }
    await using yard = await openApiYard({ yard: { lanes: broken } })
    const answer = await yard.ask('/api/v1/health')
    const { error } = (await answer.json()) as ErrorView
    expect([answer.status, error.code]).toEqual([500, 'API_SURPRISE'])
    expect(JSON.stringify(error)).not.toContain('hunter2')
    expect(error.reference).toMatch(/^[0-9a-f]{12}$/)
    expect(yard.surprises).toEqual([expect.objectContaining({ event: 'request.failed', reference: error.reference })])
    expect(String(yard.surprises[0]?.err)).toContain('hunter2')
  })

  test('a client throws what the hub refused, with its code, fix and faults', async () => {
    const yard = shared
    const body = { dir: '/', run: 'true', timeot: '3m' }
    await expect(yard.client.createTask(body as never)).rejects.toMatchObject({
      name: 'YardError',
      code: 'API_BAD_REQUEST',
      status: 400,
      message: 'timeot is not known',
      fix: 'did you mean timeout?',
      values: { faults: [{ path: 'timeot', says: 'is not known', fix: 'did you mean timeout?' }] },
    })
  })
})

describe('its start and stop', () => {
  test('a taken port is answered with another one', async () => {
    await using first = await openApiYard()
    await using second = await openApiYard({ preferredPort: first.port })
    expect(second.port).toBeGreaterThan(0)
    expect(second.port).not.toBe(first.port)
  })

  test('stopping ends streams, frees the port and can be asked for twice', async () => {
    await using yard = await openApiYard()
    const stream = await yard.ask('/api/v1/events')
    const [first] = await Promise.all([yard.api.stop(), stream.text(), yard.api.stop()])
    expect(first).toBeUndefined()
    await expect(connectHttp({ port: yard.port, token: yard.token }).health()).rejects.toMatchObject({
      code: 'CLIENT_HUB_GONE',
    })
    await expect(yard.api.connect().health()).rejects.toMatchObject({ code: 'CLIENT_HUB_GONE' })
  })

  test('stopping while it answers keeps nobody waiting for an idle connection', async () => {
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    let stopped: Promise<void> | undefined
    await using yard = await openApiYard({
      yard: {
        lanes: () => {
          stopped = yard.api.stop()
          isAsked()
          return []
        },
      },
    })
    const answer = yard.client.health()
    await asked
    const startedMs = performance.now()
    expect(await answer).toMatchObject({ lanes: [] })
    await stopped
    expect(performance.now() - startedMs).toBeLessThan(30_000) // an idle one is kept for more than a minute
  })

  test('stopping does not wait for a connection that never sends anything', async () => {
    await using yard = await openApiYard()
    const silent = connect({ host: '127.0.0.1', port: yard.port })
    await once(silent, 'connect')
    const hungUp = once(silent, 'close')
    silent.resume()
    await yard.client.health() // by now the server has taken the silent one, too
    await yard.api.stop()
    await hungUp
  })

  test('what answers on the port but is no hub is told apart', async () => {
    const { createServer } = await import('node:http')
    const server = createServer((_, response) => response.end('<html>hello</html>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await expect(connectHttp({ port, token: 'x' }).health()).rejects.toMatchObject({ code: 'CLIENT_BAD_ANSWER' })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
