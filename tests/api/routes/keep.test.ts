import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endRun, openApiYard, startRun } from '../open-yard.ts'

describe('release of a task despite an attempt', () => {
  const task = { title: 'a task', run: 'true', dir: '/tmp' }

  test.each([
    ['alive', 'API_RUN_ALIVE', 'yardmaster stop T1'],
    ['ending', 'API_RUN_NOT_HELD', 'yardmaster why T1'],
    ['over', 'API_NOT_ITS_ATTEMPT', 'yardmaster why T1'],
  ] as const)('is refused for one that is %s, with what to do instead', async (answer, code, fix) => {
    await using yard = await openApiYard({ release: () => answer })
    await yard.client.createTask(task)
    const { run } = startRun(yard)
    await expect(yard.client.release(1, run.id)).rejects.toMatchObject({ code, fix: expect.stringContaining(fix) })
    expect(yard.board.readRun(run.id)?.phase).toBe('started')
  })

  test('is refused where it is not the open attempt of that task, which is named', async () => {
    await using yard = await openApiYard({ release: () => 'released' })
    await yard.client.createTask(task)
    await yard.client.createTask(task)
    const { run } = startRun(yard)
    await expect(yard.client.release(2, run.id)).rejects.toMatchObject({
      code: 'API_NOT_ITS_ATTEMPT',
      message: `T2 has no open attempt, so R${run.id} keeps it from nothing`,
    })
    await expect(yard.client.release(1, 99)).rejects.toMatchObject({
      message: `the open attempt of T1 is R${run.id}, not R99`,
    })
  })

  test('is refused while no hub is up that could tell whether it lives', async () => {
    await using yard = await openApiYard({ dispatcher: 'none' })
    await yard.client.createTask(task)
    const { run } = startRun(yard)
    await expect(yard.client.release(1, run.id)).rejects.toMatchObject({ code: 'API_RUN_MAY_BE_ALIVE' })
  })

  test('lets the task go, in the name of who said so, and `why` of a held one names it beforehand', async () => {
    await using yard = await openApiYard({
      release: (id, actor, board) => {
        const { fence } = board.readRun(id) ?? { fence: 0 }
        const move = { to: 'back', notBeforeMs: null, code: 'released', text: 'let go' } as const
        board.releaseRun({ run: id, fence, move, failures: 0, countsToCap: false }, actor)
        return 'released'
      },
    })
    await yard.client.createTask(task)
    const { run } = startRun(yard)
    expect(await yard.client.why(1)).toMatchObject({
      code: 'held',
      you_can: expect.arrayContaining([`yardmaster release T1 --despite R${run.id}`]),
    })
    expect(await yard.client.task(1)).toMatchObject({ status: 'running', last_run: { held: true } })
    expect((await yard.client.why(1)).says).toBe(
      `T1 is held: it cannot be told whether its attempt R${run.id} is still alive`,
    )
    expect(await yard.client.release(1, run.id)).toMatchObject({
      status: 'ready',
      last_run: { outcome: 'unknown', released_by: 'Zoë', held: false },
    })
  })
})

test('`why` of a held attempt whose end is on record tells that end, and that what it started may be alive', async () => {
  await using yard = await openApiYard({ release: () => 'ending' })
  await yard.client.createTask({ title: 'a task', run: 'true', dir: '/tmp' })
  const { run } = startRun(yard)
  const nothing = { signal: null, outputTail: null, result: null, data: null, usage: null, stopDelivered: false }
  yard.board.recordExited([
    { run: run.id, fence: run.fence, outcome: 'done', exitCode: 0, reason: 'exit 0', ...nothing },
  ])
  expect(await yard.client.why(1)).toMatchObject({
    code: 'held',
    says: `T1 is held: its attempt R${run.id} has ended (done), but it cannot be told whether something that it started is still alive`,
    you_can: expect.arrayContaining([`yardmaster release T1 --despite R${run.id}`]),
  })
})

test('a log that was removed after its time is said to be, by show, log and log -f alike', async () => {
  await using yard = await openApiYard()
  await yard.client.createTask({ title: 'a task', run: 'true', dir: '/tmp' })
  const started = startRun(yard)
  endRun(yard, started, 'last words')
  yard.board.recordPruned([started.run.id])
  expect(await yard.client.run(started.run.id)).toMatchObject({
    pruned_at: expect.stringMatching(/^20/),
    output_tail: 'last words',
  })
  const gone = {
    code: 'API_LOG_PRUNED',
    status: 410,
    message: expect.stringContaining('R1 are not kept any more'),
    fix: expect.stringContaining('yardmaster show R1'),
  }
  await expect(yard.client.log(started.run.id)).rejects.toMatchObject(gone)
  const follow = async () => {
    for await (const piece of yard.client.followLog(started.run.id, 0, AbortSignal.timeout(60_000))) return piece
    return undefined
  }
  await expect(follow()).rejects.toMatchObject(gone)
})

test('backups that are asked for in one moment each get a name and are each whole', async () => {
  await using yard = await openApiYard()
  await yard.client.createTask({ run: 'true', dir: '/tmp' })
  const made = await Promise.all([1, 2, 3, 4].map(() => yard.client.backup()))
  expect(new Set(made.map(({ file }) => file)).size).toBe(4)
  for (const { file, bytes } of made) {
    expect(statSync(file).size).toBe(bytes)
    expect(bytes).toBeGreaterThan(0)
  }
})
