import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeRunDirectory } from '../../../src/runs/index.ts'
import { isAlive } from '../hub-process.ts'
import { actor, startYard, type Yard } from '../start-yard.ts'

const agent = { agent: { uses: 'command', command: ['bash', '-c', 'cat "$YARDMASTER_RUN_DIR/prompt.md"'] } } as const

const last = (yard: Yard, task: Parameters<Yard['runs']>[0]) => yard.runs(task).at(-1)

describe('a check', () => {
  test('that exits with 0 leaves the task done, and both stages have a log of their own', async () => {
    await using yard = await startYard()
    const task = yard.add({ run: 'echo worked', check: { run: 'echo looked at it' } })

    expect(await yard.over(task)).toMatchObject({ status: 'done', failures: 0 })
    const run = last(yard, task)
    expect(run).toMatchObject({ outcome: 'done', exitCode: 0, stage: 'check', result: 'worked' })
    expect(run?.reason).toBe('exit code 0. Its check passed (echo looked at it)')
    const runDir = composeRunDirectory(yard.home, run?.id ?? (0 as never))
    expect(readFileSync(join(runDir, 'output.log'), 'utf8')).toBe('worked\n')
    expect(readFileSync(join(runDir, 'check', 'output.log'), 'utf8')).toBe('looked at it\n')
    expect(readFileSync(join(runDir, 'check', 'exit'), 'utf8')).toMatch(/^0\n/)
    expect(yard.board.stagesOf(run?.id ?? (0 as never))).toMatchObject([
      { kind: 'check', command: 'echo looked at it', exitCode: 0 },
    ])
  })

  test('that fails counts as a failure, and what it said is in the prompt of the next attempt', async () => {
    await using yard = await startYard({ lanes: agent })
    const check = { run: '[ -e checked ] && exit 0; touch checked; echo expected 200, got 401; exit 3' }
    const task = yard.add({ prompt: 'mend it', workspace: { kind: 'scratch' }, check, attempts: 2 }, { lane: 'agent' })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const [first, second] = yard.runs(task)
    expect(first).toMatchObject({ outcome: 'check_failed', exitCode: 3, outputTail: 'expected 200, got 401' })
    expect(first?.reason).toContain('exit code 3')
    expect(second?.result).toContain('expected 200, got 401')
  })

  test.each([
    ['75', 'exit 75'],
    ['126', 'exit 126'],
    ['127', 'no-such-program-anywhere'],
    ['a signal', 'kill -KILL $$'],
  ])(
    'that could not say anything (%s) is no failure of the task, and asks a person the second time',
    async (_, run) => {
      await using yard = await startYard()
      const task = yard.add({ run: 'true', attempts: 1, check: { run } })

      expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'check_error', failures: 0 })
      expect(yard.runs(task).map(({ outcome }) => outcome)).toEqual(['check_error', 'check_error'])
    },
  )

  test('that takes longer than it may is ended, and says so', async () => {
    await using yard = await startYard()
    const task = yard.add({ run: 'true', check: { run: 'sleep 60', timeoutMs: 150 } })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'check_error' })
    expect(last(yard, task)?.reason).toContain('timed out')
  })

  test('starts when the tree of the work is gone, and ends what it leaves itself', async () => {
    await using yard = await startYard()
    const task = yard.add({
      run: "setsid sh -c 'echo $$ > left; exec sleep 60' & while [ ! -s left ]; do sleep 0.01; done",
      // A zombie that nobody reaps has no command any more.
      check: { run: '! grep -q sleep "/proc/$(cat left)/cmdline" && (setsid sleep 61 & echo $! > server)' },
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const server = readFileSync(join(yard.folder, 'server'), 'utf8').trim()
    expect(isAlive(Number(server))).toBe(false)
  })

  test('leaves alone what the task may keep', async () => {
    await using yard = await startYard()
    const task = yard.add({
      run: "setsid sh -c 'echo $$ > kept; exec sleep 60' & while [ ! -s kept ]; do sleep 0.01; done",
      keeps: true,
      check: { run: 'test -e "/proc/$(cat kept)"' },
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const pid = Number(readFileSync(join(yard.folder, 'kept'), 'utf8'))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  test('gets matrix values, and neither token nor secret of the account nor the place of a report', async () => {
    await using yard = await startYard({
      lanes: { agent: { ...agent.agent, account: 'paid', passEnv: ['SHOP_*'] } },
      accounts: { paid: { baseUrl: null, key: { env: 'SHOP_KEY' }, slots: null } },
      env: { SHOP_KEY: 'sk-1234567890', SHOP_NAME: 'corner' },
    })
    const check = {
      run: 'env; ! env | grep -qE "^(SHOP_KEY|YARDMASTER_API_KEY|YARDMASTER_REPORT)=" && ! [ -e /proc/self/fd/3 ]',
    }
    const task = yard.add(
      { prompt: 'p', workspace: { kind: 'scratch' }, matrix: { f: 'a b.ts' }, check },
      { lane: 'agent' },
    )

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const log = readFileSync(
      join(composeRunDirectory(yard.home, last(yard, task)?.id ?? (0 as never)), 'check', 'output.log'),
      'utf8',
    )
    expect(log).toContain('f=a b.ts')
    expect(log).toContain('SHOP_NAME=corner')
    expect(log).toContain('YARDMASTER_SLOT=')
  })

  test('does not run after work that failed', async () => {
    await using yard = await startYard()
    const task = yard.add({ run: 'exit 1', check: { run: 'touch checked' } })

    expect(await yard.over(task)).toMatchObject({ status: 'failed', holdCode: 'failed' })
    expect(existsSync(join(yard.folder, 'checked'))).toBe(false)
  })

  test('can be stopped by a person', async () => {
    await using yard = await startYard()
    const task = yard.add({ run: 'true', check: { run: 'echo began; sleep 60' } })
    await yard.seen('run.stage', { task })

    yard.board.stopTask(task, 'not now', actor)

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'stopped' })
    expect(last(yard, task)).toMatchObject({ outcome: 'stopped' })
  })

  test('is adopted by the next hub, which goes on with its end', async () => {
    const first = await startYard()
    const task = first.add({ run: 'true', check: { run: 'while [ ! -e go ]; do sleep 0.01; done' } })
    await first.seen('run.stage', { task })
    await first.leave()

    await using next = await startYard({ home: join(first.home, '..') })
    expect(next.task(task).status).toBe('running')
    writeFileSync(join(next.folder, 'go'), '')

    expect(await next.over(task)).toMatchObject({ status: 'done' })
    expect(next.runs(task)).toHaveLength(1)
  })

  test('stands before a review: what does not pass is not shown to anybody', async () => {
    await using yard = await startYard()
    const good = yard.add({ run: 'true', check: { run: 'true' }, review: 'person' })
    const bad = yard.add({ run: 'true', check: { run: 'false' }, review: 'person' })

    expect(await yard.when(good, ({ status }) => status === 'review')).toMatchObject({ status: 'review' })
    expect(await yard.over(bad)).toMatchObject({ status: 'failed', holdCode: 'check_failed' })
    yard.board.approveTask(good, null, actor)
    expect(yard.task(good).status).toBe('done')
  })
})
