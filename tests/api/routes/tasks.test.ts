// biome-ignore-all lint/suspicious/noTemplateCurlyInString: titles that look like code are the point
import { describe, expect, test } from 'vitest'
import type { EditTaskBody, ErrorView, NewTaskBody } from '../../../src/api/contract/index.ts'
import { taskId } from '../../../src/kernel/index.ts'
import { workspacesError } from '../../../src/workspaces/index.ts'
import { endRun, openApiYard, startRun } from '../open-yard.ts'

const card: NewTaskBody = { dir: '/srv/shop', run: 'npm test' }

describe('a new card', () => {
  test('comes back as it was made, with who made it', async () => {
    await using yard = await openApiYard()
    const body: NewTaskBody = {
      ...card,
      title: 'Test the shop',
      board: 'shop',
      priority: 3,
      labels: ['night'],
      draft: true,
    }
    const { task, created } = await yard.client.createTask(body)
    expect(created).toBe(true)
    expect(task).toMatchObject({
      id: 1,
      board: 'shop',
      batch: null,
      title: 'Test the shop',
      kind: 'run',
      lane: 'claude',
      status: 'triage',
      priority: 3,
      labels: ['night'],
      attempts: 1,
      runs: 0,
      last_run: null,
      created_by: 'Zoë',
    })
    expect(Date.parse(task.created_at)).toBeGreaterThan(Date.parse('2025-01-01'))
    expect(await yard.client.task(1)).toMatchObject({ ...task, run: 'npm test', prompt: null, dir: '/srv/shop' })
  })

  test.each([
    ['a command without a lane', card, 'command'],
    ['a command with a lane', { ...card, lane: 'tests' }, 'tests'],
    ['a prompt without a lane', { dir: '/x', prompt: 'Fix it' }, 'chat'],
    ['a prompt on a board that has a lane', { dir: '/x', prompt: 'Fix it', board: 'shop' }, 'claude'],
    ['a prompt with a lane on such a board', { dir: '/x', prompt: 'Fix it', board: 'shop', lane: 'chat' }, 'chat'],
  ])('%s goes to the lane that fits', async (_, body, lane) => {
    await using yard = await openApiYard()
    expect((await yard.client.createTask(body)).task.lane).toBe(lane)
  })

  test.each([
    ['C187: a lane that nobody has', { lane: 'tets' }, 'API_UNKNOWN_LANE', 'did you mean tests?'],
    ['an agent lane for a command', { lane: 'chat' }, 'API_LANE_DOES_NOT_FIT', 'leave lane out'],
  ])('%s is refused, and nothing is made', async (_, lane, code, fix) => {
    await using yard = await openApiYard()
    const refused = yard.client.createTask({ ...card, ...lane })
    await expect(refused).rejects.toMatchObject({ code, status: 400, fix: expect.stringContaining(fix) })
    expect((await yard.client.listTasks({})).rows).toEqual([])
    expect(await yard.client.eventsPage(0, 10)).toEqual([])
  })

  test('a lane of commands without a program of its own takes no prompt', async () => {
    await using yard = await openApiYard()
    const refused = yard.client.createTask({ dir: '/x', prompt: 'Fix it', lane: 'tests' })
    await expect(refused).rejects.toMatchObject({ code: 'API_LANE_DOES_NOT_FIT' })
  })

  test('C137: a misspelt field is refused and nothing is made', async () => {
    await using yard = await openApiYard()
    const answer = await yard.ask('/api/v1/tasks', {
      method: 'POST',
      body: { ...card, start_aftr: '07:30', takes: ['x'] },
    })
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as ErrorView
    expect(error.faults).toEqual([
      { path: 'start_aftr', says: 'is not known', fix: 'did you mean start_after?' },
      { path: 'takes', says: 'is not available yet', fix: expect.any(String) },
    ])
    expect((await yard.client.listTasks({})).rows).toEqual([])
  })

  test('a folder where it may not work is refused with the reason of the part that knows', async () => {
    const path = '/srv/gone'
    const error = workspacesError('WORKSPACES_FOLDER_MISSING', { path })
    await using yard = await openApiYard({ yard: { refuseFolder: ({ dir }) => (dir === path ? error : undefined) } })
    await expect(yard.client.createTask({ ...card, dir: path })).rejects.toMatchObject({
      code: 'WORKSPACES_FOLDER_MISSING',
      message: 'the folder /srv/gone does not exist',
    })
  })

  test.each([
    ['Fix\nthe\tlogin', 'Fix the login'],
    ['--rm -rf', '--rm -rf'],
    ['$(reboot) `id` ${HOME}', '$(reboot) `id` ${HOME}'],
    ['x'.repeat(500), 'x'.repeat(500)],
    ['👩‍👩‍👧 تحديث', '👩‍👩‍👧 تحديث'],
  ])('the title %j is kept as %j', async (title, kept) => {
    await using yard = await openApiYard()
    expect((await yard.client.createTask({ ...card, title })).task.title).toBe(kept)
  })

  test('nor may it be sent there later', async () => {
    const asked: unknown[] = []
    const error = workspacesError('WORKSPACES_IN_HOME', { path: '/srv', home: '/srv' })
    await using yard = await openApiYard({
      yard: {
        refuseFolder(folder) {
          asked.push(folder)
          return folder.workspace.kind === 'dir' ? error : undefined
        },
      },
    })
    const { task } = await yard.client.createTask({ run: 'true', dir: '/tmp' })
    await expect(yard.client.editTask(task.id, { workspace: { dir: '/srv' } })).rejects.toMatchObject({
      code: error.code,
    })
    expect(asked.at(-1)).toEqual({
      kind: 'run',
      workspace: { kind: 'dir', path: '/srv', shared: false },
      dir: '/tmp',
    })
    expect(yard.board.readSpec(taskId(task.id))?.workspace).toBeUndefined()
    expect(await yard.client.editTask(task.id, { workspace: 'scratch', title: 'new' })).toMatchObject({ title: 'new' })
  })

  test('C179: a prompt of 3 MB comes back unchanged', async () => {
    await using yard = await openApiYard()
    const prompt = `${'é🧵\n'.repeat(500_000)}end`
    const { task } = await yard.client.createTask({ dir: '/x', prompt, title: 'long' })
    expect((await yard.client.task(task.id)).prompt).toBe(prompt)
  })

  test('C135 C136: a key says whether the card was made or was there, and is free again once that one is settled', async () => {
    await using yard = await openApiYard()
    const first = await yard.client.createTask({ ...card, key: 'nightly' })
    const second = await yard.ask('/api/v1/tasks', { method: 'POST', body: { ...card, key: 'nightly' } })
    expect(second.status).toBe(200)
    expect(await second.json()).toMatchObject({ created: false, task: { id: first.task.id, status: 'ready' } })
    await yard.client.act(first.task.id, 'cancel')
    const third = await yard.client.createTask({ ...card, key: 'nightly' })
    expect(third).toMatchObject({ created: true, task: { id: 2 } })
  })

  test('start_after holds it until then', async () => {
    await using yard = await openApiYard()
    const { task } = await yard.client.createTask({ ...card, start_after: '2099-01-01T07:30Z' })
    expect(task.not_before).toBe('2099-01-01T07:30:00.000Z')
    expect(await yard.client.why(task.id)).toMatchObject({ task: task.id, code: 'later', until: task.not_before })
  })
})

