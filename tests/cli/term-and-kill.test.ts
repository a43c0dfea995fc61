import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TaskView } from '../../src/api/contract/index.ts'
import { findHub } from '../../src/main.ts'
import { buildProgram, type Program, startProgram } from './program.ts'

beforeAll(buildProgram)
let cwd: string
let home: string
const type = (...argv: string[]) => startProgram(argv, { home, cwd })
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'yard-term-'))
  home = join(cwd, 'home')
})
afterEach(async () => {
  await type('down', '--now').ended
  rmSync(cwd, { recursive: true })
})

async function up(): Promise<Program> {
  const hub = type('up')
  await hub.says('Hub up')
  return hub
}

async function client() {
  const hub = await findHub(home)
  if (hub === undefined) throw new Error('no hub is up')
  return hub.client
}

const tasks = async (): Promise<readonly TaskView[]> => (await (await client()).listTasks({ limit: 1_000 })).rows
const isOver = ({ status }: TaskView) => ['done', 'failed', 'blocked', 'cancelled'].includes(status)

test('C42: after TERM nothing is claimed, though a slot gets free; every attempt is alive for the next hub, which takes it over', async () => {
  writeFileSync(join(cwd, 'yardmaster.yaml'), 'slots: 3\n')
  const hub = await up()
  const { createTask } = await client()
  const run =
    'echo $$ > new-pid-$YARDMASTER_RUN; mv new-pid-$YARDMASTER_RUN pid-$YARDMASTER_RUN; while [ ! -e go-$YARDMASTER_RUN ] && [ ! -e go ]; do sleep 0.02; done'
  for (let task = 0; task < 6; task += 1) await createTask({ dir: cwd, run })
  const pids = () => readdirSync(cwd).filter((name) => name.startsWith('pid-'))
  await expect.poll(() => pids().length).toBe(3)
  hub.child.kill('SIGTERM')
  writeFileSync(join(cwd, 'go-R1'), '') // its slot is free while the hub leaves
  expect(await hub.ended).toMatchObject({ code: 0, err: expect.stringContaining('the next hub adopts what runs') })
  expect(pids()).toHaveLength(3)
  const alive = (name: string) => existsSync(`/proc/${readFileSync(join(cwd, `pid-${name}`), 'utf8').trim()}`)
  expect([alive('R2'), alive('R3')]).toEqual([true, true])

  await up()
  const adopted = (await (await client()).eventsPage(0, 1_000)).filter(({ kind }) => kind === 'run.adopted')
  expect(adopted.map(({ run }) => run).filter((run) => run !== 1)).toEqual([2, 3])
  writeFileSync(join(cwd, 'go'), '')
  await expect.poll(async () => (await tasks()).every(isOver)).toBe(true)
  expect((await tasks()).map(({ status, runs }) => [status, runs])).toEqual(Array(6).fill(['done', 1]))
})

const trials = 4

test(`C44: TERM and then KILL at a random moment, ${trials} times: every task ends once, and what waited for it starts`, async () => {
  mkdirSync(join(cwd, 'traces'))
  const first = await up()
  const board = await client()
  const run = 'echo $YARDMASTER_RUN >> traces/$YARDMASTER_TASK; sleep 0.1'
  for (let id = 1; id <= 18; id += 1) {
    // Chains of three, side by side.
    const needs = id % 3 === 1 ? [] : [{ task: id - 1, when: 'done' as const }]
    await board.createTask({ dir: cwd, run, needs })
  }
  const moments: number[] = []
  let hub = first
  for (let trial = 0; trial < trials; trial += 1) {
    const moment = randomInt(0, 60)
    moments.push(moment)
    hub.child.kill('SIGTERM')
    await Promise.race([hub.ended, wait(moment)]) // a moment, not a condition: any moment must do
    hub.child.kill('SIGKILL')
    await hub.ended
    hub = await up()
    await wait(randomInt(0, 150))
  }
  const how = `killed ${moments.join(', ')} ms after TERM`
  await expect
    .poll(async () => (await tasks()).filter((task) => !isOver(task)), { interval: 50, message: how })
    .toEqual([])
  expect(
    (await tasks()).map(({ status, failures }) => [status, failures]),
    how,
  ).toEqual(Array(18).fill(['done', 0]))
  const repeated = readdirSync(join(cwd, 'traces')).filter(
    (name) =>
      readFileSync(join(cwd, 'traces', name), 'utf8')
        .trim()
        .split('\n').length !== 1,
  )
  expect(repeated, how).toEqual([])
})
