import { describe, expect, test } from 'vitest'
import type { NewBatchBody } from '../../../src/api/contract/index.ts'
import { endRun, openApiYard, startRun } from '../open-yard.ts'

type BatchRow = NewBatchBody['tasks'][number]

const batch = (overrides: Partial<NewBatchBody> = {}): NewBatchBody => ({
  name: 'night',
  digest: 'sha-1',
  file: '/srv/shop/night.yaml',
  dir: '/srv/shop',
  limits: {},
  defaults: {},
  tasks: [
    { key: 'build', run: 'npm ci', title: 'Build' },
    {
      key: 'lint[a.ts]',
      run: ['npx', 'eslint', 'a.ts'],
      needs: [{ task: 'build', when: 'done' }],
      matrix: { file: 'a.ts' },
    },
    { key: 'summary', prompt: 'Sum up', needs: [{ task: 'lint[a.ts]', when: 'always' }] },
  ],
  mode: 'auto',
  redo: [],
  ...overrides,
})

describe('a submitted batch', () => {
  test('is a row with its limits and its cards, each in its lane', async () => {
    await using yard = await openApiYard()
    const limits = { slots: 2, halt: '20%', first: 1, on_wall: 'stop', stop_at: '2099-01-01T07:30Z' } as const
    const answer = await yard.client.submitBatch(
      batch({ limits, defaults: { lane: 'claude', labels: ['n'], priority: 2 } }),
    )
    expect(answer).toMatchObject({
      how: 'created',
      changed_done: [],
      batch: {
        id: 1,
        name: 'night',
        file: '/srv/shop/night.yaml',
        limits: { slots: 2, halt: '20%', first: 1, on_wall: 'stop', stop_at: '2099-01-01T07:30:00.000Z' },
        counts: { total: 3, by_status: { ready: 1, todo: 2 }, archived: {} },
        verdict: null,
      },
    })
    const { rows } = await yard.client.listTasks({ batch: 1 })
    expect(rows.map(({ key, lane, labels, priority }) => [key, lane, labels, priority])).toEqual([
      ['build', 'claude', ['n'], 2],
      ['lint[a.ts]', 'claude', ['n'], 2],
      ['summary', 'claude', ['n'], 2],
    ])
  })

  test('an agent lane in its defaults is for prompts only', async () => {
    await using yard = await openApiYard()
    await yard.client.submitBatch(batch({ defaults: { lane: 'chat' } }))
    const { rows } = await yard.client.listTasks({ batch: 1 })
    expect(rows.map(({ lane }) => lane)).toEqual(['command', 'command', 'chat'])
  })

  test('a timeout ends it that long after it was submitted', async () => {
    await using yard = await openApiYard()
    const before = Date.now()
    const answer = await yard.client.submitBatch(batch({ limits: { timeout: '5h', stop_at: '2099-01-01' } }))
    const stopAt = Date.parse(answer.batch.limits.stop_at ?? '')
    expect(stopAt - before).toBeGreaterThanOrEqual(5 * 3_600_000)
    expect(stopAt - Date.now()).toBeLessThanOrEqual(5 * 3_600_000)
  })

  test.each<[string, Partial<NewBatchBody>, string, string]>([
    [
      'an unknown lane in a row',
      {
        tasks: [
          { key: 'a', run: 'x' },
          { key: 'b', run: 'x', lane: 'tets' },
        ],
      },
      'API_UNKNOWN_LANE',
      'tasks[1]',
    ],
    ['an unknown lane in its defaults', { defaults: { lane: 'chatt' } }, 'API_UNKNOWN_LANE', 'chatt'],
    [
      'a time that has passed',
      { limits: { stop_at: '2020-01-01' } },
      'API_BAD_REQUEST',
      'limits.stop_at says 2020-01-01, which has passed',
    ],
    [
      'a cycle',
      {
        tasks: [
          { key: 'a', run: 'x', needs: [{ task: 'b', when: 'done' }] },
          { key: 'b', run: 'x', needs: [{ task: 'a', when: 'done' }] },
        ],
      },
      'BOARD_NEED_CYCLE',
      'a',
    ],
    [
      'a need that is no row of it',
      { tasks: [{ key: 'a', run: 'x', needs: [{ task: 'bild', when: 'done' }] }] },
      'BOARD_UNKNOWN_ROW',
      'bild',
    ],
    [
      'the same key twice',
      {
        tasks: [
          { key: 'a', run: 'x' },
          { key: 'a', run: 'y' },
        ],
      },
      'BOARD_ROW_KEY_TWICE',
      'a',
    ],
  ])('with %s is refused and nothing is made', async (_, overrides, code, says) => {
    await using yard = await openApiYard()
    await expect(yard.client.submitBatch(batch(overrides))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
    expect((await yard.client.batches()).rows).toEqual([])
    expect((await yard.client.listTasks({})).rows).toEqual([])
  })

  test('is found by number and by name, and cancelled as a whole', async () => {
    await using yard = await openApiYard()
    const { batch: made } = await yard.client.submitBatch(batch())
    expect(await yard.client.batch(1)).toEqual(made)
    expect(await yard.client.batch('night')).toEqual(made)
    expect(await yard.client.cancelBatch('night', 'not needed')).toMatchObject({ cut: { by: 'cancelled' } })
    const { rows } = await yard.client.listTasks({ batch: 1 })
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['cancelled']))
  })

  test('without a hub, cancelling one with a card that may be running is refused', async () => {
    await using yard = await openApiYard({ dispatcher: 'none' })
    await yard.client.submitBatch(batch())
    startRun(yard)
    await expect(yard.client.cancelBatch(1)).rejects.toMatchObject({ code: 'API_RUN_MAY_BE_ALIVE' })
  })

  test('a thousand rows are one request', async () => {
    await using yard = await openApiYard()
    const tasks = Array.from({ length: 1_000 }, (_, n) => ({ key: `k${n}`, run: 'true' }))
    const { batch: made } = await yard.client.submitBatch(batch({ tasks }))
    expect(made.counts.total).toBe(1_000)
  })
})

