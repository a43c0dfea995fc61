import { mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { isSettled } from '../../src/board/index.ts'
import { buildHub, isAlive, startHub } from './hub-process.ts'
import { startYard, type Yard, type YardOptions } from './start-yard.ts'

beforeAll(buildHub)

const makeRoot = () => realpathSync(mkdtempSync(join(tmpdir(), 'yard-cases-')))

/** A yard that no hub works, with what `fill` puts on its board. */
async function seed<T>(root: string, options: YardOptions, fill: (yard: Yard) => T): Promise<T> {
  const yard = await startYard({ ...options, home: root })
  await yard.dispatcher.stop()
  const filled = fill(yard)
  await yard.leave()
  return filled
}

const filesOf = (root: string) => readdirSync(join(root, 'work'))
const pidOf = (root: string, name: string) => Number(readFileSync(join(root, 'work', name), 'utf8'))

test('C38: five workers outlive a hub that is killed; the next one has the same attempts and processes, and takes their results', async () => {
  const root = makeRoot()
  const options = { slots: 5 }
  const run =
    'echo $$ > new-$YARDMASTER_RUN; mv new-$YARDMASTER_RUN pid-$YARDMASTER_RUN; while [ ! -e go ]; do sleep 0.02; done; echo fine'
  const ids = await seed(root, options, (yard) => [1, 2, 3, 4, 5].map(() => yard.add({ run })))
  const hub = startHub(root, options)
  const pids = () => filesOf(root).filter((name) => name.startsWith('pid-'))
  await expect.poll(() => pids().length).toBe(5)
  hub.process.kill('SIGKILL')
  await hub.ended
  const before = pids().map((name) => [name, pidOf(root, name)] as const)

  await using next = await startYard({ ...options, home: root })
  for (const id of ids) expect(next.task(id)).toMatchObject({ status: 'running', runs: 1, failures: 0 })
  const adopted = next.board.eventsAfter(0, 1_000).filter(({ kind }) => kind === 'run.adopted')
  expect(adopted.map(({ run }) => run).sort()).toEqual([1, 2, 3, 4, 5])
  expect(before.every(([, pid]) => isAlive(pid))).toBe(true)
  writeFileSync(join(root, 'work', 'go'), '')
  for (const id of ids) expect(await next.over(id)).toMatchObject({ status: 'done', runs: 1, failures: 0 })
  expect(ids.flatMap((id) => next.runs(id).map(({ outputTail }) => outputTail))).toEqual(Array(5).fill('fine'))
  expect(pids().map((name) => [name, pidOf(root, name)])).toEqual(before)
})

test('C41: after a reboot the next worker starts at once, and each task that does not start says why', async () => {
  const root = makeRoot()
  const options: YardOptions = { slots: 2, lanes: { ours: { uses: 'command', command: ['/no/such/agent'] } } }
  const cut =
    'echo $$ > new-pid-$YARDMASTER_TASK; mv new-pid-$YARDMASTER_TASK pid-$YARDMASTER_TASK; while [ ! -e rebooted ]; do sleep 0.02; done'
  const [again, asks, plain, broken, draft] = await seed(root, options, (yard) => [
    yard.add({ run: cut, rerun: 'auto' }),
    yard.add({ run: cut, rerun: 'ask' }),
    yard.add({ run: 'true' }),
    yard.add({ prompt: 'Do it.' }, { lane: 'ours' }),
    yard.add({ run: 'true' }, { draft: true }),
  ])
  if (again === undefined || asks === undefined || plain === undefined || broken === undefined || draft === undefined) {
    throw new Error('not created')
  }
  const hub = startHub(root, options)
  await expect
    .poll(() => filesOf(root).filter((name) => name.startsWith('pid-') && pidOf(root, name) > 0).length)
    .toBe(2)
  hub.process.kill('SIGKILL')
  await hub.ended
  for (const name of [`pid-T${again}`, `pid-T${asks}`]) process.kill(groupOf(pidOf(root, name)), 'SIGKILL')
  // What a reboot leaves: claims of another boot, whose pids and times may be anybody's.
  const db = new Sqlite(join(root, 'home', 'yard.db'))
  db.exec(`update run set fingerprint = '00000000-0000-4000-8000-000000000000' || substr(fingerprint, 37)`)
  db.close()
  writeFileSync(join(root, 'work', 'rebooted'), '')

  // Nothing waits for the slow look at everything: there is none before the test is over.
  await using next = await startYard({ ...options, home: root, pollEveryMs: 3_600_000 })
  for (const id of [plain, again]) expect((await next.over(id)).status).toBe('done')
  expect(next.runs(again).map(({ outcome }) => outcome)).toEqual(['lost', 'done'])
  expect(await next.over(asks)).toMatchObject({ status: 'blocked', holdCode: 'lost', runs: 1 })
  const waiting = [broken, draft, asks].filter((id) => !isSettled(next.task(id).status))
  const why = waiting.map((id) => next.board.explainTask(id, 'up'))
  expect(why.map(({ code }) => code)).toEqual(['paused', 'draft', 'blocked'])
  for (const { says, youCan } of why) {
    expect(says.length).toBeGreaterThan(20)
    expect(youCan.length).toBeGreaterThan(0)
  }
  expect(why[0]?.says).toContain('/no/such/agent')
})

/** As a target of kill: the whole group of a process. */
function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return -Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}
