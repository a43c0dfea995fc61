import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runId, taskId } from '../../src/kernel/index.ts'
import type { PatchToApply } from '../../src/workspaces/apply-one.ts'
import { applyPatches } from '../../src/workspaces/apply-patches.ts'
import { aWorktree, git, gitBytes, type TestWorktree, tryGit, writeBelow } from './a-worktree.ts'

/** The change of a task as a patch file, as a report has it: against the first commit, with lines of ours above the diff. */
function aPatch(at: TestWorktree, task: number, change: () => void): PatchToApply {
  change()
  at.git('add', '-A')
  const file = join(at.folder, `T${task}.patch`)
  const diff = gitBytes(at.path, ['diff', '--cached', '--binary', '--full-index', '--no-renames', 'HEAD'])
  writeFileSync(file, Buffer.concat([Buffer.from(`Yardmaster-Task: T${task}\n\n`), diff]))
  at.git('reset', '-q', '--hard')
  at.git('clean', '-fdq')
  return { task: taskId(task), run: runId(task + 100), title: `Task ${task}`, baseCommit: at.worktree.baseCommit, file }
}

const lines = (changed: number) =>
  Array.from({ length: 30 }, (_, n) => (n === changed ? 'CHANGED' : `line ${n}`)).join('\n')

function aRepository(): TestWorktree {
  return aWorktree({ 'a.txt': `${lines(-1)}\n`, 'b.txt': 'b\n', 'c.txt': 'c\n' })
}

function apply(
  at: TestWorktree,
  patches: readonly PatchToApply[],
  {
    onto = 'night/1',
    check = null,
    signal = at.deps.signal,
    heard = [],
    cwd = at.repo,
  }: {
    readonly onto?: string
    readonly check?: string | null
    readonly signal?: AbortSignal
    readonly heard?: string[]
    readonly cwd?: string
  } = {},
) {
  const deps = { ...at.deps, signal, onOutput: (text: string) => heard.push(text) }
  return applyPatches(deps, { cwd, onto, patches, check })
}

/** Of the repository: everything that a person would miss. */
function standing({ repo }: TestWorktree) {
  return [
    git(repo, 'for-each-ref'),
    git(repo, 'status', '--porcelain'),
    git(repo, 'worktree', 'list'),
    readdirSync(join(repo, '.git'))
      .filter((name) => name !== 'ORIG_HEAD')
      .sort(),
  ]
}

