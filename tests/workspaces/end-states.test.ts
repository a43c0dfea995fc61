import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Harvest } from '../../src/workspaces/harvest.ts'
import { aWorktree, git, gitBytes, type TestWorktree, writeBelow } from './a-worktree.ts'
import { deed } from './end-states/deed.ts'
import { doDeed } from './end-states/do-deed.ts'
import { type Files, readFolder, readTree } from './end-states/read-files.ts'

/** For a longer look: YARDMASTER_END_STATES=2000 npx vitest run tests/workspaces/end-states.test.ts */
const numRuns = Number(process.env.YARDMASTER_END_STATES ?? 10)

describe('in whatever state an attempt leaves its worktree', () => {
  test(
    'all of it is recorded, nothing that was committed is lost, its patch makes the same tree, and nothing else changes',
    { timeout: numRuns * 30_000 },
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(deed, { minLength: 1, maxLength: 9, size: 'max' }), { minLength: 1, maxLength: 3 }),
          async (attempts) => {
            using at = aRepositoryInUse()
            for (const [i, deeds] of attempts.entries()) {
              for (const one of deeds) doDeed(at, one)
              await expectRecorded(at, 12 + i)
            }
          },
        ),
        { numRuns },
      ),
  )
})

/** With a branch `release` that conflicts with what most attempts do, and a filter that always fails. */
function aRepositoryInUse(): TestWorktree {
  const at = aWorktree({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.ts': 'c\n', '.gitignore': 'ignored/\n*.log\n' })
  git(at.repo, 'config', 'filter.bad.clean', 'false')
  git(at.repo, 'config', 'filter.bad.required', 'true')
  git(at.repo, 'config', 'filter.tame.clean', 'cat')
  git(at.repo, 'config', 'filter.tame.smudge', 'cat')
  git(at.repo, 'checkout', '-q', '-b', 'release')
  writeBelow(at.repo, 'a.txt', 'of the release\n')
  writeBelow(at.repo, 'r.txt', 'r\n')
  git(at.repo, 'add', '-A')
  git(at.repo, 'commit', '-qm', 'release')
  git(at.repo, 'checkout', '-q', 'main')
  at.write('a.txt', 'first\n')
  at.git('commit', '-qam', 'first')
  at.write('b.txt', 'second\n')
  at.git('commit', '-qam', 'second')
  return at
}

async function expectRecorded(at: TestWorktree, run: number): Promise<void> {
  const lay = readFolder(at.path)
  const commits = listCommits(at)
  const stashes = stashesOf(at)
  const [refs, person] = [ofOthers(at), readFolder(at.repo)]

  const answer = await at.harvest(run)

  if (!answer.ok) throw new Error(`${answer.fault}: ${answer.why}`)
  const { change } = answer
  const isBack = change.notes.some((note) => note.includes('the result is the tip of'))
  const lies = readFolder(at.path)
  if (!isBack) expect(lies).toEqual(lay)
  expectSame(readTree(at.repo, change.headCommit), lies, isIgnored(at))
  // The list of stashes is the repository's, and git keeps all that is on it: nothing of it may be touched.
  expect(stashesOf(at)).toEqual(stashes)
  const reachable = new Set(git(at.repo, 'rev-list', '--all', ...stashes).split('\n'))
  expect([...commits].filter((commit) => !reachable.has(commit))).toEqual([])
  expect(reachable.has(change.headCommit)).toBe(true)
  expect(git(at.repo, 'rev-parse', `refs/yardmaster/t5-fix/R${run}`)).toBe(change.headCommit)
  expect(git(at.repo, 'rev-parse', 'refs/heads/yard/t5-fix')).toBe(change.headCommit)
  expect(at.git('symbolic-ref', 'HEAD')).toBe('refs/heads/yard/t5-fix')
  expect(at.git('diff', '--cached', '--name-only')).toBe('')
  expectPatch(at, run, answer)
  expect(ofOthers(at)).toEqual(refs)
  expect(readFolder(at.repo)).toEqual(person)
  expect(faultsOf(at)).toEqual([])
}

function expectSame(tree: Files, lay: Files, isIgnored: (name: string) => boolean): void {
  const plain = (files: Files) => new Map([...files].filter(([name]) => !isIgnored(name)))
  expect(plain(tree)).toEqual(plain(lay))
}

/** What the worktree's own rules ignore: of these, only what was committed before is recorded. */
function isIgnored(at: TestWorktree): (name: string) => boolean {
  const all = [...readFolder(at.path).keys()]
  const input = Buffer.from(all.map((name) => `${name}\0`).join(''), 'latin1')
  const ignored = new Set(ask(at, input))
  return (name) => ignored.has(name)
}

function ask({ path }: TestWorktree, input: Buffer): readonly string[] {
  try {
    return gitBytes(path, ['check-ignore', '--no-index', '-z', '--stdin'], input).toString('latin1').split('\0')
  } catch {
    return [] // none of them
  }
}

function expectPatch(at: TestWorktree, run: number, { change, patchBytes }: Harvest & { ok: true }): void {
  const { baseCommit, headCommit } = change
  const env = ['-c', 'core.safecrlf=false']
  if (patchBytes === null) {
    expect(git(at.repo, 'diff-tree', baseCommit, headCommit)).toBe('')
    return
  }
  expect(statSync(at.patch(run)).size).toBe(patchBytes)
  const other = join(at.folder, `applied-${run}`)
  git(at.repo, ...env, 'worktree', 'add', '-q', '--no-checkout', '--detach', other, baseCommit)
  git(other, 'read-tree', baseCommit)
  gitBytes(other, ['apply', '--cached', '--whitespace=nowarn', '-'], readFileSync(at.patch(run)))
  expect(git(other, 'write-tree')).toBe(git(at.repo, 'rev-parse', `${headCommit}^{tree}`))
  git(at.repo, 'worktree', 'remove', '--force', other)
}

/** Every commit that a ref or a log of git names: of the worktree and of its repository. What git made for itself has neither. */
function listCommits(at: TestWorktree): ReadonlySet<string> {
  return new Set(at.git('rev-list', '--all', '--reflog').split('\n'))
}

/**
 * Git commits the tree that holds nothing without writing it, since it knows that one by heart; only its fsck does not. An attempt
 * comes by it with `git commit` on an index that was cut off.
 */
const emptyTree = 'missing tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** What git finds broken. Its warnings are of what a worker made, as of a .gitignore that is a link: that is recorded as it is. */
function faultsOf({ repo }: TestWorktree): readonly string[] {
  const { stdout, stderr } = spawnSync('git', ['fsck', '--no-dangling', '--no-progress'], {
    cwd: repo,
    encoding: 'utf8',
  })
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '' && line !== emptyTree && !line.startsWith('warning in '))
}

/** Newest first. Only the newest has a ref; the others stand in its log, which never expires by itself. */
function stashesOf({ repo }: TestWorktree): readonly string[] {
  const list = git(repo, 'stash', 'list', '--format=%H')
  return list === '' ? [] : list.split('\n')
}

/** All refs but the task's branch and ours. */
function ofOthers({ repo }: TestWorktree): readonly string[] {
  const lines = git(repo, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n')
  return lines.filter((line) => !/^refs\/(heads\/yard\/|yardmaster\/|bisect\/)/.test(line))
}
