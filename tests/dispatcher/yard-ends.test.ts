import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { NewCall, Run, TaskSpec } from '../../src/board/index.ts'
import { type TaskId, taskId } from '../../src/kernel/index.ts'
import { composeRunDirectory, composeRunFiles } from '../../src/runs/index.ts'
import { isAlive } from './hub-process.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

// Every rule of "What decides" with its race. Where two things must meet in one moment the test keeps our own loop from
// turning until the process has done its part: nothing is left to luck.

const agentFile = join(import.meta.dirname, 'fixtures', 'agent.sh')
/** A lane whose exit 0 needs a report, worked by a stand-in that does what its prompt says. */
const agent = {
  self: ['bash', agentFile],
  lanes: { chat: { uses: 'chat', account: null, model: 'm' } },
} as const

const complete: NewCall = { kind: 'complete', code: null, text: 'all of it', data: null, onTask: null }

interface Running {
  readonly id: TaskId
  readonly run: Run
}

/** Adds a task and resolves when its worker has made the file `up`. */
async function begin(yard: Yard, spec: Partial<TaskSpec>): Promise<Running> {
  const id = yard.add(spec)
  await yard.when(id, ({ status }) => status === 'running')
  await appears(yard, 'up')
  const [run] = yard.runs(id)
  if (run === undefined) throw new Error('it has no run')
  return { id, run }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5))
const appears = async (yard: Yard, name: string) => {
  while (!existsSync(join(yard.folder, name))) await turn()
}
const put = (yard: Yard, name: string) => writeFileSync(join(yard.folder, name), '')
const untilGo = 'touch up; while [ ! -e go ]; do sleep 0.01; done'

/** Waits for the death of a shim without letting our loop see it. */
function holdLoopUntilDead({ pid }: Run): void {
  while (isAlive(pid ?? 0)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}

/** After its end, wherever the task went. */
const ended = (yard: Yard, { id }: Running) => yard.when(id, ({ status }) => status !== 'running')
const runOf = (yard: Yard, { run }: Running) => yard.board.readRun(run.id)

describe('1. our own hard stop', () => {
  test('decides when it reached the process, whatever the process says afterwards', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: "trap 'touch heard; exit 0' TERM; touch up; while :; do sleep 0.01; done" })
    yard.board.stopTask(one.id, 'enough', actor)
    await ended(yard, one)
    expect(runOf(yard, one)).toMatchObject({ outcome: 'stopped', stopDelivered: true, exitCode: 0 })
  })

  test('a process that finished just before our signal is judged by its own end, and a done task stays done', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: untilGo })
    put(yard, 'go')
    holdLoopUntilDead(one.run)
    yard.board.cancelTask(one.id, actor)
    expect(await ended(yard, one)).toMatchObject({ status: 'done', failures: 0 })
    const run = runOf(yard, one)
    expect(run).toMatchObject({ outcome: 'done', exitCode: 0, stopDelivered: false })
    // Where the loop had just looked it sees the death first, and then there is nothing left to stop.
    const noted = run?.stop === null ? '' : '. It had already ended when this reached it: cancelled by ana'
    expect(run?.reason).toBe(`exit code 0${noted}`)
  })

  test('one that failed just before our signal is failed, but the wish stands: it does not go back', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: `${untilGo}; exit 3`, attempts: 5 })
    put(yard, 'go')
    holdLoopUntilDead(one.run)
    yard.board.stopTask(one.id, 'wrong branch', actor)
    expect(await ended(yard, one)).toMatchObject({ status: 'blocked', holdCode: 'stopped', failures: 1, runs: 1 })
    expect(runOf(yard, one)).toMatchObject({ outcome: 'failed', exitCode: 3, stopDelivered: false })
  })

  test('after it the attempt may not say any more how it ends, and is told why', async () => {
    await using yard = await startYard({ graceMs: 60_000 })
    const wait = 'touch heard; while [ ! -e go ]; do sleep 0.01; done; exit 0'
    const one = await begin(yard, { run: `trap '${wait}' TERM; touch up; while :; do sleep 0.01; done` })
    yard.board.cancelTask(one.id, actor)
    await appears(yard, 'heard')
    const { id: run, fence } = one.run
    expect(yard.board.recordCall({ run, fence }, complete)).toMatchObject({
      kind: 'stopping',
      stop: { kind: 'cancel', by: 'ana' },
    })
    put(yard, 'go')
    expect((await ended(yard, one)).status).toBe('cancelled')
    expect(runOf(yard, one)).toMatchObject({ outcome: 'cancelled', call: null })
  })
})

