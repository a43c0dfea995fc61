import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemRandom, type TaskId } from '../../src/kernel/index.ts'
import { type BatchPoint, batchPoints } from '../house/torture/crash-plans.ts'
import { buildHub, startHub } from './hub-process.ts'
import { actor, exitRule, startYard, type Yard, type YardOptions } from './start-yard.ts'

/** How a hub is brought to die there, or which suite does it because this loop does not come by. */
type Plan =
  | { readonly hits: number; readonly before?: BatchPoint; readonly without?: 'walled' }
  | 'the product (tests/house/torture)'

const elsewhere = 'the product (tests/house/torture)'

/** A row for each point that a batch comes by. A new one without a row does not compile, and fails here. */
const plans: Readonly<Record<BatchPoint, Plan>> = {
  'hub.locked': elsewhere,
  'hub.recorded': elsewhere,
  'queue.written': elsewhere,
  'queue.committed': elsewhere,
  'batch.committed': elsewhere,
  'claim.committed': { hits: 2 },
  'run.directory': { hits: 3 },
  'shim.spawned': { hits: 3 },
  'identity.committed': { hits: 2 },
  'gate.opened': { hits: 3 },
  'log.cut': elsewhere,
  'stop.committed': { hits: 1 },
  'rung.committed': { hits: 1 },
  'ladder.term': { hits: 1 },
  'ladder.kill': { hits: 1 },
  'exit.seen': { hits: 3 },
  'exit.committed': { hits: 2 },
  'tree.swept': { hits: 2 },
  'settle.committed': { hits: 2 },
  'account.closed': { hits: 1 },
  'batch.ended': { hits: 1, without: 'walled' },
  'adopt.done': { hits: 1, before: 'gate.opened' },
}

const options: YardOptions = {
  slots: 3,
  graceMs: 100,
  lanes: {
    paid: { uses: 'command', account: 'openai', exits: [exitRule('wall', { code: [9] })] },
  },
  accounts: { openai: { baseUrl: null, key: 'none', slots: null } },
}

/** Each leaves a line when it begins and one when it ends, with its attempt: a repeat cannot hide. */
const traced = (body: string) =>
  `f="trace-$YARDMASTER_TASK"; echo "begin $YARDMASTER_RUN" >> "$f"; ${body}; echo "end $YARDMASTER_RUN" >> "$f"`

interface Seeded {
  readonly root: string
  readonly work: readonly TaskId[]
  readonly stubborn: TaskId
  /** Waits a minute for its account, or until somebody resumes it. */
  readonly walled: TaskId | undefined
}

async function seed(without?: 'walled'): Promise<Seeded> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-crash-')))
  const yard = await startYard({ ...options, home: root })
  await yard.dispatcher.stop()
  const spec = (title: string, run: string, more = {}) => ({ title, dir: yard.folder, run, ...more })
  const row = (rowKey: string, run: string, more = {}, lane = 'command') => ({
    rowKey,
    lane,
    spec: spec(rowKey, run, more),
  })
  yard.board.submitBatch(
    {
      board: 'main',
      batch: {
        name: 'crash',
        key: 'crash',
        digest: '',
        file: null,
        limits: { onWall: 'wait' },
        defaults: { rerun: 'auto' },
        mode: 'auto',
        redo: [],
        tasks: [
          row('stubborn', traced("trap '' TERM; while :; do sleep 0.02; done"), { timeoutMs: 1_000 }),
          ...(without === 'walled' ? [] : [row('walled', traced('[ "$(wc -l < "$f")" -ge 2 ] || exit 9'), {}, 'paid')]),
          ...['a', 'b', 'c', 'd'].map((key) => row(key, traced('sleep 0.02'))),
        ],
      },
    },
    actor,
  )
  const rows = yard.board.listTasks({}, { limit: 99 }).rows
  const [stubborn] = rows.map(({ id }) => id)
  if (stubborn === undefined) throw new Error('not created')
  await yard.leave()
  const walled = rows.find(({ lane }) => lane === 'paid')?.id
  return { root, stubborn, walled, work: rows.map(({ id }) => id).filter((id) => id !== stubborn && id !== walled) }
}

beforeAll(buildHub)

test('every crash point that a batch comes by has a row', () => {
  expect(Object.keys(plans).sort()).toEqual([...batchPoints].sort())
})

describe('a hub that is killed', () => {
  const own = batchPoints.flatMap((point) => {
    const plan = plans[point]
    return typeof plan === 'string' ? [] : [[point, plan] as const]
  })

  test.each(own)('at %s loses nothing and repeats nothing that is done', async (point, { before, hits, without }) => {
    const seeded = await seed(without)
    if (before !== undefined) await dieAt(seeded.root, before)
    await dieAt(seeded.root, `${point}:${1 + Math.floor(systemRandom.fraction() * hits)}`)
    await using yard = await startYard({ ...options, home: seeded.root })
    await expectTruth(yard, seeded)
  })
})

async function dieAt(root: string, crashAt: string): Promise<void> {
  const hub = startHub(root, options, crashAt)
  expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
}

async function expectTruth(yard: Yard, { work, stubborn, walled }: Seeded): Promise<void> {
  for (const id of work) expect(await yard.over(id)).toMatchObject({ status: 'done', failures: 0 })
  expect(await yard.over(stubborn)).toMatchObject({ status: 'failed', holdCode: 'timed_out' })
  if (walled !== undefined) {
    await yard.when(walled, ({ status, runs }) => runs > 0 && status !== 'running')
    yard.board.liftHold('account', 'openai', actor)
    expect(await yard.over(walled)).toMatchObject({ status: 'done', failures: 0 })
  }
  for (const id of walled === undefined ? work : [...work, walled]) {
    const lines = readFileSync(join(yard.folder, `trace-T${id}`), 'utf8')
      .trim()
      .split('\n')
    expect(lines.filter((line) => line.startsWith('end'))).toHaveLength(1)
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines.at(-1)).toMatch(/^end/)
    for (const run of yard.runs(id)) expect(run).toMatchObject({ phase: 'settled' })
    const done = yard.runs(id).filter(({ outcome }) => outcome === 'done')
    expect(lines.at(-1)).toBe(`end R${done[0]?.id}`)
    expect(done).toHaveLength(1)
  }
  const exits = yard.board.eventsAfter(0, 10_000).filter(({ kind }) => kind === 'run.exited')
  expect(new Set(exits.map(({ run }) => run)).size).toBe(exits.length)
  expect(yard.board.openRuns()).toEqual([])
  expect(existsSync(yard.home) && processesOf(yard.home)).toEqual([])
}

/** Processes that carry a run directory of this home. */
function processesOf(home: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`YARDMASTER_RUN_DIR=${home}/`)
    } catch {
      return false // ended meanwhile
    }
  })
}