describe('an edit', () => {
  test('changes what it names and nothing else', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...card, title: 'old', timeout: '5m', memory: '1.5GiB', log_limit: '1MB' })
    await yard.client.editTask(1, { title: 'new', priority: 4, lane: 'tests', attempts: 3 })
    expect(await yard.client.task(1)).toMatchObject({
      title: 'new',
      priority: 4,
      lane: 'tests',
      attempts: 3,
      run: 'npm test',
    })
    expect(await yard.client.settings(1)).toEqual(
      expect.arrayContaining([
        { field: 'timeout', value: '5m', from: 'task' },
        { field: 'memory', value: '1536MiB', from: 'task' },
        { field: 'log_limit', value: '1000000B', from: 'task' },
        { field: 'attempts', value: 3, from: 'task' },
        { field: 'grace', value: '10s', from: 'built in' },
        { field: 'workspace', value: 'here', from: 'built in' },
      ]),
    )
  })

  test('shows variables in its settings, but not the values of those that are named like secrets', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...card, env: { STAGE: 'blue', DB_PASSWORD: 'two words' } })
    expect(await yard.client.settings(1)).toEqual(
      expect.arrayContaining([{ field: 'env', value: { STAGE: 'blue', DB_PASSWORD: '[secret]' }, from: 'task' }]),
    )
  })

  test.each<[string, EditTaskBody, string]>([
    ['an unknown lane', { lane: 'nobody' }, 'API_UNKNOWN_LANE'],
    ['a prompt for a command', { prompt: 'x' }, 'API_BAD_REQUEST'],
    ['a title without letters', { title: '\u0007' }, 'API_BAD_REQUEST'],
    ['a relative folder', { workspace: { dir: 'src' } }, 'API_BAD_REQUEST'],
    ['a day that is in no calendar', { start_after: '2026-02-30' }, 'API_BAD_REQUEST'],
    ['a log of which too little is kept', { log_limit: '1KiB' }, 'API_BAD_REQUEST'],
    ['less memory than any program takes', { memory: '4MiB' }, 'API_BAD_REQUEST'],
    ['more memory than a number can say', { memory: '999999999TiB' }, 'API_BAD_REQUEST'],
  ])('with %s is refused and changes nothing', async (_, body, code) => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    const before = await yard.client.task(1)
    await expect(yard.client.editTask(1, body)).rejects.toMatchObject({ code, status: 400 })
    expect(await yard.client.task(1)).toEqual(before)
  })
})