describe('2. the terminal call', () => {
  test('decides whatever the code is: complete, then a crash', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: `${untilGo}; kill -9 $$` })
    yard.board.recordCall({ run: one.run.id, fence: one.run.fence }, complete)
    put(yard, 'go')
    expect(await ended(yard, one)).toMatchObject({ status: 'done', failures: 0 })
    expect(runOf(yard, one)).toMatchObject({ outcome: 'done', signal: 'SIGKILL', result: 'all of it' })
    expect(runOf(yard, one)?.reason).toBe('it said that it is done. After that it ended with SIGKILL')
  })

  test('C3: one that lingers after its call is ended with the whole tree, which decides nothing; until then nothing else starts', async () => {
    await using yard = await startYard({ lingerMs: 150, graceMs: 100 })
    const other = yard.add({ run: 'true' })
    await yard.over(other)
    const body = `trap '' TERM; echo $YARDMASTER_RUN >> trace; [ "$YARDMASTER_RUN" != R2 ] && exit 0
      (trap '' TERM; sleep 300) & echo $! > child; touch up; while :; do sleep 0.01; done`
    const one = await begin(yard, { run: body })
    const child = Number(readFileSync(join(yard.folder, 'child'), 'utf8'))
    // Its task is to start again at once: what it waits for is done.
    yard.board.recordCall(
      { run: one.run.id, fence: one.run.fence },
      { kind: 'wait', code: null, text: '', data: null, onTask: other },
    )
    const next = await yard.seen('run.claimed', { task: one.id })
    expect(isAlive(child) || isAlive(one.run.pid ?? 0)).toBe(false)
    expect(next.run).not.toBe(one.run.id)
    expect(await yard.over(one.id)).toMatchObject({ status: 'done', runs: 2, failures: 0 })
    expect(runOf(yard, one)).toMatchObject({
      outcome: 'blocked',
      rung: 'KILL',
      stopDelivered: true,
      stop: { kind: 'linger', by: 'dispatcher' },
    })
    expect(readFileSync(join(yard.folder, 'trace'), 'utf8')).toBe('R2\nR3\n')
  })

  test('a cancel that comes after the call ends what lingers, and the done task stays done', async () => {
    await using yard = await startYard({ lingerMs: 60_000 })
    const one = await begin(yard, { run: 'touch up; sleep 300' })
    yard.board.recordCall({ run: one.run.id, fence: one.run.fence }, complete)
    yard.board.cancelTask(one.id, actor)
    expect((await ended(yard, one)).status).toBe('done')
    expect(runOf(yard, one)).toMatchObject({ outcome: 'done', stop: { kind: 'cancel' }, stopDelivered: true })
    expect(runOf(yard, one)?.reason).toMatch(/^it said that it is done\. After that .*SIGTERM\. Then cancelled by ana$/)
  })

  test('one that arrives when the process is dead, and before its end was looked at, still counts', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: `${untilGo}; exit 4`, attempts: 5 })
    put(yard, 'go')
    holdLoopUntilDead(one.run)
    const caller = { run: one.run.id, fence: one.run.fence }
    expect(yard.board.recordCall(caller, complete)).toEqual({ kind: 'recorded' })
    expect((await ended(yard, one)).status).toBe('done')
    expect(yard.board.recordCall(caller, complete)).toEqual({ kind: 'over', phase: 'settled' })
    expect(runOf(yard, one)).toMatchObject({ outcome: 'done', exitCode: 4, lateCalls: 1 })
  })

  test('completing while the yard is being shut down is completed, not cut', async () => {
    const yard = await startYard({ graceMs: 60_000 })
    const heard = 'touch heard; while [ ! -e go ]; do sleep 0.01; done; exit 143'
    const one = await begin(yard, { run: `trap '${heard}' TERM; touch up; while :; do sleep 0.01; done` })
    const stopped = yard.dispatcher.stop({ workers: 'end' })
    await appears(yard, 'heard')
    expect(yard.board.recordCall({ run: one.run.id, fence: one.run.fence }, complete)).toEqual({ kind: 'recorded' })
    put(yard, 'go')
    await stopped
    expect(yard.task(one.id)).toMatchObject({ status: 'done', failures: 0 })
    expect(runOf(yard, one)).toMatchObject({ outcome: 'done', signal: 'SIGTERM', stop: { kind: 'shutdown' } })
    await yard[Symbol.asyncDispose]()
  })

  test.each<{ call: NewCall; expected: object }>([
    {
      call: { ...complete, kind: 'block', code: 'needs_input', text: 'Redis or in memory?' },
      expected: { status: 'blocked', holdCode: 'needs_input', holdText: 'Redis or in memory?', failures: 0 },
    },
    {
      call: { ...complete, kind: 'review', text: 'look at auth.ts' },
      expected: { status: 'review', holdText: 'look at auth.ts', failures: 0 },
    },
    {
      call: { ...complete, kind: 'wait', text: 'its schema', onTask: taskId(1) },
      expected: { status: 'todo', openNeeds: 1, failures: 0 },
    },
  ])('leaves the task where it says, whatever the code: $call.kind', async ({ call, expected }) => {
    await using yard = await startYard()
    yard.add({ run: 'true' }, { draft: true })
    const one = await begin(yard, { run: `${untilGo}; exit 9` })
    yard.board.recordCall({ run: one.run.id, fence: one.run.fence }, call)
    put(yard, 'go')
    expect(await ended(yard, one)).toMatchObject(expected)
  })
})

