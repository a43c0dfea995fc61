import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startYard, type Yard, type YardOptions } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

async function startWithRepository(options: YardOptions = {}): Promise<{ yard: Yard; repo: Repository }> {
  const env = { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }
  const yard = await startYard({ ...options, env: { ...env, ...options.env } })
  return { yard, repo: makeRepository(join(yard.folder, 'shop')) }
}

const commit = 'git -c user.name=a -c user.email=a@example.org commit -qam more'

describe('a worker', () => {
  test('that removes its run directory has what it changed on record all the same', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: 'echo b >> a.txt; rm -rf "$YARDMASTER_RUN_DIR"', workspace: repo.workspace() })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(yard.board.lastChangeOf(task)).toMatchObject({ fileCount: 1, patch: { bytes: expect.any(Number) } })
  })

  test('that removes its worktree has what it committed on record, and is not done before its check can run', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const run = `[ -e ${yard.folder}/again ] && exit; echo b >> a.txt; ${commit}; touch ${yard.folder}/again; cd /; rm -rf "$OLDPWD"`
    const task = yard.add({ run, workspace: repo.workspace(), check: { run: 'grep b a.txt' } })

    expect(await yard.over(task)).toMatchObject({ status: 'done', failures: 0 })
    expect(yard.runs(task).map(({ outcome }) => outcome)).toEqual(['check_error', 'done'])
    expect(yard.runs(task).map(({ id }) => yard.board.changeOf(id)?.fileCount)).toEqual([1, 1])
  })

  test('that removes the repository is not done, and a person is asked', async () => {
    const { yard, repo } = await startWithRepository()
    await using _ = yard
    const task = yard.add({ run: `echo b >> a.txt; rm -rf ${repo.path}`, workspace: repo.workspace() })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked' })
    expect(yard.runs(task)[0]).toMatchObject({
      outcome: 'check_error',
      reason: expect.stringContaining('could not be put on record'),
    })
  })
})

describe('what a stage puts in the place of something of the run', () => {
  test('is not written through: a link of the setup where the prompt will lie', async () => {
    const { yard, repo } = await startWithRepository({
      lanes: { author: { uses: 'command', command: ['bash', '-c', 'cat "$YARDMASTER_RUN_DIR/prompt.md"'] } },
    })
    await using _ = yard
    const precious = join(yard.folder, 'precious')
    writeFileSync(precious, 'mine')
    const setup = { run: `ln -s ${precious} "$YARDMASTER_RUN_DIR/../prompt.md"` }
    const task = yard.add({ prompt: 'mend it', workspace: repo.workspace({ setup }) }, { lane: 'author' })

    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(yard.runs(task)[0]?.result).toContain('mend it')
    expect(readFileSync(precious, 'utf8')).toBe('mine')
  })

  test('is not emptied: a link of the work to a folder with a "check" in it', async () => {
    await using yard = await startYard({ onFault: () => {} })
    const precious = join(yard.folder, 'check', 'mine')
    const run = `mkdir check && touch check/mine; rm -r "$YARDMASTER_RUN_DIR"; ln -s "$PWD" "$YARDMASTER_RUN_DIR"`
    const task = yard.add({ run, check: { run: 'true' } })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'check_error' })
    expect(existsSync(precious)).toBe(true)
  })
})

test('a review does not begin on anything but the commit of its author', async () => {
  const lane = (script: string) => ({ uses: 'command', command: ['bash', '-euc', script] }) as const
  const { yard, repo } = await startWithRepository({
    lanes: { author: lane('echo b >> a.txt'), reviewer: lane('echo "verdict: approve"') },
  })
  await using _ = yard
  yard.board.setHold({ scope: 'lane', name: 'reviewer', kind: 'pause', text: null }, { by: 'ana' })
  const task = yard.add(
    { prompt: 'mend it', workspace: repo.workspace(), review: { lane: 'reviewer' } },
    { lane: 'author' },
  )
  await yard.when(task, ({ status }) => status === 'review')
  forget(repo, join(yard.home, 'workspaces', `T${task}`))
  yard.board.liftHold('lane', 'reviewer', { by: 'ana' })

  expect(await yard.over(task)).toMatchObject({
    status: 'blocked',
    holdText: expect.stringContaining('could not be checked out'),
  })
})

test('a hub that leaves does not wait for a disk that takes nothing: the next one records what is due', async () => {
  const told: string[] = []
  let hear = () => {}
  const failed = new Promise<void>((resolve) => {
    hear = resolve
  })
  const onFault = (event: string) => {
    told.push(event)
    hear()
  }
  const { yard, repo } = await startWithRepository({ onFault })
  const root = join(yard.home, '..')
  writeFileSync(join(yard.home, 'attachments'), 'a file where a folder should be')
  const task = yard.add({ run: 'echo b >> a.txt', workspace: repo.workspace() })
  await failed
  await yard.dispatcher.leave()
  await yard.leave()
  expect(told).toContain('run.step_failed')

  rmSync(join(yard.home, 'attachments'))
  await using next = await startYard({ home: root, env: { HOME: '/nonexistent' } })
  expect(await next.over(task)).toMatchObject({ status: 'done', runs: 1 })
  expect(next.board.lastChangeOf(task)).toMatchObject({ fileCount: 1 })
})

/** Takes the commit of a task out of its repository, as somebody might who rewrites and cleans it. */
function forget(repo: Repository, worktree: string): void {
  repo.git('-C', worktree, 'checkout', '-q', '--detach', 'main')
  const refs = repo.git('for-each-ref', '--format=%(refname)').split('\n')
  for (const ref of refs) if (ref !== 'refs/heads/main') repo.git('update-ref', '-d', ref)
  repo.git('reflog', 'expire', '--expire=now', '--all')
  repo.git('-C', worktree, 'reflog', 'expire', '--expire=now', '--all')
  rmSync(join(repo.path, '.git', 'worktrees', worktree.split('/').at(-1) ?? '', 'ORIG_HEAD'), { force: true })
  repo.git('gc', '-q', '--prune=now')
}
