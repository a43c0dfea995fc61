import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Run, TaskSpec } from '../../src/board/index.ts'
import { systemRandom } from '../../src/kernel/index.ts'
import { formatMarker } from '../../src/kernel/process/index.ts'
import { buildHub, isAlive, startHub } from './hub-process.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

beforeAll(buildHub)

/** A container engine's client as we use it: a program that keeps each container as a file, its label in it. */
const engineText = `#!/bin/sh
cd "$(dirname "$0")/containers" || exit 1
echo "$*" >> ../asked
case $1 in
ps) [ "$5 $6" = "--filter label=yardmaster.run" ] && grep -l . * ;;
inspect) shift 5; for id; do echo "$id $(cat "$id")"; done ;;
rm) rm "$3" && echo "$3" ;;
*) exit 64 ;;
esac
`

interface Engine {
  readonly folder: string
  readonly path: string
  /** A container with this label, or without one. */
  add(label: string): string
  left(): readonly string[]
}

function makeEngine(root: string): Engine {
  const folder = join(root, 'engine')
  mkdirSync(join(folder, 'containers'), { recursive: true })
  writeFileSync(join(folder, 'docker'), engineText)
  chmodSync(join(folder, 'docker'), 0o755)
  return {
    folder,
    path: `${folder}:/usr/bin:/bin`,
    add(label) {
      const id = systemRandom.hex(32)
      writeFileSync(join(folder, 'containers', id), label)
      return id
    },
    left: () => readdirSync(join(folder, 'containers')),
  }
}

const makeRoot = () => realpathSync(mkdtempSync(join(tmpdir(), 'yard-containers-')))
const waits = {
  run: 'echo $$ > "new-pid-$YARDMASTER_TASK"; mv "new-pid-$YARDMASTER_TASK" "pid-$YARDMASTER_TASK"; until [ -e leave ]; do sleep 0.02; done',
  rerun: 'ask',
} as const
const markerOf = ({ id, nonce }: Run) => formatMarker(id, nonce)

/** A home with cards whose attempts run under a hub, which is then killed. Their workers live. */
async function leaveRunning(root: string, specs: readonly Partial<TaskSpec>[]): Promise<readonly Run[]> {
  const seeded = await startYard({ home: root })
  await seeded.dispatcher.stop()
  for (const instance of ['first', 'second']) {
    const about = { machine: 'm', host: 'h', pid: 4_121, version: '0', startedBy: 'person' } as const
    seeded.board.recordHubStart({ instance, ...about })
  }
  const ids = specs.map((spec) => seeded.add(spec))
  await seeded.leave()
  const hub = startHub(root, { slots: 8 })
  await hub.up
  const pids = ids.map((id) => join(root, 'work', `pid-T${id}`))
  while (!pids.every((file) => existsSync(file))) await new Promise((resolve) => setTimeout(resolve, 10))
  hub.process.kill('SIGKILL')
  await hub.ended
  const board = await startYard({ home: root, env: { PATH: '/nowhere' } })
  const runs = ids.flatMap((id) => board.runs(id))
  await board.dispatcher.stop()
  await board.leave()
  return runs
}

function killTree({ pid }: Run): void {
  if (pid !== null) process.kill(-pid, 'SIGKILL')
}

const cleared = (yard: Yard) => yard.board.eventsAfter(0, 1_000).filter(({ kind }) => kind === 'run.cleared')

test('C37: the next start removes containers of a dead run, and leaves those without a label and of others alone', async () => {
  const root = makeRoot()
  const engine = makeEngine(root)
  const [dead, alive, keeping] = await leaveRunning(root, [waits, waits, { ...waits, keeps: true }])
  if (dead === undefined || alive === undefined || keeping === undefined) throw new Error('not started')
  killTree(dead)
  killTree(keeping)
  const ofDead = [engine.add(markerOf(dead)), engine.add(`yard:R7:cafe ${markerOf(dead)}`)]
  const others = [
    engine.add(''),
    engine.add(markerOf(alive)),
    engine.add(markerOf(keeping)),
    engine.add(markerOf({ ...dead, nonce: 'beef' })),
    engine.add('yard:R999:cafe'),
    engine.add('nonsense; rm -rf /'),
  ]
  await using yard = await startYard({ home: root, env: { PATH: engine.path } })
  await yard.when(dead.task, ({ status }) => status === 'blocked')
  expect(engine.left().toSorted()).toEqual(others.toSorted())
  expect(
    cleared(yard)
      .map(({ run, data }) => [run, data.container])
      .toSorted(),
  ).toEqual(ofDead.map((id) => [dead.id, id]).toSorted())
  expect(isAlive(alive.pid ?? 0)).toBe(true)
  for (const { task } of [alive]) yard.board.cancelTask(task, actor)
  await yard.over(alive.task)
})

test('an attempt that was cut is repeated only when its containers are gone', async () => {
  const root = makeRoot()
  const engine = makeEngine(root)
  const [dead] = await leaveRunning(root, [{ ...waits, rerun: 'auto' }])
  if (dead === undefined) throw new Error('not started')
  killTree(dead)
  engine.add(markerOf(dead))
  await using yard = await startYard({ home: root, env: { PATH: engine.path } })
  await yard.when(dead.task, ({ status, runs }) => status === 'running' && runs > 1)
  const events = yard.board.eventsAfter(0, 1_000)
  const seqOf = (kind: string, run: number) => events.find((each) => each.kind === kind && each.run === run)?.seq ?? 0
  expect(seqOf('run.cleared', dead.id)).toBeGreaterThan(0)
  expect(seqOf('run.cleared', dead.id)).toBeLessThan(seqOf('run.settled', dead.id))
  yard.board.cancelTask(dead.task, actor)
  await yard.over(dead.task)
})

test.each([
  ['does not answer', 'exit 1'],
  ['answers nonsense', 'echo "not an id"; echo "🎉"'],
])('an engine that %s keeps nothing from going on', async (_what, text) => {
  const root = makeRoot()
  const engine = makeEngine(root)
  writeFileSync(join(engine.folder, 'docker'), `#!/bin/sh\n${text}\n`)
  const [dead] = await leaveRunning(root, [waits])
  if (dead === undefined) throw new Error('not started')
  killTree(dead)
  await using yard = await startYard({ home: root, env: { PATH: engine.path } })
  await yard.when(dead.task, ({ status }) => status === 'blocked')
  expect(cleared(yard)).toEqual([])
})

test('a home that starts for the first time asks no engine', async () => {
  const root = makeRoot()
  const engine = makeEngine(root)
  await using yard = await startYard({ home: root, env: { PATH: engine.path } })
  const id = yard.add({ run: 'true' })
  await yard.over(id)
  expect(existsSync(join(engine.folder, 'asked')) && readFileSync(join(engine.folder, 'asked'), 'utf8')).toBe(false)
})
