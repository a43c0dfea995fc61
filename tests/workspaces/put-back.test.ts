import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putBack } from '../../src/workspaces/put-back.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { aWorktree, git, gitBytes, type TestWorktree } from './a-worktree.ts'

/** A worktree after its attempt: `a.txt` says work. */
async function afterAttempt(
  parent?: string,
): Promise<TestWorktree & { readonly commit: string; readonly saveTo: string }> {
  const at = aWorktree({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'cache/\n' }, parent)
  at.write('a.txt', 'work\n')
  const answer = await at.harvest()
  if (!answer.ok) throw new Error(answer.why)
  return { ...at, commit: answer.change.headCommit, saveTo: join(at.folder, 'after.diff') }
}

describe('after a check or a reviewer has worked in the worktree of an attempt', () => {
  test('C82 · what they left is saved as a patch that applies, and the worktree is as the author left it', async () => {
    using at = await afterAttempt()
    at.write('a.txt', 'of the reviewer\n')
    at.write('report.bin', Buffer.from([0, 255, 0]))
    at.write('cache/kept')
    rmSync(join(at.path, 'b.txt'))
    const answer = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(answer).toMatchObject({ ok: true, saved: { file: at.saveTo, bytes: readFileSync(at.saveTo).length } })
    expect(at.git('status', '--porcelain')).toBe('')
    expect(readFileSync(join(at.path, 'a.txt'), 'utf8')).toBe('work\n')
    expect(existsSync(join(at.path, 'report.bin'))).toBe(false)
    expect(existsSync(join(at.path, 'cache/kept'))).toBe(true)
    gitBytes(at.path, ['apply', '--index', '-'], readFileSync(at.saveTo))
    expect(readFileSync(join(at.path, 'a.txt'), 'utf8')).toBe('of the reviewer\n')
    expect(readFileSync(join(at.path, 'report.bin'))).toEqual(Buffer.from([0, 255, 0]))
  })

  test('a worktree that they left as it was is left as it is, and nothing is written', async () => {
    using at = await afterAttempt()
    const answer = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(answer).toEqual({ ok: true, saved: null, notes: [], unstored: [] })
    expect(existsSync(at.saveTo)).toBe(false)
  })

  test('commits, another branch and a merge in progress are undone, and what they committed is kept by a ref', async () => {
    using at = await afterAttempt()
    at.write('a.txt', 'of the reviewer\n')
    at.git('commit', '-qam', 'reviewer')
    const theirs = at.git('rev-parse', 'HEAD')
    at.git('checkout', '-q', '--detach', 'HEAD~1')
    at.write('b.txt', 'more\n')
    at.git('commit', '-qam', 'more')
    const more = at.git('rev-parse', 'HEAD')
    const answer = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(answer).toMatchObject({ ok: true })
    expect(at.git('symbolic-ref', 'HEAD')).toBe('refs/heads/yard/t5-fix')
    expect(at.git('rev-parse', 'HEAD')).toBe(at.commit)
    expect(at.git('status', '--porcelain')).toBe('')
    const reachable = git(at.repo, 'rev-list', '--all').split('\n')
    expect([theirs, more].filter((commit) => !reachable.includes(commit))).toEqual([])
  })

  test('a worktree that is gone is said, and the branch is left alone', async () => {
    using at = await afterAttempt()
    rmSync(at.path, { recursive: true })
    const answer = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(answer).toMatchObject({ ok: false, fault: 'gone' })
    expect(git(at.repo, 'rev-parse', 'yard/t5-fix')).toBe(at.commit)
  })

  test.skipIf(!canMount)('nothing is taken out of it where it cannot be saved', async () => {
    const disk = mountSmallDisk(4)
    if (disk === undefined) return
    using _ = disk
    using at = await afterAttempt(disk.folder)
    at.write('a.txt', 'of the reviewer\n')
    const free = disk.fill()
    const full = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(full).toMatchObject({ ok: false, fault: 'short' })
    expect(readFileSync(join(at.path, 'a.txt'), 'utf8')).toBe('of the reviewer\n')
    free()
    const answer = await putBack(at.deps, { worktree: at.worktree, commit: at.commit, saveTo: at.saveTo })
    expect(answer).toMatchObject({ ok: true })
    expect(at.git('status', '--porcelain')).toBe('')
  })
})
