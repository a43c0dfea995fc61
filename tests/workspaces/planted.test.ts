import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Harvest } from '../../src/workspaces/harvest.ts'
import { mostPatchedBytes } from '../../src/workspaces/patch-write.ts'
import { readSmall } from '../../src/workspaces/read-small.ts'
import { saveState } from '../../src/workspaces/save-state.ts'
import { aWorktree, git, writeBelow } from './a-worktree.ts'

function changeOf(answer: Harvest) {
  if (!answer.ok) throw new Error(answer.why)
  return answer.change
}

describe('what a worker has planted in its repository', () => {
  test('does not hide a change: a replaced commit stands for itself', async () => {
    using at = aWorktree()
    at.write('a.txt', 'work\n')
    at.git('commit', '-qam', 'work')
    const tree = at.git('rev-parse', 'HEAD^{tree}')
    const fake = at.git('commit-tree', tree, '-m', 'fake')
    at.git('replace', at.worktree.baseCommit, fake)
    const change = changeOf(await at.harvest(12, { mayChange: ['docs/'] }))
    expect(change).toMatchObject({ fileCount: 1, outside: ['a.txt'] })
  })

  test('does not hide a submodule that was moved: what .gitmodules says of looking at it is not asked', async () => {
    using at = aWorktree()
    const other = join(at.folder, 'other')
    writeBelow(other, 'x.txt', 'x\n')
    git(other, 'init', '-q', '-b', 'main')
    git(other, 'add', '-A')
    git(other, 'commit', '-qm', 'x')
    at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
    at.git('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'all')
    at.git('add', '-A')
    at.git('commit', '-qm', 'submodule')
    const worktree = { ...at.worktree, baseCommit: at.git('rev-parse', 'HEAD') }
    git(join(at.path, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'moved')
    at.git('add', '--force', 'sub')
    at.git('update-index', '--cacheinfo', `160000,${git(join(at.path, 'sub'), 'rev-parse', 'HEAD')},sub`)
    at.git('commit', '-q', '--allow-empty', '-m', 'moved')
    const { harvest } = await import('../../src/workspaces/harvest.ts')
    const input = { worktree, run: 12 as never, title: 'x', mayChange: ['docs/'], into: at.patch() }
    expect(changeOf(await harvest(at.deps, input))).toMatchObject({ fileCount: 1, outside: ['sub'] })
  })

  test('keeps nobody waiting: a pipe in the place of a file of git is not opened', async () => {
    using at = aWorktree()
    at.write('a.txt', 'work\n')
    const { adminDir } = at.worktree
    for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD']) execFileSync('mkfifo', [join(adminDir, name)])
    renameSync(join(adminDir, 'logs', 'HEAD'), join(adminDir, 'logs', 'old'))
    execFileSync('mkfifo', [join(adminDir, 'logs', 'HEAD')])
    expect(await at.harvest()).toMatchObject({ ok: true, change: { fileCount: 1 } })
  })

  test('reaches no index of the person: a link in the place of that of the worktree is not written through', async () => {
    using at = aWorktree()
    writeBelow(at.repo, 'staged.txt', 'of the person\n')
    git(at.repo, 'add', 'staged.txt')
    rmSync(join(at.worktree.adminDir, 'index'))
    symlinkSync(join(at.repo, '.git', 'index'), join(at.worktree.adminDir, 'index'))
    at.write('b.txt', 'work\n')
    expect(changeOf(await at.harvest())).toMatchObject({ fileCount: 1, outside: [] })
    expect(git(at.repo, 'status', '--porcelain')).toBe('A  staged.txt')
  })

  test('is not read through a link, nor past what such a file may have', () => {
    using at = aWorktree()
    writeBelow(at.folder, 'other', 'filter=lfs\n')
    symlinkSync(join(at.folder, 'other'), join(at.path, '.gitattributes'))
    expect(readSmall(join(at.path, '.gitattributes'))).toBeUndefined()
    writeFileSync(join(at.path, 'large'), Buffer.alloc(2 * 1024 * 1024, 'x'))
    expect(readSmall(join(at.path, 'large'))).toBeUndefined()
    expect(readSmall(join(at.path, 'a.txt'))).toBe('a\n')
  })

  test('leads no removal elsewhere: a link in the place of what git keeps costs no lock file behind it', async () => {
    using at = aWorktree()
    const { adminDir } = at.worktree
    const precious = join(at.folder, 'precious')
    writeBelow(precious, 'poetry.lock', 'precious\n')
    renameSync(adminDir, `${adminDir}.moved`)
    symlinkSync(precious, adminDir)
    await at.harvest()
    expect(readFileSync(join(precious, 'poetry.lock'), 'utf8')).toBe('precious\n')
  })

  test('stops no record: a folder in the place of a lock or of HEAD goes like one that is a file', async () => {
    using at = aWorktree()
    at.write('a.txt', 'work\n')
    const { adminDir, gitDir } = at.worktree
    mkdirSync(join(adminDir, 'index.lock', 'below'), { recursive: true })
    mkdirSync(join(gitDir, 'refs/heads/yard/t5-fix.lock'), { recursive: true })
    renameSync(join(adminDir, 'HEAD'), join(adminDir, 'OLD'))
    mkdirSync(join(adminDir, 'HEAD'))
    expect(await at.harvest()).toMatchObject({ ok: true, change: { fileCount: 1 } })
    expect(existsSync(join(adminDir, 'index.lock'))).toBe(false)
  })
})

test('what is too large for the patch of a worktree that goes is kept by a ref', async () => {
  using at = aWorktree()
  const size = mostPatchedBytes + 1
  const content = Buffer.alloc(size)
  at.write('huge.bin', content)
  at.write('small.txt', 'small\n')
  const saved = await saveState(at.deps, { worktree: at.worktree, into: join(at.folder, 'left.diff') })
  expect(saved).toMatchObject({ ok: true, notes: [expect.stringContaining('huge.bin')] })
  const kept = git(at.repo, 'for-each-ref', '--format=%(refname)', 'refs/yardmaster').split('\n')
  expect(kept.map((ref) => git(at.repo, 'cat-file', '-s', `${ref}:huge.bin`))).toEqual([String(size)])
})

test('a worktree with files that no patch can hold does not go: it is said which', async () => {
  using at = aWorktree()
  const nested = Buffer.concat([Buffer.from(`${at.path}/`), Buffer.from([0xff])])
  at.write('nested/x.txt')
  git(join(at.path, 'nested'), 'init', '-q')
  renameSync(join(at.path, 'nested'), nested)
  const saved = await saveState(at.deps, { worktree: at.worktree, into: join(at.folder, 'left.diff') })
  expect(saved).toMatchObject({ ok: false, why: expect.stringContaining('its files stay in the worktree') })
})