describe('the report of a batch', () => {
  test('says of each card what its own page says', async () => {
    await using yard = await openApiYard()
    const [build, lint, summary] = batch().tasks as [BatchRow, BatchRow, BatchRow]
    const tasks = [build, { ...lint, attempts: 5 }, { ...summary, priority: 3 }]
    await yard.client.submitBatch(batch({ tasks, defaults: { attempts: 3 } }))
    const run = startRun(yard)
    endRun(yard, run, 'built')
    startRun(yard)
    const report = await yard.client.batchReport('1')
    expect(report.tasks.map(({ attempts }) => attempts)).toEqual([3, 5, 3])
    for (const { why, needs, all_runs, ...row } of report.tasks) {
      const { prompt, run, dir, children, comments, attachments, ...card } = await yard.client.task(row.id)
      expect({ ...row, all_runs }).toEqual({ ...card, needs: undefined })
      expect(needs).toEqual(card.needs.map(({ task, when }) => ({ task, when })))
      expect(why).toEqual(row.status === 'done' ? null : await yard.client.why(row.id))
      const settings = await yard.client.settings(row.id)
      expect(settings).toContainEqual(expect.objectContaining({ field: 'attempts', value: row.attempts }))
    }
    const { rows } = await yard.client.listTasks({ batch: 1, status: 'done' })
    expect(rows).toMatchObject([{ attempts: 3, last_run: { output_tail: 'built', result_tail: null } }])
    expect(rows[0]?.last_run).not.toHaveProperty('result')
  })

  test('has every card in the order of the file, with needs, attempts and why it waits', async () => {
    await using yard = await openApiYard()
    const tasks = [...batch().tasks].map((task, index) => ({ ...task, priority: index }))
    await yard.client.submitBatch(batch({ tasks }))
    yard.board.record({ kind: 'hub.started', text: 'hub started' }, { by: 'hub' })
    endRun(yard, startRun(yard))
    const report = await yard.client.batchReport('night')
    expect(report.tasks.map(({ key, status }) => [key, status])).toEqual([
      ['build', 'done'],
      ['lint[a.ts]', 'ready'],
      ['summary', 'todo'],
    ])
    expect(report.tasks[0]).toMatchObject({ why: null, all_runs: [{ outcome: 'done' }], needs: [] })
    expect(report.tasks[2]).toMatchObject({
      why: { code: 'need_open' },
      needs: [{ task: 2, when: 'always' }],
      all_runs: [],
    })
    expect(report.yard).toEqual([{ at: expect.any(String), text: 'hub started' }])
    expect(report.accounts_held).toEqual([])
  })

  test('of many cards is of one moment, and others are served while it is put together', async () => {
    await using yard = await openApiYard()
    const tasks = Array.from({ length: 1_200 }, (_, n) => ({ key: `n[${n}]`, run: `npm test ${n}` }))
    await yard.client.submitBatch(batch({ tasks }))
    let reports = 0
    const asking = Promise.all([1, 2].map(() => yard.client.batchReport('1').finally(() => (reports += 1))))
    // From the last card to the first, so that a report which goes on with what is there by then would be torn.
    let changed = 0
    for (let id = 1_200; reports < 2 && id > 0; id -= 1, changed += 1) {
      await yard.client.act(id, 'cancel')
    }
    expect(changed).toBeGreaterThan(3)
    for (const report of await asking) {
      const statuses = report.tasks.map(({ status }) => status)
      expect(report.tasks.map(({ id }) => id)).toEqual(Array.from({ length: 1_200 }, (_, at) => at + 1))
      expect(report.batch.counts.by_status.cancelled ?? 0).toBe(statuses.filter((one) => one === 'cancelled').length)
      expect(report.batch.counts.by_status.ready).toBe(statuses.filter((one) => one === 'ready').length)
    }
  })

  test('tells when an account was held, once from its closing to its opening', async () => {
    await using yard = await openApiYard()
    const prompt = { key: 'a', prompt: 'x', lane: 'chat' }
    await yard.client.submitBatch(batch({ tasks: [prompt] }))
    const { run } = startRun(yard)
    const untilMs = Date.now() + 60_000
    yard.board.closeGate({ account: 'openai', untilMs, reason: 'rate limit', byRun: run.id, doublings: 0 })
    yard.board.closeGate({ account: 'openai', untilMs, reason: 'rate limit', byRun: run.id, doublings: 1 })
    expect((await yard.client.batchReport(1)).accounts_held).toMatchObject([{ account: 'openai', to: null }])
    yard.board.openGate('openai', 'served', { by: 'dispatcher' })
    const { accounts_held: held } = await yard.client.batchReport(1)
    expect(held).toEqual([
      { account: 'openai', from: expect.any(String), to: expect.any(String), reason: expect.any(String) },
    ])
  })
})
