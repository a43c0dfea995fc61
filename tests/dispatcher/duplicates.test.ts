import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TaskId } from '../../src/kernel/index.ts'
import { isAlive } from './hub-process.ts'
import { liveWorkers, sayPid, watchMost } from './live-workers.ts'
import { actor, startYard, wake, type Yard } from './start-yard.ts'

const stubborn = `trap '' TERM; ${sayPid}; touch up; while :; do sleep 0.02; done`
const appears = async (yard: Yard, name: string) => {
  while (!existsSync(join(yard.folder, name))) await new Promise((resolve) => setTimeout(resolve, 5))
}
const begun = async (yard: Yard, id: TaskId) => {
  await yard.when(id, ({ status }) => status === 'running')
  await appears(yard, 'up')
  const run = yard.task(id).openRun
  if (run === null) throw new Error('it does not run')
  return run
}

describe('no task has two live workers', () => {
  test('C1: a running card is moved by nobody: each act is refused with the live attempt named', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: stubborn })
    const run = await begun(yard, id)
    const { board } = yard
    const acts = {
      block: () => board.blockTask(id, 'no', actor),
      unblock: () => board.unblockTask(id, actor),
      ready: () => board.readyTask(id, actor),
      retry: () => board.retryTask(id, null, actor),
      answer: () => board.answerTask(id, 'yes', actor),
      approve: () => board.approveTask(id, null, actor),
      reject: () => board.rejectTask(id, 'no', actor),
      edit: () => board.editTask(id, { priority: 1 }, actor),
      'edit of its needs': () => board.editTask(id, { addNeeds: [{ task: id, when: 'done' }] }, actor),
    }
    const refused = Object.entries(acts).map(([name, act]) => {
      try {
        act()
        return [name, 'taken', '']
      } catch (fault) {
        const { code, message } = fault as { code: string; message: string }
        return [name, code, message]
      }
    })
    expect(refused.filter(([, code]) => code !== 'BOARD_TASK_RUNNING')).toEqual([])
    expect(refused.filter(([, , message]) => !message?.includes(`attempt R${run} runs`))).toEqual([])
    expect(yard.task(id)).toMatchObject({ status: 'running', openRun: run })
  })

  test('C1: stopping or cancelling it ends the whole tree before the card moves, and another start comes after that', async () => {
    await using yard = await startYard({ graceMs: 60 })
    const id = yard.add({ run: stubborn })
    await begun(yard, id)
    const most = watchMost(yard, () => liveWorkers(yard).length)
    yard.board.stopTask(id, null, actor)
    await yard.over(id)
    expect(liveWorkers(yard)).toEqual([])
    yard.board.retryTask(id, null, actor)
    await yard.when(id, ({ status, runs }) => status === 'running' && runs === 2)
    while (liveWorkers(yard).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    yard.board.cancelTask(id, actor)
    expect((await yard.over(id)).status).toBe('cancelled')
    expect(liveWorkers(yard)).toEqual([])
    expect(most()).toBe(1)
  })

  test('C5: what outstays its time is asked, killed and seen dead before it starts again: live workers never outnumber running tasks', async () => {
    await using yard = await startYard({ graceMs: 60, slots: 3 })
    const tooMany = watchMost(yard, () => liveWorkers(yard).length - (yard.board.counts().running ?? 0))
    const ids = [1, 2, 3].map(() => yard.add({ run: stubborn, timeoutMs: 2_000, attempts: 2 }))
    for (const id of ids) {
      expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'timed_out', runs: 2 })
      for (const run of yard.runs(id)) expect(run).toMatchObject({ outcome: 'timed_out', rung: 'KILL' })
    }
    expect(tooMany()).toBeLessThanOrEqual(0)
    expect(readFileSync(join(yard.folder, 'pids'), 'utf8').trim().split('\n')).toHaveLength(6)
  })

  test('C7: a worker that blocks its own loop is judged by its process, not by its silence: one attempt, its result is taken', async () => {
    await using yard = await startYard()
    const busy = 'const end = Date.now() + 3_000; while (Date.now() < end); console.log("busy is not stuck")'
    const id = yard.add({ run: [process.execPath, '-e', busy], stallMs: 1_500 })
    expect(await yard.over(id)).toMatchObject({ status: 'done', runs: 1 })
    expect(yard.runs(id)).toMatchObject([{ outcome: 'done', outputTail: 'busy is not stuck', stop: null }])
  })

  test('C11: a worker that is killed from outside frees its card at once, without a tick, a lease or a hand', async () => {
    await using yard = await startYard({ pollEveryMs: 3_600_000 })
    const id = yard.add({ run: `${sayPid}; [ -e up ] && exit 0; touch up; sleep 300`, attempts: 2 })
    const run = await begun(yard, id)
    const [worker = 0] = liveWorkers(yard)
    process.kill(worker, 'SIGKILL')
    expect(await yard.over(id)).toMatchObject({ status: 'done', failures: 0, runs: 2, openRun: null })
    expect(yard.board.readRun(run)).toMatchObject({ outcome: 'killed', signal: 'SIGKILL', phase: 'settled' })
    const alone = yard.add({ run: 'kill -9 $$', attempts: 1 })
    expect(await yard.over(alone)).toMatchObject({ status: 'failed', holdCode: 'killed', openRun: null })
  })
})

