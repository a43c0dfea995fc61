import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TaskId } from '../../../src/kernel/index.ts'
import { attachmentPath } from '../../../src/runs/attachments/attachment-paths.ts'
import { composeRunDirectory } from '../../../src/runs/index.ts'
import { actor, startYard, type Yard } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

async function startWithRepository(
  options: Parameters<typeof startYard>[0] = {},
  files?: Readonly<Record<string, string>>,
): Promise<{ yard: Yard; repo: Repository }> {
  const yard = await startYard({ env: { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }, ...options })
  return { yard, repo: makeRepository(join(yard.folder, 'shop'), files) }
}

const last = (yard: Yard, task: TaskId) => {
  const run = yard.runs(task).at(-1)
  if (run === undefined) throw new Error('it has never run')
  return run
}
const changeOf = (yard: Yard, task: TaskId) => yard.board.changeOf(last(yard, task).id)

describe('a task in a worktree', () => {
  test('works on a branch of its own, and what it left uncommitted is committed, described and kept as a patch', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({
      title: 'Fix the login',
      run: 'echo b >> a.txt; printf "\\0\\1" > new.bin',
      workspace: repo.workspace(),
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const change = changeOf(yard, task)
    expect(change).toMatchObject({
      repo: repo.path,
      branch: 'yard/t1-fix-the-login',
      baseRef: 'main',
      baseCommit: repo.git('rev-parse', 'main'),
      commits: 1,
      fileCount: 2,
      insertions: 1,
      leftOvers: true,
      outside: [],
    })
    expect(repo.git('rev-parse', 'yard/t1-fix-the-login')).toBe(change?.headCommit)
    expect(repo.git('log', '-1', '--format=%(trailers)', 'yard/t1-fix-the-login')).toBe(
      'Yardmaster-Task: T1\nYardmaster-Run: R1',
    )
    const patch = readFileSync(attachmentPath(yard.home, change?.patch?.sha256 ?? ''), 'latin1')
    expect(patch).toContain('GIT binary patch')
    expect(repo.git('status', '--porcelain')).toBe('')
  })

  test('that fails keeps what it made: the next attempt finds it, and is told so', async () => {
    const lanes = {
      agent: {
        uses: 'command',
        command: [
          'bash',
          '-c',
          'cat $YARDMASTER_RUN_DIR/prompt.md; [ -e half ] || { touch half; exit 1; }; git log --format=%s',
        ],
      },
    } as const
    const { yard, repo } = await startWithRepository({ lanes })
    await using _ = yard
    const task = yard.add(
      { title: 'Twice', prompt: 'do it', workspace: repo.workspace(), attempts: 2 },
      { lane: 'agent' },
    )

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const [first, second] = yard.runs(task)
    expect(first?.outcome).toBe('failed')
    expect(yard.board.changeOf(first?.id ?? (0 as never))).toMatchObject({ fileCount: 1, leftOvers: true })
    expect(second?.result).toContain('branch yard/t1-twice')
    expect(second?.result).toContain('Earlier attempts')
  })

  test('that may not start is blocked, with why, and has cost no attempt', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const nowhere = yard.add({ run: 'true', workspace: { kind: 'worktree', repo: join(yard.folder, 'nowhere') } })
    const noRef = yard.add({ run: 'true', workspace: repo.workspace({ ref: 'vanished' }) })

    expect(await yard.over(nowhere)).toMatchObject({ status: 'blocked', holdCode: 'launch_failed', failures: 0 })
    expect(await yard.over(noRef)).toMatchObject({ status: 'blocked', holdCode: 'launch_failed', failures: 0 })
    expect(yard.task(noRef).holdText).toContain('vanished')
  })

  test('C88: ten of one repository that start in the same moment all get one, and leave no stray branch or lock', async () => {
    const { yard, repo } = await startWithRepository({ slots: 10 })
    await using _ = yard
    const tasks = Array.from({ length: 10 }, (_, n) =>
      yard.add({ title: `Part ${n}`, run: `echo ${n} > part-${n}`, workspace: repo.workspace() }),
    )

    for (const task of tasks) expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(repo.git('branch', '--list', 'yard/*', '--format=%(refname)').split('\n')).toHaveLength(10)
    const locks = repo.git('ls-files', '--others', '--', '.git')
    expect(locks).toBe('')
    expect(findLocks(join(repo.path, '.git'))).toEqual([])
    repo.git('fsck', '--strict', '--no-dangling')
  })

  test('may change only what it may: anything else is a failed check that names the files', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({
      run: 'echo b > a.txt; echo c > other.txt',
      workspace: repo.workspace(),
      mayChange: ['a.txt'],
      check: { run: `touch ${join(yard.folder, 'checked')}` },
    })

    expect(await yard.over(task)).toMatchObject({ status: 'failed', holdCode: 'check_failed' })
    expect(last(yard, task).reason).toBe('it changed what it may not (may_change): other.txt')
    expect(existsSync(join(yard.folder, 'checked'))).toBe(false)
  })

  test('that is to change something and does not is incomplete, twice in a row failed', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: 'true', workspace: repo.workspace(), expect: 'change' })

    expect(await yard.over(task)).toMatchObject({ status: 'failed', holdCode: 'incomplete' })
    expect(yard.runs(task).map(({ outcome }) => outcome)).toEqual(['incomplete', 'incomplete'])
  })

  test('is checked on what it committed; what the check leaves there is no part of the next attempt', async () => {
    const { yard, repo } = await startWithRepository({}, { 'a.txt': 'a\n', '.gitignore': 'seen\n' })
    await using _ = yard
    const task = yard.add({
      run: '[ ! -e coverage.txt ]; echo more >> a.txt',
      workspace: repo.workspace(),
      attempts: 2,
      check: {
        run: 'git status --porcelain > /dev/null; echo 1 > coverage.txt; [ -e seen ] || { touch seen; false; }',
      },
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    const [first] = yard.runs(task)
    expect(first?.outcome).toBe('check_failed')
    expect(changeOf(yard, task)?.files.map(({ path }) => path)).toEqual(['a.txt'])
    const saved = join(composeRunDirectory(yard.home, first?.id ?? (0 as never)), 'after.diff')
    expect(readFileSync(saved, 'utf8')).toContain('coverage.txt')
  })

  test('begins anew each time where it is to be fresh; what was there is saved first', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({
      run: `[ ! -e half ]; touch half; [ -e ${join(yard.folder, 'again')} ] || { touch ${join(yard.folder, 'again')}; exit 1; }`,
      workspace: repo.workspace({ fresh: true }),
      attempts: 2,
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(yard.runs(task)).toHaveLength(2)
    expect(readFileSync(join(composeRunDirectory(yard.home, last(yard, task).id), 'before.diff'), 'utf8')).toContain(
      'half',
    )
  })

  test('is set up once, before its first attempt, with a log of its own', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const count = join(yard.folder, 'setups')
    const task = yard.add({
      run: '[ -e ready ]; [ -e half ] || { touch half; exit 1; }',
      workspace: repo.workspace({ setup: { run: `echo . >> ${count}; touch ready; echo prepared` } }),
      attempts: 2,
    })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(readFileSync(count, 'utf8')).toBe('.\n')
    const [first, second] = yard.runs(task)
    expect(yard.board.stagesOf(first?.id ?? (0 as never))).toMatchObject([{ kind: 'prepare', exitCode: 0 }])
    expect(yard.board.stagesOf(second?.id ?? (0 as never))).toEqual([])
  })

  test('whose setup fails has cost no attempt, and asks a person the second time with what it said', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: 'true', workspace: repo.workspace({ setup: { run: 'echo no network; exit 7' } }) })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'launch_failed', failures: 0 })
    expect(last(yard, task)).toMatchObject({ outcome: 'launch_failed', outputTail: 'no network' })
  })

  test('whose setup hangs is ended at its limit', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: 'true', workspace: repo.workspace({ setup: { run: 'sleep 60', timeoutMs: 150 } }) })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'launch_failed' })
    expect(last(yard, task).reason).toContain('timed out')
  })

  test('is copied the setup of another worktree where both have the same key', async () => {
    const { yard, repo } = await startWithRepository({ slots: 1 }, { 'lock.json': '{}', '.gitignore': 'modules/\n' })
    await using _ = yard
    const count = join(yard.folder, 'setups')
    const setup = { run: `echo . >> ${count}; mkdir modules; echo m > modules/m`, key: ['lock.json'] }
    const tasks = [1, 2].map((n) =>
      yard.add({ title: `Task ${n}`, run: 'cat modules/m', workspace: repo.workspace({ setup }) }),
    )

    for (const task of tasks) expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(readFileSync(count, 'utf8')).toBe('.\n')
  })

  test('goes on under the next hub when the one before is gone in the middle of its setup', async () => {
    const { yard: first, repo } = await startWithRepository()
    const task = first.add({
      run: 'cat ready; echo x > x',
      workspace: repo.workspace({
        setup: { run: `while [ ! -e ${first.folder}/go ]; do sleep 0.01; done; echo r > ready` },
      }),
    })
    await first.seen('run.stage', { task })
    await first.leave()

    await using next = await startYard({ home: join(first.home, '..') })
    writeFileSync(join(next.folder, 'go'), '')
    expect(await next.over(task)).toMatchObject({ status: 'done' })
    expect(next.runs(task)).toHaveLength(1)
    expect(changeOf(next, task)).toMatchObject({ fileCount: 2 })
  })

  test('is begun from what a task before it came to', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const build = yard.add({ title: 'Build', run: 'echo built > built', workspace: repo.workspace() })
    const next = yard.add(
      { title: 'Use', run: 'cat built', workspace: repo.workspace({ ref: `\${{ needs.T${build}.branch }}` }) },
      { needs: [{ on: build, when: 'done' }] },
    )

    expect(await yard.over(next)).toMatchObject({ status: 'done' })
    expect(changeOf(yard, next)?.baseCommit).toBe(changeOf(yard, build)?.headCommit)
  })

  test('that is cancelled while its repository is being looked at ends without having run', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: 'touch ran', workspace: repo.workspace({ setup: { run: 'sleep 30' } }) })
    await yard.seen('run.claimed', { task })
    yard.board.cancelTask(task, actor)

    expect(await yard.over(task)).toMatchObject({ status: 'cancelled' })
    expect(yard.board.openRuns()).toEqual([])
  })
})

function findLocks(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'))
}