describe('apply', () => {
  test('makes a branch with one commit for each task, merging what touches the same file, and leaves everything else alone', async () => {
    using at = aRepository()
    const patches = [
      aPatch(at, 1, () => at.write('a.txt', `${lines(2)}\n`)),
      aPatch(at, 2, () => at.write('a.txt', `${lines(25)}\n`)),
      aPatch(at, 3, () => at.write('image.bin', Buffer.from([0, 1, 2, 255, 0]))),
    ]
    const before = git(at.repo, 'rev-parse', 'main')
    const applied = await apply(at, patches)
    expect(applied).toMatchObject({
      branch: 'made',
      applied: [1, 2, 3],
      there: [],
      conflicts: [],
      strangers: [],
      broken: [],
    })
    expect(git(at.repo, 'log', '--format=%s', 'main..night/1').split('\n')).toEqual(['Task 3', 'Task 2', 'Task 1'])
    expect(git(at.repo, 'show', 'night/1:a.txt')).toBe(lines(2).replace('line 25', 'CHANGED'))
    expect(gitBytes(at.repo, ['show', 'night/1:image.bin'])).toEqual(Buffer.from([0, 1, 2, 255, 0]))
    const trailers = git(
      at.repo,
      'log',
      '-1',
      '--format=%an|%cn|%(trailers:key=Yardmaster-Task,valueonly,separator=)|%(trailers:key=Yardmaster-Run,valueonly,separator=)',
      'night/1',
    )
    expect(trailers).toBe('Yardmaster|Anna|T3|R103')
    expect(git(at.repo, 'rev-parse', 'main')).toBe(before)
    expect(git(at.repo, 'status', '--porcelain')).toBe('')
    git(at.repo, 'fsck', '--no-dangling')
  })

  test('names what conflicts with its files, and applies the others', async () => {
    using at = aRepository()
    const patches = [
      aPatch(at, 1, () => at.write('b.txt', 'one\n')),
      aPatch(at, 2, () => at.write('b.txt', 'two\n')),
      aPatch(at, 3, () => at.write('c.txt', 'three\n')),
    ]
    const applied = await apply(at, patches)
    expect(applied).toMatchObject({ applied: [1, 3], conflicts: [{ task: 2, files: ['b.txt'] }] })
    expect(git(at.repo, 'show', 'night/1:b.txt')).toBe('one')
  })

  test('where several patches make the same new file, nothing is looked at or written in the folder of the person', async () => {
    using at = aRepository()
    const patches = [1, 2, 3].map((task) =>
      aPatch(at, task, () => {
        at.write('new/same.txt', 'same\n')
        at.write(`${task}.txt`, 'own\n')
      }),
    )
    const before = git(at.repo, 'status', '--porcelain')
    expect(await apply(at, patches)).toMatchObject({ applied: [1, 2, 3], conflicts: [] })
    expect(git(at.repo, 'status', '--porcelain')).toBe(before)
    writeBelow(at.repo, 'new/same.txt', 'mine, not committed\n')
    expect(await apply(at, patches, { onto: 'night/2' })).toMatchObject({ applied: [1, 2, 3], conflicts: [] })
    expect(readFileSync(join(at.repo, 'new/same.txt'), 'utf8')).toBe('mine, not committed\n')
  })

  test('from a folder inside the repository the whole of each patch is applied', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n')), aPatch(at, 2, () => at.write('b.txt', 'two\n'))]
    const cwd = join(at.repo, 'inside')
    mkdirSync(cwd)
    const conflicts = [{ task: 2, files: ['b.txt'] }]
    expect(await apply(at, patches, { cwd })).toMatchObject({ applied: [1], conflicts, there: [] })
    expect(git(at.repo, 'diff', '--name-only', 'main', 'night/1')).toBe('b.txt')
  })

  test('the same patches again are there already, and the branch stays where it is', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n')), aPatch(at, 2, () => at.write('c.txt', 'two\n'))]
    await apply(at, patches)
    const tip = git(at.repo, 'rev-parse', 'night/1')
    expect(await apply(at, patches)).toMatchObject({ branch: 'untouched', applied: [], there: [1, 2], commit: tip })
    const again = patches.map((patch) => ({ ...patch, run: runId(900) }))
    expect(await apply(at, again)).toMatchObject({ branch: 'untouched', there: [1, 2] })
  })

  test('a branch that is not there yet is made also where what it begins at has all of it', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    await apply(at, patches, { onto: 'main' })
    const tip = git(at.repo, 'rev-parse', 'main')
    expect(await apply(at, patches)).toMatchObject({ branch: 'made', applied: [], there: [1], commit: tip })
    expect(git(at.repo, 'rev-parse', 'night/1')).toBe(tip)
    const failing = { onto: 'night/2', check: 'exit 3' }
    expect(await apply(at, patches, failing)).toMatchObject({ branch: 'untouched', there: [1], commit: null })
  })

  test('an attempt whose commit is on the branch is not put there again, whatever somebody has made of it since', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    await apply(at, patches)
    git(at.repo, 'switch', '-q', 'night/1')
    git(at.repo, 'revert', '--no-edit', 'HEAD')
    git(at.repo, 'switch', '-q', 'main')
    expect(await apply(at, patches)).toMatchObject({ branch: 'untouched', applied: [], there: [1] })
  })

  test('a runner that has told git no name commits all the same, in a repository of SHA-256, too', async () => {
    using at = aRepository()
    const other = join(at.folder, 'other')
    mkdirSync(other)
    git(other, 'init', '-q', '-b', 'main', '--object-format=sha256')
    git(other, 'config', 'user.useConfigOnly', 'true')
    writeBelow(other, 'b.txt', 'b\n')
    git(other, 'add', '-A')
    git(other, 'commit', '-qm', 'base')
    writeBelow(other, 'b.txt', 'one\n')
    const file = join(at.folder, 'T1.patch')
    writeFileSync(file, gitBytes(other, ['diff', '--binary', '--full-index']))
    git(other, 'checkout', '-q', '.')
    const baseCommit = git(other, 'rev-parse', 'main')
    const { GIT_COMMITTER_NAME: _, GIT_COMMITTER_EMAIL: __, ...env } = at.deps.env
    const patch = { task: taskId(1), run: runId(1), title: 'Ünï', baseCommit, file }
    const deps = { ...at.deps, env, onOutput: () => undefined }
    await applyPatches(deps, { cwd: other, onto: 'night/1', patches: [patch], check: null })
    expect(git(other, 'log', '-1', '--format=%an|%cn|%s', 'night/1')).toBe('Yardmaster|Yardmaster|Ünï')
    git(other, 'fsck', '--strict', '--no-dangling')
  })

  test('a check that fails leaves the branch untouched, shows what it printed, and leaves no worktree', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const before = standing(at)
    const heard: string[] = []
    const applied = await apply(at, patches, { check: 'cat b.txt; echo broken >&2; exit 4', heard })
    expect(applied).toMatchObject({ branch: 'untouched', check: { exitCode: 4, says: 'exit 4' } })
    expect(heard.join('')).toBe('one\nbroken\n')
    expect(standing(at)).toEqual(before)
  })

  test('a check sees the result and the allow-listed environment only, and the branch moves when it exits with 0', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const heard: string[] = []
    const deps = {
      ...at.deps,
      env: { ...at.deps.env, OPENAI_API_KEY: 'sk-1', LANG: 'C' },
      onOutput: (text: string) => heard.push(text),
    }
    const check = 'test "$(cat b.txt)" = one; env | cut -d= -f1 | sort | tr "\\n" " "'
    const applied = await applyPatches(deps, { cwd: at.repo, onto: 'night/1', patches, check })
    expect(applied).toMatchObject({ branch: 'made', check: { exitCode: 0 } })
    expect(heard.join('')).toContain('LANG ')
    expect(heard.join('')).not.toMatch(/OPENAI_API_KEY|YARDMASTER|GIT_/)
  })

  test('an interrupt during the check leaves the branch untouched and nothing behind', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const before = standing(at)
    const interrupt = new AbortController()
    const deps = { ...at.deps, signal: interrupt.signal, onOutput: () => interrupt.abort() }
    const cut = applyPatches(deps, { cwd: at.repo, onto: 'night/1', patches, check: 'echo begun; exec sleep 60' })
    await expect(cut).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_CUT' })
    expect(standing(at)).toEqual(before)
  })

  test('a branch that is checked out here moves with its files; with a change that is not committed it is refused', async () => {
    using at = aRepository()
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    writeBelow(at.repo, 'c.txt', 'of the person\n')
    await expect(apply(at, patches)).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_DIRTY' })
    git(at.repo, 'checkout', '-q', 'c.txt')
    writeBelow(at.repo, 'untracked.txt', 'stays\n')
    expect(await apply(at, patches)).toMatchObject({ branch: 'moved', applied: [1] })
    expect(readFileSync(join(at.repo, 'b.txt'), 'utf8')).toBe('one\n')
    expect(git(at.repo, 'status', '--porcelain')).toBe('?? untracked.txt')
  })

  test('a branch that a person leaves while the check runs is not taken for the one they are on then', async () => {
    using at = aRepository()
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    git(at.repo, 'branch', 'theirs')
    const tip = git(at.repo, 'rev-parse', 'theirs')
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const check = `git -C ${at.repo} checkout -q theirs`
    expect(await apply(at, patches, { check })).toMatchObject({ branch: 'moved' })
    expect(git(at.repo, 'rev-parse', 'theirs', 'night/1~1')).toBe(`${tip}\n${tip}`)
    expect(git(at.repo, 'status', '--porcelain')).toBe('')
  })

  test('a branch that was set back while the check runs stays where the person has put it', async () => {
    using at = aRepository()
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    git(at.repo, 'commit', '-q', '--allow-empty', '-m', 'second')
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const check = `git -C ${at.repo} reset -q --hard main`
    await expect(apply(at, patches, { check })).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_MOVED' })
    expect(git(at.repo, 'rev-parse', 'night/1')).toBe(git(at.repo, 'rev-parse', 'main'))
  })

  test('a check that leaves a server behind is over when it has ended', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const heard: string[] = []
    const check = 'sleep 300 & echo server $!; exit 0'
    const applied = await apply(at, patches, { check, heard })
    process.kill(Number(/server (\d+)/.exec(heard.join(''))?.[1]))
    expect(applied).toMatchObject({ branch: 'made', check: { exitCode: 0 } })
  })

  test('an untracked file in the way is never written over: the branch stays', async () => {
    using at = aRepository()
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    const patches = [aPatch(at, 1, () => at.write('new.txt', 'of the task\n'))]
    writeBelow(at.repo, 'new.txt', 'of the person\n')
    const before = standing(at)
    await expect(apply(at, patches)).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_MOVED' })
    expect(readFileSync(join(at.repo, 'new.txt'), 'utf8')).toBe('of the person\n')
    expect(standing(at)).toEqual(before)
  })

  test('a branch that is checked out elsewhere is refused with where', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const refused = apply(at, patches, { onto: 'yard/t5-fix' })
    await expect(refused).rejects.toThrow(`yard/t5-fix is checked out in ${at.path}`)
  })

  test('in the middle of a rebase neither the branch that is rebased nor a new one is touched', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('c.txt', 'one\n'))]
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    writeBelow(at.repo, 'b.txt', 'ours\n')
    git(at.repo, 'commit', '-qam', 'ours')
    git(at.repo, 'checkout', '-q', 'main')
    writeBelow(at.repo, 'b.txt', 'theirs\n')
    git(at.repo, 'commit', '-qam', 'theirs')
    git(at.repo, 'checkout', '-q', 'night/1')
    expect(tryGit(at.repo, 'rebase', '-q', 'main')).toBe(false)
    const before = standing(at)
    await expect(apply(at, patches)).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_IN_PROGRESS' })
    await expect(apply(at, patches, { onto: 'other' })).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_IN_PROGRESS' })
    expect(standing(at)).toEqual(before)
  })

  test('patches of another repository are named apart, and the others are applied', async () => {
    using at = aRepository()
    const own = aPatch(at, 1, () => at.write('b.txt', 'one\n'))
    const stranger = { ...aPatch(at, 2, () => at.write('c.txt', 'two\n')), baseCommit: 'ab'.repeat(20) }
    expect(await apply(at, [own, stranger])).toMatchObject({
      applied: [1],
      strangers: [{ task: 2, baseCommit: 'ab'.repeat(20) }],
    })
    expect(await apply(at, [stranger], { onto: 'other' })).toMatchObject({
      branch: 'untouched',
      commit: null,
      strangers: [{ task: 2 }],
    })
    expect(tryGit(at.repo, 'rev-parse', '--verify', 'refs/heads/other')).toBe(false)
  })

  test('a patch that was cut, is none, or leads out of the repository takes nothing with it', async () => {
    using at = aRepository()
    const whole = aPatch(at, 1, () => at.write('b.txt', 'one\n'))
    const cut = aPatch(at, 2, () => at.write('a.txt', `${lines(12)}\n`))
    writeFileSync(cut.file, readFileSync(cut.file).subarray(0, -20))
    const none = { ...whole, task: taskId(3), run: runId(3), file: join(at.folder, 'T3.patch') }
    writeFileSync(none.file, 'Yardmaster-Task: T3\n\nhello\n')
    const out = { ...none, task: taskId(4), run: runId(4), file: join(at.folder, 'T4.patch') }
    writeFileSync(
      out.file,
      'diff --git a/../out.txt b/../out.txt\nnew file mode 100644\n--- /dev/null\n+++ b/../out.txt\n@@ -0,0 +1 @@\n+x\n',
    )
    const hook = { ...none, task: taskId(6), run: runId(6), file: join(at.folder, 'T6.patch') }
    writeFileSync(
      hook.file,
      'diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n',
    )
    const applied = await apply(at, [cut, whole, none, out, hook])
    expect(applied.applied).toEqual([1])
    expect(applied.broken.map(({ task }) => task)).toEqual([2, 3, 4, 6])
    expect(existsSync(join(at.folder, 'out.txt'))).toBe(false)
    expect(git(at.repo, 'diff', '--name-only', 'main', 'night/1')).toBe('b.txt')
  })

  test('a new branch begins at what is checked out where that holds all bases, else at the newest base', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    writeBelow(at.repo, 'c.txt', 'later\n')
    git(at.repo, 'commit', '-qam', 'later')
    await apply(at, patches)
    expect(git(at.repo, 'rev-parse', 'night/1~1')).toBe(git(at.repo, 'rev-parse', 'main'))
    git(at.repo, 'checkout', '-q', '--orphan', 'alone')
    git(at.repo, 'commit', '-qm', 'alone')
    await apply(at, patches, { onto: 'night/2' })
    expect(git(at.repo, 'rev-parse', 'night/2~1')).toBe(at.worktree.baseCommit)
  })

  test('what cannot begin is said clearly: no repository, no branch name, no patch', async () => {
    using at = aRepository()
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'one\n'))]
    const outside = join(at.folder, 'outside')
    mkdirSync(outside)
    await expect(apply(at, patches, { cwd: outside })).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_NO_REPOSITORY' })
    for (const onto of ['a..b', 'with blank', '-x', ''])
      await expect(apply(at, patches, { onto })).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_BAD_BRANCH' })
    await expect(apply(at, [])).rejects.toMatchObject({ code: 'WORKSPACES_APPLY_NOTHING' })
  })

  test('no hook runs, and what a person has set for white space of patches changes nothing', async () => {
    using at = aRepository()
    writeBelow(at.repo, '.git/hooks/post-merge', `#!/bin/sh\ntouch ${at.folder}/ran\n`)
    git(at.repo, 'config', 'core.hooksPath', join(at.repo, '.git/hooks'))
    git(at.repo, 'config', 'apply.whitespace', 'fix')
    git(at.repo, 'checkout', '-q', '-b', 'night/1')
    const patches = [aPatch(at, 1, () => at.write('b.txt', 'blanks   \r\n\t \n'))]
    expect(await apply(at, patches)).toMatchObject({ branch: 'moved' })
    expect(gitBytes(at.repo, ['show', 'night/1:b.txt']).toString()).toBe('blanks   \r\n\t \n')
    expect(existsSync(join(at.folder, 'ran'))).toBe(false)
  })
})
