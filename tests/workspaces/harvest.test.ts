import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import { type Harvest, harvest } from '../../src/workspaces/harvest.ts'
import { lookAtCode } from '../../src/workspaces/look-at-code.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { aWorktree, git, type TestWorktree, tryGit, writeBelow } from './a-worktree.ts'

/** Git needs half a minute for 2 GB; what is too large to be held is as large from 128 MiB on. */
const hugeBytes = process.env.YARDMASTER_HUGE_FILE === undefined ? 130 * 1024 ** 2 : 2 * 1024 ** 3 + 1

/** What was recorded; fails with the reason where nothing was. */
function changeOf(answer: Harvest) {
  if (!answer.ok) throw new Error(`${answer.fault}: ${answer.why}`)
  return answer.change
}

const shown = ({ repo }: TestWorktree, commit: string, path: string) => git(repo, 'show', `${commit}:${path}`)
const listed = ({ repo }: TestWorktree, commit: string) => git(repo, 'ls-tree', '-r', '--name-only', commit).split('\n')

describe('what an attempt left uncommitted', () => {
  test('is committed by us with the task and the attempt in its trailers, and no hook runs', async () => {
    using at = aWorktree()
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change'])
      writeBelow(at.repo, `.git/hooks/${hook}`, `#!/bin/sh\ntouch ${at.folder}/ran\nexit 1\n`)
    for (const hook of readdirSync(join(at.repo, '.git/hooks'))) chmodSync(join(at.repo, '.git/hooks', hook), 0o755)
    at.write('a.txt', 'changed\n')
    at.write('new.txt')
    rmSync(join(at.path, 'b.txt'))
    const change = changeOf(await at.harvest(12, { title: 'Fix\u0007 the\nclock' }))
    expect(change).toMatchObject({ leftOvers: true, commits: 1, fileCount: 3, insertions: 2, deletions: 2, notes: [] })
    expect(change.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified a.txt',
      'deleted b.txt',
      'added new.txt',
    ])
    const message = git(at.repo, 'log', '-1', '--format=%an <%ae>%n%cn%n%B', change.headCommit)
    expect(message).toBe(
      'Yardmaster <yardmaster@localhost>\nYardmaster\nFix the clock\n\nLeft uncommitted at the end of the attempt.\n\nYardmaster-Task: T5\nYardmaster-Run: R12\n',
    )
    expect(existsSync(join(at.folder, 'ran'))).toBe(false)
    expect(git(at.repo, 'merge-base', '--is-ancestor', 'main', 'yard/t5-fix')).toBe('')
  })

  test('nothing left over and nothing committed is no change and no patch', async () => {
    using at = aWorktree()
    expect(await at.harvest()).toMatchObject({
      ok: true,
      patchBytes: null,
      change: { commits: 0, fileCount: 0, leftOvers: false },
    })
    expect(existsSync(at.patch())).toBe(false)
  })

  test('a second call for the same attempt, after a kill in between, comes to the same commit', async () => {
    using at = aWorktree()
    at.write('a.txt', 'changed\n')
    const first = changeOf(await at.harvest())
    expect(changeOf(await at.harvest())).toEqual(first)
    // As if the kill had come before branch and HEAD were moved.
    git(at.repo, 'update-ref', 'refs/heads/yard/t5-fix', at.worktree.baseCommit)
    expect(changeOf(await at.harvest())).toMatchObject({ headCommit: first.headCommit, leftOvers: true })
  })

  test('files that a worker has hidden from git with assume-unchanged and skip-worktree are recorded, too', async () => {
    using at = aWorktree()
    at.git('update-index', '--assume-unchanged', 'a.txt')
    at.git('update-index', '--skip-worktree', 'b.txt')
    at.write('a.txt', 'hidden\n')
    rmSync(join(at.path, 'b.txt'))
    expect(changeOf(await at.harvest()).files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
  })

  test('a sparse checkout loses nothing of what it does not show, and keeps what was written outside of it', async () => {
    using at = aWorktree({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
    at.git('sparse-checkout', 'set', 'in')
    at.write('out/new.txt')
    at.write('in/a.txt', 'changed\n')
    const change = changeOf(await at.harvest())
    expect(listed(at, change.headCommit)).toEqual(['in/a.txt', 'out/b.txt', 'out/new.txt'])
  })

  test('LFS pointers stay pointers, and a filter whose program is missing costs no file', async () => {
    using at = aWorktree({ '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n' })
    git(at.repo, 'config', 'filter.lfs.clean', 'no-such-program clean -- %f')
    git(at.repo, 'config', 'filter.lfs.process', 'no-such-program filter-process')
    git(at.repo, 'config', 'filter.lfs.required', 'true')
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'
    at.write('image.psd', pointer)
    at.write('b.txt', 'b\n')
    const change = changeOf(await at.harvest())
    expect(`${shown(at, change.headCommit, 'image.psd')}\n`).toBe(pointer)
    expect(change.notes.join()).toContain('the filter lfs of the repository fails')
    expect(changeOf(await at.harvest(13)).fileCount).toBe(change.fileCount)
  })

  test('an encoding that git cannot read is recorded byte by byte', async () => {
    using at = aWorktree()
    at.write('.gitattributes', '*.txt working-tree-encoding=UTF-16\n')
    at.write('c.txt', Buffer.from([0x80, 0x81, 0x0a]))
    symlinkSync('a.txt', join(at.path, 'link'))
    const change = changeOf(await at.harvest())
    expect(listed(at, change.headCommit)).toEqual(['.gitattributes', 'a.txt', 'b.txt', 'c.txt', 'link'])
    expect(git(at.repo, 'cat-file', '-s', `${change.headCommit}:c.txt`)).toBe('3')
    expect(shown(at, change.headCommit, 'link')).toBe('a.txt')
  })

  test('a huge file (2 GB where that is asked for) is committed and named as too large for the patch; the others are in it', async () => {
    using at = aWorktree()
    const descriptor = openSync(join(at.path, 'huge.bin'), 'w')
    ftruncateSync(descriptor, hugeBytes)
    closeSync(descriptor)
    at.write('a.txt', 'changed\n')
    const answer = await at.harvest()
    const change = changeOf(answer)
    expect(git(at.repo, 'cat-file', '-s', `${change.headCommit}:huge.bin`)).toBe(String(hugeBytes))
    expect(change.notes.join()).toContain('huge.bin')
    expect(readFileSync(at.patch(), 'utf8')).toContain('+changed')
    expect(answer).toMatchObject({ patchBytes: readFileSync(at.patch()).length })
  }, 600_000)

  test('two names that differ in case only are two files, whatever the repository was told of the disk', async () => {
    using at = aWorktree()
    git(at.repo, 'config', 'core.ignoreCase', 'true')
    at.write('A.txt', 'another\n')
    at.git('mv', '-f', 'b.txt', 'B.txt')
    const change = changeOf(await at.harvest())
    expect(listed(at, change.headCommit)).toEqual(['A.txt', 'B.txt', 'a.txt'])
  })

  test('modes are recorded, whatever the repository was told of the disk', async () => {
    using at = aWorktree()
    at.git('config', 'core.fileMode', 'false')
    chmodSync(join(at.path, 'a.txt'), 0o755)
    const change = changeOf(await at.harvest())
    expect(git(at.repo, 'ls-tree', change.headCommit, 'a.txt')).toContain('100755')
    expect(readFileSync(at.patch(), 'utf8')).toContain('new mode 100755')
  })

  test('a pipe in the place of a file is named, and the others are recorded', async () => {
    using at = aWorktree()
    rmSync(join(at.path, 'a.txt'))
    execFileSync('mkfifo', [join(at.path, 'a.txt')])
    at.write('b.txt', 'changed\n')
    const change = changeOf(await at.harvest())
    expect(shown(at, change.headCommit, 'b.txt')).toBe('changed')
    expect(change.notes.join()).toContain('a.txt')
  })

  test('a mirror without files of its own, and a repository of SHA-256, are worked in like any other', async () => {
    for (const how of [[], ['--object-format=sha256']]) {
      using at = aWorktree()
      const other = join(at.folder, 'other')
      const mirror = join(at.folder, 'mirror')
      mkdirSync(other)
      git(other, 'init', '-q', '-b', 'main', ...how)
      writeBelow(other, 'a.txt', 'a\n')
      git(other, 'add', '-A')
      git(other, 'commit', '-qm', 'base')
      git(at.folder, 'clone', '-q', '--bare', other, mirror)
      const path = join(at.folder, 'T6')
      git(mirror, 'worktree', 'add', '-q', '-b', 'yard/t6', path)
      writeBelow(path, 'new.txt', 'new\n')
      git(path, 'commit', '-q', '--allow-empty', '-m', 'lost')
      const lost = git(path, 'rev-parse', 'HEAD')
      git(path, 'reset', '-q', '--soft', 'HEAD~1')
      const adminDir = join(mirror, 'worktrees', 'T6')
      const baseCommit = git(mirror, 'rev-parse', 'main')
      const worktree = { ...at.worktree, path, gitDir: mirror, adminDir, branch: 'yard/t6', baseCommit }
      const input = { worktree, run: runId(7), title: 'x', mayChange: null, into: join(at.folder, 'x.diff') }
      const change = changeOf(await harvest(at.deps, input))
      expect(change).toMatchObject({ fileCount: 1, leftOvers: true })
      expect(git(path, 'status', '--porcelain')).toBe('')
      expect(git(mirror, 'rev-list', '--all').split('\n')).toContain(lost)
      git(mirror, 'fsck', '--no-dangling')
    }
  })

  test('a file that only a later rule of the repository would store otherwise is no change, until somebody touches it', async () => {
    using at = aWorktree({ 'win.txt': 'one\r\ntwo\r\n', 'tab\twin.txt': 'x\r\n', 'staged.txt': 'y\r\n' })
    at.write('.gitattributes', '*.txt text\n')
    at.git('add', '.gitattributes')
    at.git('commit', '-qm', 'rules')
    for (const file of ['win.txt', 'tab\twin.txt', 'staged.txt']) utimesSync(join(at.path, file), 1, 1)
    expect(at.git('status', '--porcelain')).toContain('win.txt')
    const one = changeOf(await at.harvest(1))
    expect(one).toMatchObject({ headCommit: at.git('rev-parse', 'HEAD'), leftOvers: false })
    expect(one.files.map(({ path }) => path)).toEqual(['.gitattributes'])
    expect(await lookAtCode(at.deps, at.worktree)).toMatchObject({ isChanged: false })

    at.git('add', '--renormalize', 'staged.txt') // wanted by the attempt
    at.write('win.txt', 'one\r\ntwo\r\nthree\r\n')
    expect(await lookAtCode(at.deps, at.worktree)).toMatchObject({ isChanged: true })
    const two = changeOf(await at.harvest(2))
    expect(two.files.map(({ path }) => path)).toEqual(['.gitattributes', 'staged.txt', 'win.txt'])
    expect(at.git('show', 'HEAD:win.txt')).toBe('one\ntwo\nthree')
  })

  test('empty folders are named, because git does not record them', async () => {
    using at = aWorktree()
    mkdirSync(join(at.path, 'empty/deeper'), { recursive: true })
    expect(changeOf(await at.harvest()).notes.join()).toContain('git does not record empty folders: empty/')
  })

  test('a submodule is recorded by its number, and its files that are not committed are named', async () => {
    using at = aWorktree()
    const other = join(at.folder, 'other')
    mkdirSync(other)
    git(other, 'init', '-q', '-b', 'main')
    writeBelow(other, 'x.txt', 'x\n')
    git(other, 'add', '-A')
    git(other, 'commit', '-qm', 'x')
    at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
    at.git('commit', '-qm', 'submodule')
    writeBelow(at.path, 'sub/x.txt', 'dirty\n')
    const change = changeOf(await at.harvest())
    expect(git(at.repo, 'ls-tree', change.headCommit, 'sub')).toContain('160000 commit')
    expect(change.notes.join()).toContain('of the submodule sub only the number')
    expect(change.notes.join()).toContain('not committed in a submodule are not recorded, and stay there: sub')
    expect(readFileSync(join(at.path, 'sub/x.txt'), 'utf8')).toBe('dirty\n')
    rmSync(join(at.path, 'sub/x.txt'))
    writeBelow(at.path, 'sub/new.txt', 'new\n')
    const next = changeOf(await at.harvest(2))
    expect(next.notes.join()).toContain('and stay there: sub')
    git(join(at.path, 'sub'), 'add', '-A')
    git(join(at.path, 'sub'), 'commit', '-qm', 'in it')
    expect(changeOf(await at.harvest(3)).notes.join()).not.toContain('stay there')
  })
})

describe('wherever git was left', () => {
  test('conflicts are committed as they lie there and named, and the merge is ended', async () => {
    using at = aWorktree()
    at.git('checkout', '-q', '-b', 'other')
    at.write('a.txt', 'other\n')
    at.git('commit', '-qam', 'other')
    at.git('checkout', '-q', 'yard/t5-fix')
    at.write('a.txt', 'ours\n')
    at.git('commit', '-qam', 'ours')
    expect(tryGit(at.path, 'merge', '-q', 'other')).toBe(false)
    const change = changeOf(await at.harvest())
    expect(shown(at, change.headCommit, 'a.txt')).toContain('<<<<<<<')
    expect(change.notes).toContain('left in conflict, and committed as they lay there: a.txt')
    expect(change.notes.join()).toContain('a merge was in progress')
    expect(git(at.repo, 'rev-parse', `${change.headCommit}^2`)).toBe(git(at.repo, 'rev-parse', 'other'))
    expect(at.git('status', '--porcelain')).toBe('')
    expect(existsSync(join(at.worktree.adminDir, 'MERGE_HEAD'))).toBe(false)
  })

  test('others’ commits that it rebased or merged onto are not in its patch', async () => {
    using at = aWorktree()
    at.write('new.txt')
    at.git('add', '-A')
    at.git('commit', '-qm', 'work')
    writeBelow(at.repo, 'b.txt', 'of the person\n')
    git(at.repo, 'commit', '-qam', 'of the person')
    at.git('rebase', '-q', 'main')
    const change = changeOf(await at.harvest())
    expect(change).toMatchObject({ baseCommit: git(at.repo, 'rev-parse', 'main'), commits: 1, fileCount: 1 })
    expect(change.notes.join()).toContain('is not part of its patch')
  })

  test('an attempt that committed to the very branch it began from has changed something all the same', async () => {
    using at = aWorktree()
    git(at.repo, 'checkout', '-q', '--detach')
    at.git('checkout', '-q', 'main')
    at.write('a.txt', 'on main\n')
    at.git('commit', '-qam', 'on main')
    expect(changeOf(await at.harvest())).toMatchObject({ fileCount: 1, commits: 1, baseCommit: at.worktree.baseCommit })
  })

  test('left looking at an older commit, its own branch is what counts', async () => {
    using at = aWorktree()
    at.write('a.txt', 'work\n')
    at.git('commit', '-qam', 'work')
    const work = at.git('rev-parse', 'HEAD')
    at.git('bisect', 'start', 'HEAD', 'HEAD~1')
    at.git('checkout', '-q', 'HEAD~1')
    const change = changeOf(await at.harvest())
    expect(change.headCommit).toBe(work)
    expect(readFileSync(join(at.path, 'a.txt'), 'utf8')).toBe('work\n')
    expect(change.notes.join()).toContain('a bisect was in progress')
  })

  test('a branch that somebody moves while the attempt is recorded stays where they put it', async () => {
    using at = aWorktree()
    const theirs = git(at.repo, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs')
    writeBelow(at.repo, '.git/info/attributes', '*.txt filter=mover\n')
    const move = `env -i PATH="$PATH" git -C ${at.repo} update-ref refs/heads/yard/t5-fix ${theirs}; cat`
    git(at.repo, 'config', 'filter.mover.clean', move)
    at.write('a.txt', 'work\n')
    const change = changeOf(await at.harvest())
    expect(git(at.repo, 'rev-parse', 'yard/t5-fix')).toBe(theirs)
    expect(change.notes.join()).toContain('yard/t5-fix was not moved to the result')
    expect(shown(at, change.headCommit, 'a.txt')).toBe('work')
  })

  test('a branch that a person has checked out meanwhile is not moved under them', async () => {
    using at = aWorktree()
    at.git('checkout', '-q', '--detach')
    git(at.repo, 'checkout', '-q', 'yard/t5-fix')
    at.write('a.txt', 'work\n')
    const change = changeOf(await at.harvest())
    expect(git(at.repo, 'rev-parse', 'yard/t5-fix')).toBe(at.worktree.baseCommit)
    expect(git(at.repo, 'rev-parse', 'refs/yardmaster/t5-fix/R12')).toBe(change.headCommit)
    expect(change.notes.join()).toContain(`it is checked out in ${at.repo}`)
    expect(git(at.repo, 'status', '--porcelain')).toBe('')
  })

  test('a worktree that is gone leaves what was committed, on the branch or not', async () => {
    using at = aWorktree()
    at.git('checkout', '-q', '--detach')
    at.write('a.txt', 'work\n')
    at.git('commit', '-qam', 'work')
    const work = at.git('rev-parse', 'HEAD')
    rmSync(at.path, { recursive: true })
    expect(changeOf(await at.harvest())).toMatchObject({ headCommit: work, fileCount: 1, leftOvers: false })
    expect(git(at.repo, 'rev-parse', 'yard/t5-fix')).toBe(work)
  })

  test('a worktree that git knows no more is recorded by its files', async () => {
    using at = aWorktree()
    at.write('new.txt')
    rmSync(at.worktree.adminDir, { recursive: true })
    const change = changeOf(await at.harvest())
    expect(change).toMatchObject({ fileCount: 1, leftOvers: true })
    expect(readdirSync(join(at.repo, '.git')).filter((name) => name.startsWith('yardmaster'))).toEqual([])
    expect(git(at.repo, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  })

  test('worktree and branch both gone, or the whole repository, is said and nothing is made up', async () => {
    using at = aWorktree()
    git(at.repo, 'worktree', 'remove', '--force', at.path)
    git(at.repo, 'branch', '-D', 'yard/t5-fix')
    expect(await at.harvest()).toMatchObject({ ok: false, fault: 'gone' })
    renameSync(at.repo, `${at.repo}-moved`)
    expect(await at.harvest()).toMatchObject({ ok: false, fault: 'gone' })
  })

  test('a .git that points to another repository is not followed, and points home again', async () => {
    using at = aWorktree()
    const other = join(at.folder, 'other')
    mkdirSync(other)
    git(other, 'init', '-q')
    writeFileSync(join(at.path, '.git'), `gitdir: ${other}/.git\n`)
    at.write('a.txt', 'work\n')
    const change = changeOf(await at.harvest())
    expect(change).toMatchObject({ fileCount: 1 })
    expect(change.notes.join()).toContain('did not lead to its repository any more')
    expect(readdirSync(join(other, '.git/objects')).sort()).toEqual(['info', 'pack'])
    expect(at.git('rev-parse', '--git-dir')).toBe(at.worktree.adminDir)
  })

  test('what git keeps of the worktree is not followed either when it was made to lead elsewhere', async () => {
    using at = aWorktree()
    const other = join(at.folder, 'other')
    mkdirSync(other)
    git(other, 'init', '-q')
    writeFileSync(join(at.worktree.adminDir, 'commondir'), `${other}/.git\n`)
    writeFileSync(join(at.worktree.adminDir, 'gitdir'), `${other}/.git\n`)
    at.write('a.txt', 'work\n')
    const change = changeOf(await at.harvest())
    expect(change).toMatchObject({ fileCount: 1, notes: [expect.stringContaining('led to another repository')] })
    expect(at.git('rev-parse', '--path-format=absolute', '--git-common-dir')).toBe(at.worktree.gitDir)
    expect(git(at.repo, 'worktree', 'list')).toContain(at.path)
    expect(readdirSync(join(other, '.git/objects')).sort()).toEqual(['info', 'pack'])
  })

  test('a link in the place of the worktree is not followed', async () => {
    using at = aWorktree()
    const precious = join(at.folder, 'precious')
    writeBelow(precious, 'secret.txt', 'secret\n')
    rmSync(at.path, { recursive: true })
    symlinkSync(precious, at.path)
    expect(changeOf(await at.harvest())).toMatchObject({ fileCount: 0 })
    expect(readdirSync(precious)).toEqual(['secret.txt'])
  })
})

describe('may_change', () => {
  test('names every changed path that is not allowed, both sides of a rename', async () => {
    using at = aWorktree({ 'src/a.ts': 'a\n', 'docs/b.md': 'b\n' })
    at.git('mv', 'docs/b.md', 'src/b.md')
    at.write('src/.hidden')
    at.write('package.json')
    const change = changeOf(await at.harvest(12, { mayChange: ['src/'] }))
    expect(change.outside).toEqual(['docs/b.md', 'package.json'])
  })
})

describe.skipIf(!canMount)('a disk that is full in the middle', () => {
  test('loses nothing, changes no file, and a later call succeeds', async () => {
    const disk = mountSmallDisk(4)
    if (disk === undefined) return
    using _ = disk
    using at = aWorktree({ 'a.txt': 'a\n' }, disk.folder)
    at.write('a.txt', 'work\n')
    at.write('big.bin', Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7919) % 251)))
    const free = disk.fill()
    const before = git(at.repo, 'for-each-ref')
    expect(await at.harvest()).toMatchObject({ ok: false, fault: 'short' })
    expect(git(at.repo, 'for-each-ref')).toBe(before)
    expect(readFileSync(join(at.path, 'a.txt'), 'utf8')).toBe('work\n')
    free()
    expect(changeOf(await at.harvest())).toMatchObject({ fileCount: 2, leftOvers: true })
    git(at.repo, 'fsck', '--no-dangling')
  })
})