describe('acts on a card', () => {
  test('block, unblock, comment and cancel are done and recorded with who did them', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    expect(await yard.client.act(1, 'block', 'needs a decision')).toMatchObject({
      status: 'blocked',
      hold: { text: expect.stringContaining('needs a decision'), by: 'Zoë' },
    })
    expect(await yard.client.act(1, 'unblock')).toMatchObject({ status: 'ready', hold: null })
    await yard.client.act(1, 'comment', 'look at the clock')
    expect((await yard.client.task(1)).comments).toMatchObject([{ by: 'Zoë', text: 'look at the clock' }])
    expect(await yard.client.act(1, 'cancel')).toMatchObject({ status: 'cancelled' })
  })

  test.each(['block', 'comment'] as const)('%s without a word is refused', async (verb) => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    for (const text of [undefined, '', ' \n']) {
      await expect(yard.client.act(1, verb, text)).rejects.toMatchObject({ code: 'API_BAD_REQUEST' })
    }
  })

  test('what the table of moves forbids is refused with the reason of the board', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    await expect(yard.client.act(1, 'retry')).rejects.toMatchObject({ code: 'BOARD_MOVE_REFUSED', status: 409 })
  })

  test.each(['stop', 'cancel', 'block', 'retry'] as const)(
    'without a hub, %s of a card that may be running is refused, and says what helps',
    async (verb) => {
      await using yard = await openApiYard({ dispatcher: 'none' })
      await yard.client.createTask(card)
      startRun(yard)
      await expect(yard.client.act(1, verb, 'why')).rejects.toMatchObject({
        code: 'API_RUN_MAY_BE_ALIVE',
        message: 'R1 may be alive, and no hub is up that could end it',
        fix: 'start `yardmaster up`, it will adopt it',
      })
      expect(await yard.client.task(1)).toMatchObject({ status: 'running', wish: null })
      expect((await yard.client.act(1, 'comment', 'still there?')).status).toBe('running')
    },
  )

  test('with a hub, stop of a running card is a wish until its process has ended', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    startRun(yard)
    expect(await yard.client.act(1, 'stop')).toMatchObject({ status: 'running', wish: 'stop', open_run: 1 })
  })
})

describe('a list', () => {
  test('comes in pages that together are the whole, in the order in which cards start (C130)', async () => {
    await using yard = await openApiYard()
    for (let n = 0; n < 25; n += 1) await yard.client.createTask({ ...card, title: `n${n}`, priority: (n % 3) - 1 })
    const seen: string[] = []
    for (let after: string | undefined, pages = 0; ; pages += 1) {
      const page = await yard.client.listTasks({ limit: 10, ...(after === undefined ? {} : { after }) })
      seen.push(...page.rows.map(({ title }) => title))
      if (page.next === null) {
        expect(pages).toBe(2)
        break
      }
      after = page.next
    }
    const numbers = Array.from({ length: 25 }, (_, n) => n)
    const expected = [2, 1, 0].flatMap((level) => numbers.filter((n) => n % 3 === level).map((n) => `n${n}`))
    expect(seen).toEqual(expected)
  })

  test('is narrowed by board, status, lane, label and key', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...card, title: 'a', board: 'shop', labels: ['night'], key: 'k' })
    await yard.client.createTask({ ...card, title: 'b', lane: 'tests', draft: true })
    const titles = async (query: Parameters<typeof yard.client.listTasks>[0]) =>
      (await yard.client.listTasks(query)).rows.map(({ title }) => title)
    expect(await titles({ board: 'shop' })).toEqual(['a'])
    expect(await titles({ status: 'triage,done' })).toEqual(['b'])
    expect(await titles({ lane: 'tests' })).toEqual(['b'])
    expect(await titles({ label: 'night' })).toEqual(['a'])
    expect(await titles({ key: 'k' })).toEqual(['a'])
    await expect(titles({ status: 'redy' })).rejects.toMatchObject({ fix: 'did you mean ready?' })
  })
})

describe('an attempt', () => {
  test('is told with what it used and how it ended; the board renders a tail of invalid bytes (C109)', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    const running = startRun(yard)
    expect(await yard.client.run(1)).toMatchObject({
      id: 1,
      task: 1,
      attempt: 1,
      phase: 'started',
      outcome: null,
      live: null,
    })
    endRun(yard, running, '\\x00\\xff\\xc3')
    const run = await yard.client.run(1)
    expect(run).toMatchObject({ phase: 'settled', outcome: 'done', exit_code: 0, output_tail: '\\x00\\xff\\xc3' })
    expect(run.dir).toBe(running.dir)
    expect(JSON.stringify(run)).not.toContain(running.run.nonce)
    const { result, data, change, stages, counts, compactions, refusal, ...listed } = run
    expect([result, data, change, stages, counts, compactions, refusal]).toEqual([null, null, null, [], {}, 0, null])
    expect(await yard.client.task(1)).toMatchObject({ status: 'done', runs: 1, last_run: listed, all_runs: [run] })
  })
})