describe('3. the report', () => {
  /** An agent that leaves this report and ends so. */
  const reports = async (yard: Yard, fields: string, end: string) => {
    const id = yard.add({ prompt: `do: report '${fields}'; ${end}`, attempts: 1 }, { lane: 'chat' })
    const task = await yard.over(id)
    return [task, yard.runs(id)[0]] as const
  }

  test('does not raise a crash: it said completed, and was killed', async () => {
    await using yard = await startYard(agent)
    const [task, run] = await reports(yard, '"status":"completed","result":"fine"', 'kill -9 $$')
    expect([task.status, run?.outcome, run?.signal]).toEqual(['failed', 'killed', 'SIGKILL'])
    expect(run?.reason).toContain('Its report says completed')
  })

  test('lowers what the code says', async () => {
    await using yard = await startYard(agent)
    const [task, run] = await reports(yard, '"status":"failed","message":"no such file"', 'exit 0')
    expect([task.status, run?.outcome, run?.exitCode]).toEqual(['failed', 'failed', 0])
    expect(run?.reason).toBe('its report says failed: no such file')
  })

  test('settles what is done when only the board could not be told, and the work is not repeated', async () => {
    await using yard = await startYard(agent)
    const fields = '"status":"completed","result":"fine","delivery":"board_unreachable"'
    const [task, run] = await reports(yard, fields, 'exit 75')
    expect(task).toMatchObject({ status: 'done', runs: 1 })
    expect(run).toMatchObject({ outcome: 'done', exitCode: 75, result: 'fine' })
  })
})

describe('4. and 6. what is read of the process', () => {
  test('where wait status and exit record differ the wait status counts, and the difference is noted', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: `${untilGo}; exit 3` })
    put(yard, 'go')
    holdLoopUntilDead(one.run)
    const record = openSync(composeRunFiles(composeRunDirectory(yard.home, one.run.id)).exit, 'r+')
    writeSync(record, '0')
    closeSync(record)
    expect((await ended(yard, one)).status).toBe('failed')
    expect(runOf(yard, one)).toMatchObject({ outcome: 'failed', exitCode: 3 })
    expect(runOf(yard, one)?.reason).toBe('exit code 3. Its exit record says otherwise (exit code 0)')
  })

  test('what it used is kept with its end', async () => {
    await using yard = await startYard()
    const one = await begin(yard, { run: `touch up; i=0; while [ ! -e go ]; do i=$((i+1)); done` })
    while ((yard.dispatcher.sampleOf(one.run.id)?.peakRssBytes ?? 0) === 0) await turn()
    put(yard, 'go')
    await ended(yard, one)
    const run = runOf(yard, one)
    expect(run?.peakRssBytes).toBeGreaterThan(100_000)
    expect(run?.cpuSeconds).toBeGreaterThan(0)
  })
})
