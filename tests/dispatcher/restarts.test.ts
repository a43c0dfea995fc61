import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openBoard, type TaskSpec } from '../../src/board/index.ts'
import { systemClock, systemRandom } from '../../src/kernel/index.ts'
import { buildHub, isAlive, startHub } from './hub-process.ts'
import { actor, startYard, type YardOptions } from './start-yard.ts'

beforeAll(buildHub)

const makeRoot = () => realpathSync(mkdtempSync(join(tmpdir(), 'yard-restart-')))

/** Puts tasks into a store that no hub works on, as the command line does. */
async function seed(root: string, specs: readonly Partial<TaskSpec>[], options: YardOptions = {}) {
  const yard = await startYard({ ...options, home: root })
  await yard.dispatcher.stop()
  const ids = specs.map((spec) => yard.add(spec))
  await yard.leave()
  return ids
}

/** Resolves when the file is there. */
async function appears(path: string): Promise<void> {
  const over = new AbortController()
  await new Promise<void>((resolve) => {
    watch(join(path, '..'), { signal: over.signal }, () => existsSync(path) && resolve())
    if (existsSync(path)) resolve()
  })
  over.abort()
}

test('a hub that is killed leaves its workers alive; the next one adopts them and takes their end, once', async () => {
  const root = makeRoot()
  const run =
    'echo begin >> trace; echo $$ > new-pid; mv new-pid pid; while [ ! -e go ]; do sleep 0.02; done; echo end >> trace; echo fine'
  const [id] = await seed(root, [{ run }])
  const hub = startHub(root)
  await appears(join(root, 'work', 'pid'))
  hub.process.kill('SIGKILL')
  expect(await hub.ended).toBe('SIGKILL')
  const worker = Number(readFileSync(join(root, 'work', 'pid'), 'utf8'))
  expect(isAlive(worker)).toBe(true)

  await using next = await startYard({ home: root })
  if (id === undefined) throw new Error('not created')
  expect(next.task(id).status).toBe('running')
  writeFileSync(join(root, 'work', 'go'), '')
  expect(await next.over(id)).toMatchObject({ status: 'done', runs: 1 })
  expect(readFileSync(join(root, 'work', 'trace'), 'utf8')).toBe('begin\nend\n')
  expect(next.runs(id)).toMatchObject([{ outcome: 'done', exitCode: 0, outputTail: 'fine' }])
  expect(next.board.eventsAfter(0, 1_000).filter(({ kind }) => kind === 'run.exited')).toHaveLength(1)
})

test('what ended while no hub was there is settled from its record, and not repeated', async () => {
  const root = makeRoot()
  const [id] = await seed(root, [
    { run: 'echo begin >> trace; while [ ! -e go ]; do sleep 0.02; done; touch over; exit 3' },
  ])
  const hub = startHub(root)
  await appears(join(root, 'work', 'trace'))
  hub.process.kill('SIGKILL')
  await hub.ended
  writeFileSync(join(root, 'work', 'go'), '')
  await appears(join(root, 'work', 'over'))

  await using next = await startYard({ home: root })
  if (id === undefined) throw new Error('not created')
  expect(await next.over(id)).toMatchObject({ status: 'failed', runs: 1, failures: 1 })
  expect(next.runs(id)).toMatchObject([{ outcome: 'failed', exitCode: 3 }])
})

test('C65: worker and hub killed together, again and again: every attempt is on record, and the limit holds', async () => {
  const root = makeRoot()
  const [id] = await seed(root, [
    { run: 'echo $$ > pid.new; mv pid.new "pid-$YARDMASTER_RUN"; sleep 300', rerun: 'auto' },
  ])
  if (id === undefined) throw new Error('not created')
  for (const attempt of ['R1', 'R2']) {
    const hub = startHub(root)
    await appears(join(root, 'work', `pid-${attempt}`))
    hub.process.kill('SIGKILL')
    await hub.ended
    // The shim leads the group: with it gone, nobody is left who could say how the attempt ended.
    process.kill(-groupOf(Number(readFileSync(join(root, 'work', `pid-${attempt}`), 'utf8'))), 'SIGKILL')
  }
  await using end = await startYard({ home: root })
  expect(await end.over(id)).toMatchObject({ status: 'blocked', holdCode: 'unknown', failures: 0, runs: 2 })
  expect(end.runs(id).map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown'])
})

function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

test('a wish that no hub was there to hear is carried out by the next one', async () => {
  const root = makeRoot()
  const [id] = await seed(root, [{ run: 'echo $$ > new-pid; mv new-pid pid; sleep 300' }])
  if (id === undefined) throw new Error('not created')
  const hub = startHub(root)
  await appears(join(root, 'work', 'pid'))
  hub.process.kill('SIGKILL')
  await hub.ended
  const store = openBoard({ path: join(root, 'home', 'yard.db'), clock: systemClock, random: systemRandom })
  store.cancelTask(id, actor)
  store.close()
  await using next = await startYard({ home: root })
  expect((await next.over(id)).status).toBe('cancelled')
  expect(isAlive(Number(readFileSync(join(root, 'work', 'pid'), 'utf8')))).toBe(false)
})

test('an attempt that goes on is watched, and ended if somebody wished so, before the key of its account is there', async () => {
  const root = makeRoot()
  const answer = join(root, 'answer')
  const ask = `while [ ! -e ${answer} ]; do sleep 0.02; done; echo secret-0123456789`
  const options = {
    lanes: { command: { account: 'slow' } },
    accounts: { slow: { baseUrl: null, slots: null, key: { command: ['sh', '-c', ask] } } },
  }
  writeFileSync(answer, '')
  const run = "trap 'echo bye secret-0123456789; touch heard; exit 1' TERM; touch up; while :; do sleep 0.02; done"
  const [id] = await seed(root, [{ run }], options)
  if (id === undefined) throw new Error('not created')
  const hub = startHub(root, options)
  await appears(join(root, 'work', 'up'))
  hub.process.kill('SIGKILL')
  await hub.ended
  const store = openBoard({ path: join(root, 'home', 'yard.db'), clock: systemClock, random: systemRandom })
  store.stopTask(id, 'enough', actor)
  store.close()
  rmSync(answer)
  const starting = startYard({ ...options, home: root })
  await appears(join(root, 'work', 'heard'))
  writeFileSync(answer, '')
  await using next = await starting
  expect(await next.over(id)).toMatchObject({ status: 'blocked', holdBy: 'ana' })
  const [ended] = next.runs(id)
  expect(ended?.stop).toMatchObject({ kind: 'stop', by: 'ana', text: 'enough' })
  expect(ended?.outputTail).toMatch(/bye /)
  expect(ended?.outputTail).not.toContain('secret-0123456789')
})
