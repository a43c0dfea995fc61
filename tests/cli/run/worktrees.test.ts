import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../../src/kernel/config/index.ts'
import { aHub } from '../a-hub.ts'
import { openPlace, type Place } from './a-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
})

const who = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'a@b.c',
}
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: place.dir, env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', ...who } })

function commitAll(): void {
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
}

const dryRun = async (): Promise<string> => (await place.type(['run', 'night.yaml', '--dry-run'])).out

test('a dry run says where each kind of task works and how it is judged, what is not in its worktrees and the room they take', async () => {
  place.put('data.txt', 'x'.repeat(2048))
  place.put(
    'night.yaml',
    `defaults: { workspace: { setup: npm ci } }
tasks:
  prompts: { matrix: { n: [1, 2] }, prompt: Do it, check: npm test }
  notes: { prompt: Write, workspace: scratch }
  scripts: { run: "true", workspace: here }
  sweep: { run: "true", check: make check }
  elsewhere: { prompt: Do it, workspace: { repo: "https://example.org/x.git" }, check: none }
`,
  )
  commitAll()
  place.put('new.txt', 'x')
  const out = await dryRun()
  expect(out).toContain(
    '6 tasks: prompts 2 (chat, worktree, check), notes 1 (chat, scratch), scripts 1 (command), ' +
      'sweep 1 (command, worktree, check), elsewhere 1 (chat, worktree).',
  )
  expect(out).toContain(`Warning: 1 uncommitted file of ${realpathSync(place.dir)} is not in the worktrees.`)
  expect(out).toMatch(/Disk: 3 worktrees x 2\.\d KiB \(its files, without what setup adds\) = .* free .*: OK\./)
})

test('a repository that is none is a fault of the file, once for all rows that name it', async () => {
  place.put('night.yaml', 'tasks: { a: { matrix: { n: [1, 2] }, prompt: Do it, workspace: { repo: ./gone } } }\n')
  const { code, err } = await place.type(['run', 'night.yaml', '--dry-run'])
  expect(code).toBe(2)
  expect(err).toContain('has 1 fault')
  expect(err).toMatch(/tasks\.a\.workspace\.repo names .*gone, which lies in no git repository/)
})

test('one repository has one name, from wherever it is named; what a task waits for may still come', async () => {
  place.put('src/a.ts', '')
  place.put(
    'night.yaml',
    `tasks:
  a: { prompt: Do it, workspace: { repo: src, setup: npm ci } }
  clone: { run: git clone x later }
  b: { needs: clone, prompt: Do it, workspace: { repo: later } }
`,
  )
  commitAll()
  const { code, out } = await place.type(['run', 'night.yaml', '--dry-run', '--json'])
  expect(code).toBe(0)
  const top = realpathSync(place.dir)
  const { batch, groups } = JSON.parse(out)
  expect(batch).toMatchObject({ repo: top, repo_branch: 'main' })
  expect(batch.tasks[0].workspace).toEqual({ repo: top, setup: 'npm ci' })
  expect(batch.tasks[2].workspace).toEqual({ repo: join(top, 'later') })
  expect(groups[0]).toMatchObject({ task: 'a', workspace: 'worktree', repo: top, checked: false })
})

test('outside a repository there is no worktree, and no word of one', async () => {
  place.put('night.yaml', 'tasks: { a: { prompt: Do it } }\n')
  expect(await dryRun()).toMatch(/^1 task: a 1 \(chat, scratch\)\./)
  expect(await dryRun()).not.toMatch(/Disk|uncommitted/)
})

test('the board whose repository holds the file says what its prompts get', async () => {
  place.put('yardmaster.yaml', 'boards: { shop: { repo: ., check: make test } }\n')
  place.put('night.yaml', 'tasks: { a: { prompt: Do it }, b: { run: "true" } }\n')
  commitAll()
  expect(await dryRun()).toContain('2 tasks: a 1 (chat, worktree, check), b 1 (command).')
})

test('with a hub up it is the board that the hub works with, and the hub gives its tasks just that', async () => {
  place.put(
    'yardmaster.yaml',
    'boards: { shop: { repo: ., check: "test -f made.txt", setup: "echo ready > .ready" } }\n',
  )
  place.put('.gitignore', '.ready\n')
  const work = 'run: "cat .ready && touch made.txt", workspace: worktree'
  place.put(
    'night.yaml',
    `tasks: { a: { prompt: Do it }, b: { ${work}, check: "test -f made.txt" }, c: { ${work} } }\n`,
  )
  place.put('run.yaml', `tasks: { b: { ${work}, check: "test -f made.txt", expect: change }, c: { ${work} } }\n`)
  commitAll()
  const file = join(place.dir, 'yardmaster.yaml')
  const parsed = parseConfig({ text: place.read('yardmaster.yaml'), file, cores: 4 })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const hub = await aHub(place.home, { config: parsed.config, self: [process.execPath, resolve('dist/bin.cjs')] })
  try {
    expect(await dryRun()).toContain(
      'a 1 (chat, worktree, check), b 1 (command, worktree, check), c 1 (command, worktree).',
    )
    const { code, out } = await place.type(['run', 'run.yaml'])
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('all done') })
    expect(await hub.client.listTasks({ board: 'shop' })).toMatchObject({
      rows: [{ status: 'done' }, { status: 'done' }],
    })
    expect(
      String(git('branch', '--list', 'yard/*'))
        .trim()
        .split('\n'),
    ).toHaveLength(2)
    expect(String(git('status', '--porcelain'))).toBe('')
  } finally {
    await hub.stop({ workers: 'end' })
  }
})

test('what can only be judged in a worktree is named by its key, in a dry run already', async () => {
  place.put('night.yaml', 'tasks: { a: { run: "true" }, b: { run: "true", may_change: ["src/**"] } }\n')
  commitAll()
  expect(await dryRun()).toContain('Warning: run will refuse it: may_change of b is judged in a worktree')
  const { code, err } = await place.type(['run', 'night.yaml'])
  expect(code).toBe(2)
  expect(err).toMatch(/tasks\.b cannot be: may_change is judged/)
})
