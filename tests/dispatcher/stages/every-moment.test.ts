import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LaneConfig } from '../../../src/kernel/config/index.ts'
import type { TaskId } from '../../../src/kernel/index.ts'
import { actor, startYard, type Yard, type YardOptions } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

const lane = (script: string): Partial<LaneConfig> => ({ uses: 'command', command: ['bash', '-euc', script] })
const options: YardOptions = {
  graceMs: 100,
  env: { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  lanes: { author: lane('echo b >> a.txt'), reviewer: lane('sleep 0.1; echo "verdict: approve"') },
}

/** Of an attempt with a setup and a check, and of its review: the n-th event of that kind. */
const moments: readonly (readonly [string, number])[] = [
  ['run.claimed', 1],
  ['run.stage', 1], // the setup has begun
  ['run.stage', 2],
  ['run.started', 1],
  ['run.changed', 1],
  ['run.stage', 3], // the check has begun
  ['run.exited', 1],
  ['run.settled', 1],
  ['run.claimed', 2],
  ['run.started', 2],
  ['run.exited', 2],
]

describe.each(moments)('at %s (%i)', (kind, nth) => {
  test('a task that is cancelled ends, holds nothing any more, and leaves its repository whole', async () => {
    const { yard, repo, task } = await begin(kind, nth)
    await using _ = yard
    yard.board.cancelTask(task, actor)

    const { status } = await yard.when(task, ({ openRun, status: now }) => openRun === null && now !== 'ready')
    expect(['cancelled', 'done']).toContain(status)
    expectWhole(yard, repo)
  })

  test('a yard that is ended goes on in the next one, and its task is done', async () => {
    const { yard, repo, task } = await begin(kind, nth)
    await yard.dispatcher.stop({ workers: 'end' })
    await yard.leave()

    await using next = await startYard({ ...options, home: join(yard.home, '..') })
    expect(await next.over(task)).toMatchObject({ status: 'done', failures: 0 })
    expectWhole(next, repo)
  })
})

async function begin(kind: string, nth: number): Promise<{ yard: Yard; repo: Repository; task: TaskId }> {
  const yard = await startYard(options)
  const repo = makeRepository(join(yard.folder, 'shop'), { 'a.txt': 'a\n', '.gitignore': 'ready\n' })
  const over = new AbortController()
  let seen = 0
  const met = new Promise<void>((resolve) => {
    yard.board.onEvents(over.signal, (events) => {
      seen += events.filter((event) => event.kind === kind).length
      if (seen >= nth) resolve()
    })
  })
  const task = yard.add(
    {
      prompt: 'mend it',
      rerun: 'auto',
      workspace: repo.workspace({ setup: { run: 'touch ready' } }),
      check: { run: 'sleep 0.1; [ -e ready ]; echo litter > litter' },
      expect: 'change',
      review: { lane: 'reviewer' },
    },
    { lane: 'author' },
  )
  await met
  over.abort()
  return { yard, repo, task }
}

function expectWhole({ board }: Yard, repo: Repository): void {
  expect(board.openRuns()).toEqual([])
  const branches = repo.git('branch', '--list', 'yard/*', '--format=%(refname)').split('\n')
  expect(branches.length).toBeLessThanOrEqual(1)
  repo.git('fsck', '--strict', '--no-dangling')
}