describe('what counts, and what does not', () => {
  test('C17: signs of life never postpone the time limit, and the age of the last output stays to be seen', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: 'echo asking the model; touch up; exec sleep 300', timeoutMs: 4_000, attempts: 1 })
    const run = await begun(yard, id)
    const fence = yard.board.readRun(run)?.fence ?? 0
    const alive = setInterval(() => yard.board.recordHeartbeat({ run, fence }), 20)
    let lastOutputMs = 0
    let lastSignMs = 0
    while (yard.task(id).status === 'running') {
      lastOutputMs = yard.dispatcher.sampleOf(run)?.lastOutputAtMs ?? lastOutputMs
      lastSignMs = yard.board.readRun(run)?.heartbeatAtMs ?? lastSignMs
      await new Promise((resolve) => setImmediate(resolve))
    }
    clearInterval(alive)
    expect(yard.task(id)).toMatchObject({ status: 'failed', holdCode: 'timed_out' })
    expect(yard.board.readRun(run)).toMatchObject({ outcome: 'timed_out', stop: { kind: 'timeout' } })
    expect(lastSignMs - lastOutputMs).toBeGreaterThan(500)
  })

  test('C13: there is no lease to lose: one that gives signs of life and one that gives none run equally long', async () => {
    await using yard = await startYard()
    const ids = ['talks', 'silent'].map((name) =>
      yard.add({ run: `touch ${name}; while [ ! -e go ]; do sleep 0.02; done` }),
    )
    for (const name of ['talks', 'silent']) await appears(yard, name)
    const [talks] = yard.board.openRuns()
    if (talks === undefined) throw new Error('it does not run')
    for (let sign = 0; sign < 50; sign += 1) yard.board.recordHeartbeat({ run: talks.id, fence: talks.fence })
    await wake(yard, 50)
    expect(yard.board.openRuns().map(({ phase, stop }) => [phase, stop])).toEqual([
      ['started', null],
      ['started', null],
    ])
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(yard.folder, 'go'), '')
    for (const id of ids) expect(await yard.over(id)).toMatchObject({ status: 'done', runs: 1 })
  })

  test('C61: ends without a report are counted, whatever a script does after each of them: two, and the task is failed', async () => {
    const agent = {
      self: ['bash', '-c', 'exit 0'],
      lanes: { chat: { uses: 'chat', account: null, model: 'm' } },
    } as const
    await using yard = await startYard({ ...agent, retryWaits: { baseMs: 60_000, capMs: 60_000 } })
    const { board } = yard
    const over = new AbortController()
    const id = yard.add({ prompt: 'Do it.', attempts: 5 }, { lane: 'chat' })
    board.onEvents(over.signal, (events) => {
      if (!events.some(({ kind }) => kind === 'task.requeued')) return
      board.comment(id, 'again', actor)
      for (const act of [
        () => board.readyTask(id, actor),
        () => board.unblockTask(id, actor),
        () => board.editTask(id, { priority: 9 }, actor),
      ]) {
        try {
          act()
        } catch {
          // Refused, which is as good.
        }
      }
      board.retryTask(id, null, actor)
    })
    expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'incomplete', runs: 2 })
    over.abort()
    expect(yard.runs(id).map(({ outcome }) => outcome)).toEqual(['incomplete', 'incomplete'])
  })

  test('C64: a task that kills its worker each time is a crash loop: failed at the third, whatever its attempts, counted once and never retried', async () => {
    await using yard = await startYard()
    const before = yard.board.counts().failed
    const id = yard.add({ run: 'kill -9 $$', attempts: 50 })
    expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'crash_loop', runs: 3 })
    expect(yard.board.counts().failed).toBe(before + 1)
    await wake(yard, 20)
    expect(yard.task(id)).toMatchObject({ status: 'failed', runs: 3 })
    expect(isAlive(yard.runs(id).at(-1)?.pid ?? 0)).toBe(false)
  })
})
