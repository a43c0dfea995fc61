import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { openBoard, type TaskSpec } from '../../src/board/index.ts'
import { systemClock, systemRandom, type TaskId } from '../../src/kernel/index.ts'
import { buildHub, type HubProcess, isAlive, startHub } from './hub-process.ts'
import { actor, startYard, type YardOptions } from './start-yard.ts'

beforeAll(buildHub)

/** A home with one task that no hub works yet; `specOf` is told the folder in which it works. */
async function seed(
  specOf: (work: string) => Partial<TaskSpec>,
  options: YardOptions = {},
  lane = 'command',
): Promise<{ readonly root: string; readonly id: TaskId; readonly work: string }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-recovery-')))
  const yard = await startYard({ ...options, home: root })
  await yard.dispatcher.stop()
  const id = yard.add(specOf(yard.folder), { lane })
  await yard.leave()
  return { root, id, work: yard.folder }
}

const appears = async (path: string) => {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function kill(hub: HubProcess): Promise<void> {
  hub.process.kill('SIGKILL')
  expect(await hub.ended).toBe('SIGKILL')
}

/** The board of a home that no hub works on. */
function withBoard<T>(root: string, act: (board: ReturnType<typeof openBoard>) => T): T {
  const board = openBoard({ path: join(root, 'home', 'yard.db'), clock: systemClock, random: systemRandom })
  try {
    return act(board)
  } finally {
    board.close()
  }
}

/** Shim and worker at once, so that nobody is left who could say how it ended. */
function killTree(root: string): void {
  const [run] = withBoard(root, (board) => board.openRuns())
  process.kill(-(run?.pid ?? 0), 'SIGKILL')
}

test('C6: a worker that ends without a report while the hub is away is settled from its exit record before anything is claimed again', async () => {
  const agent = join(import.meta.dirname, 'fixtures', 'agent.sh')
  const options: YardOptions = {
    self: ['bash', agent],
    lanes: { chat: { uses: 'chat', account: null, model: 'm' } },
    retryWaits: { baseMs: 10, capMs: 10 },
  }
  const says = (work: string) => `touch ${work}/up; while [ ! -e ${work}/go ]; do sleep 0.01; done; touch ${work}/over`
  const { root, id, work } = await seed((work) => ({ prompt: `do: ${says(work)}; exit 0` }), options, 'chat')
  const hub = startHub(root, options)
  await appears(join(work, 'up'))
  await kill(hub)
  writeFileSync(join(work, 'go'), '')
  await appears(join(work, 'over'))
  while (isAlive(withBoard(root, (board) => board.openRuns()[0]?.pid ?? 0)))
    await new Promise((resolve) => setTimeout(resolve, 5))

  await using next = await startYard({ ...options, home: root })
  expect(await next.over(id)).toMatchObject({ status: 'failed', holdCode: 'incomplete', runs: 2 })
  expect(next.runs(id)[0]).toMatchObject({ outcome: 'incomplete', exitCode: 0 })
  const told = next.board.eventsAfter(0, 1_000, { task: id }).map(({ kind, run }) => `${kind} ${run}`)
  expect(told.indexOf('run.settled 1')).toBeLessThan(told.indexOf('run.claimed 2'))
  expect(told.filter((one) => one.startsWith('run.exited'))).toEqual(['run.exited 1', 'run.exited 2'])
})

test('C9: what a person closed before recovery came to it is not started again', async () => {
  const { root, id, work } = await seed(() => ({
    run: 'echo begin >> trace; touch up; sleep 300',
    rerun: 'auto',
    attempts: 9,
  }))
  const hub = startHub(root)
  await appears(join(work, 'up'))
  await kill(hub)
  killTree(root)
  withBoard(root, (board) => board.cancelTask(id, actor))

  await using next = await startYard({ home: root })
  expect(await next.over(id)).toMatchObject({ status: 'cancelled', runs: 1 })
  expect(readFileSync(join(work, 'trace'), 'utf8')).toBe('begin\n')
})

test('C18: attempts that a reboot cut, twice in a row, are lost and no failure; they have a cap of their own', async () => {
  const { root, id, work } = await seed(() => ({
    run: 'touch "up-$YARDMASTER_RUN"; sleep 300',
    rerun: 'auto',
    attempts: 1,
  }))
  for (const run of ['R1', 'R2']) {
    const hub = startHub(root)
    await appears(join(work, `up-${run}`))
    await kill(hub)
    killTree(root)
    bootAnew(root)
  }
  await using next = await startYard({ home: root })
  await next.when(id, ({ runs }) => runs === 3)
  expect(next.task(id)).toMatchObject({ status: 'running', failures: 0 })
  expect(next.runs(id).map(({ outcome }) => outcome)).toEqual(['lost', 'lost', null])
  expect(next.board.tally(id)).toMatchObject({ failures: 0, ends: [{ countsToCap: true }, { countsToCap: true }] })
})

/** As a reboot leaves it: every process that is on record is of a boot that is over. */
function bootAnew(root: string): void {
  const db = new Sqlite(join(root, 'home', 'yard.db'))
  db.exec(
    `update run set fingerprint = '00000000-0000-4000-8000-000000000000' || substr(fingerprint, 37) where settled_at_ms is null`,
  )
  db.close()
}

test('what an attempt said of its end is kept when the hub is killed right after: the next one decides by it', async () => {
  const { root, id, work } = await seed(() => ({ run: 'touch up; sleep 300', rerun: 'auto' }))
  const hub = startHub(root)
  await appears(join(work, 'up'))
  await kill(hub)
  const [run] = withBoard(root, (board) => board.openRuns())
  if (run === undefined) throw new Error('it does not run')
  const call = { kind: 'complete', code: null, text: 'all of it', data: null, onTask: null } as const
  withBoard(root, (board) => board.recordCall({ run: run.id, fence: run.fence }, call))
  killTree(root)

  await using next = await startYard({ home: root })
  expect(await next.over(id)).toMatchObject({ status: 'done', runs: 1 })
  expect(next.runs(id)).toMatchObject([{ outcome: 'done', exitCode: null, result: 'all of it' }])
})

test('one that lingers after its call is ended by the next hub, too: the time since its call counts', async () => {
  const { root, id, work } = await seed(() => ({ run: 'touch up; sleep 300', rerun: 'auto' }))
  const hub = startHub(root)
  await appears(join(work, 'up'))
  await kill(hub)
  const [run] = withBoard(root, (board) => board.openRuns())
  if (run === undefined) throw new Error('it does not run')
  const call = { kind: 'review', code: null, text: 'have a look', data: null, onTask: null } as const
  withBoard(root, (board) => board.recordCall({ run: run.id, fence: run.fence }, call))
  await using next = await startYard({ home: root, lingerMs: 100 })
  await next.when(id, ({ status }) => status === 'review')
  expect(next.runs(id)).toMatchObject([{ outcome: 'review', stop: { kind: 'linger' } }])
})
