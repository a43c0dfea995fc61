import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { taskId } from '../../src/kernel/index.ts'
import { markFile, readMark, writeMark } from '../../src/workspaces/mark.ts'
import { makeScratch, retireScratch } from '../../src/workspaces/scratch.ts'
import { takeBack } from '../../src/workspaces/take-back.ts'
import { recallWorktree } from '../../src/workspaces/worktree.ts'
import { codeOf, madeOf, openPlace, type Place } from './repository.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.clear())

const head = (path: string) => place.git(['rev-parse', 'HEAD'], path)
const tree = (id = 5) => join(place.home, 'workspaces', `T${id}`)

describe('a new worktree', () => {
  test('stands on a branch of its own at what is checked out in the repository, and is on record', async () => {
    const { worktree, how, notes, saved } = madeOf(await place.make())
    expect({ how, notes, saved }).toEqual({ how: 'made', notes: [], saved: null })
    expect(worktree).toEqual({
      task: 5,
      path: tree(),
      repo: place.repo,
      gitDir: join(place.repo, '.git'),
      adminDir: join(place.repo, '.git', 'worktrees', 'T5'),
      branch: 'yard/t5-fix-flaky-login-test',
      baseRef: 'main',
      baseCommit: head(place.repo),
    })
    expect(recallWorktree(place.home, taskId(5))).toEqual(worktree)
    expect(place.git(['status', '--porcelain', '--branch'], worktree.path)).toBe(`## ${worktree.branch}`)
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(statSync(markFile(worktree.path)).mode & 0o777).toBe(0o600)
  })

  test('leaves the configuration of the repository and what is changed in it alone, and outlives a prune', async () => {
    place.write('a.txt', 'mine\n')
    const before = readFileSync(join(place.repo, '.git', 'config'), 'utf8')
    madeOf(await place.make())
    renameSync(tree(), join(place.root, 'away'))
    place.git(['worktree', 'prune'])
    renameSync(join(place.root, 'away'), tree())
    expect(readFileSync(join(place.repo, '.git', 'config'), 'utf8')).toBe(before)
    expect(readFileSync(join(place.repo, 'a.txt'), 'utf8')).toBe('mine\n')
    expect(codeOf(await place.make())).toBe('kept')
  })

  test('begins from a branch, a tag, a commit or a branch of the remote, as asked', async () => {
    const first = place.git(['rev-parse', 'HEAD^'])
    place.git(['branch', 'old', first])
    place.git(['tag', '-a', '-m', 'x', 'v1', first])
    place.git(['update-ref', 'refs/remotes/origin/theirs', first])
    for (const [at, ref] of ['old', 'v1', first, 'origin/theirs', 'theirs', 'HEAD~1'].entries()) {
      const { worktree } = madeOf(await place.make({ id: 10 + at, ref }))
      expect([worktree.baseRef, worktree.baseCommit, head(worktree.path)]).toEqual([ref, first, first])
    }
  })

  test('can be made of a folder in the repository, of a bare one, of a shallow one with a note, and of a detached HEAD', async () => {
    expect(codeOf(await place.make({ id: 1, repo: join(place.repo, 'src') }))).toBe('made')
    const bare = join(place.root, 'bare.git')
    place.git(['clone', '-q', '--bare', place.repo, bare])
    expect(madeOf(await place.make({ id: 2, repo: bare })).worktree).toMatchObject({ gitDir: bare, baseRef: 'main' })
    const shallow = join(place.root, 'shallow')
    place.git(['clone', '-q', '--depth=1', `file://${place.repo}`, shallow])
    expect(madeOf(await place.make({ id: 3, repo: shallow })).notes.join()).toContain('shallow')
    place.git(['checkout', '-q', '--detach'])
    expect(madeOf(await place.make({ id: 4 })).worktree).toMatchObject({ baseRef: null, baseCommit: head(place.repo) })
  })

  test('writes its files nowhere else, whatever the configuration of the repository says', async () => {
    const elsewhere = join(place.root, 'elsewhere')
    mkdirSync(elsewhere)
    const bare = join(place.root, 'bare.git')
    place.git(['clone', '-q', '--bare', place.repo, bare])
    for (const repo of [bare, place.repo]) {
      place.git(['config', '--file', join(repo, repo === bare ? 'config' : '.git/config'), 'core.worktree', elsewhere])
      const made = await place.make({ id: repo === bare ? 1 : 2, repo })
      expect(readdirSync(elsewhere)).toEqual([])
      if (made.ok) expect(existsSync(join(made.worktree.path, 'a.txt'))).toBe(true)
    }
  })

  test('runs no hook of the repository', async () => {
    const hook = join(place.repo, '.git', 'hooks', 'post-checkout')
    writeFileSync(hook, `#!/bin/sh\ntouch ${place.root}/ran\n`, { mode: 0o755 })
    madeOf(await place.make())
    expect(existsSync(join(place.root, 'ran'))).toBe(false)
  })

  test('says that submodules are empty and that large files are pointers where git-lfs is missing', async () => {
    place.write('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ./x\n')
    place.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
    place.write('big.bin', 'version https://git-lfs.github.com/spec/v1\n')
    place.git(['add', '-A'])
    place.git(['commit', '-qm', 'odd'])
    place.git(['config', '--global', 'filter.lfs.smudge', 'git-lfs smudge -- %f'])
    place.git(['config', '--global', 'filter.lfs.process', 'git-lfs filter-process'])
    place.git(['config', '--global', 'filter.lfs.required', 'true'])
    const { notes, worktree } = madeOf(await place.make())
    expect(notes.join('\n')).toMatch(/submodules.*\n.*git-lfs is not installed/)
    expect(readFileSync(join(worktree.path, 'big.bin'), 'utf8')).toContain('git-lfs.github.com')
    expect(place.branches()).toEqual(['main', worktree.branch])
  })

  test('C88: ten that are made in the same moment all exist, and no branch or lock file is left over', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, (_, at) => place.make({ id: at + 1 })))
    expect(made.map(codeOf)).toEqual(Array(10).fill('made'))
    expect(place.branches()).toHaveLength(11)
    expect(readdirSync(join(place.repo, '.git', 'worktrees'))).toHaveLength(10)
    expect(lockFiles(place.repo)).toEqual([])
    expect(place.git(['fsck', '--strict'])).toBe('')
  })

  test('takes another name where its branch is somebody else’s, and the same one again for itself', async () => {
    place.git(['branch', 'yard/t5-fix-flaky-login-test'])
    place.git(['branch', 'yard/t5-fix-flaky-login-test-2/part'])
    const { worktree } = madeOf(await place.make())
    expect(worktree.branch).toBe('yard/t5-fix-flaky-login-test-3')
    expect(madeOf(await place.make()).worktree.branch).toBe(worktree.branch)
  })

  test('C178: its path stays within 20 bytes of the home, in one form, whichever way the home is named', async () => {
    symlinkSync(place.home, join(place.root, 'alias'))
    const deps = { ...place.deps, home: join(place.root, 'alias') }
    const { worktree } = madeOf(await place.make({ id: 9_999_999, title: 'x'.repeat(500) }, deps))
    expect(worktree.path).toBe(join(place.home, 'workspaces', 'T9999999'))
    expect(worktree.path.length - place.home.length).toBeLessThanOrEqual(20)
    expect(recallWorktree(deps.home, taskId(9_999_999))).toEqual(recallWorktree(place.home, taskId(9_999_999)))
  })
})

describe('what no worktree is made of, each with a fix', () => {
  test('no repository, an empty one, a missing folder, and the home itself, through links too', async () => {
    const bare = join(place.root, 'plain')
    mkdirSync(bare)
    expect(codeOf(await place.make({ repo: bare }))).toBe('task WORKSPACES_NO_REPOSITORY')
    place.git(['init', '-q'], bare)
    expect(codeOf(await place.make({ repo: bare }))).toBe('task WORKSPACES_REPO_EMPTY')
    expect(codeOf(await place.make({ repo: join(place.root, 'gone') }))).toBe('task WORKSPACES_FOLDER_MISSING')
    const inHome = join(place.home, 'mine')
    place.git(['clone', '-q', place.repo, inHome])
    symlinkSync(inHome, join(place.root, 'link'))
    expect(codeOf(await place.make({ repo: join(place.root, 'link') }))).toBe('task WORKSPACES_IN_HOME')
    const led = join(place.root, 'led')
    mkdirSync(led)
    writeFileSync(join(led, '.git'), `gitdir: ${inHome}/.git\n`)
    expect(codeOf(await place.make({ repo: led }))).toBe('task WORKSPACES_IN_HOME')
    expect(existsSync(tree())).toBe(false)
  })

  test('a ref that is not there names the near one; one that is no name, or an option, is refused', async () => {
    place.git(['branch', 'release'])
    const missing = await place.make({ ref: 'relaese' })
    expect(codeOf(missing)).toBe('task WORKSPACES_NO_REF')
    expect(missing.ok ? '' : missing.error.fix).toContain('release')
    for (const ref of ['--upload-pack=x', '-b', '', 'a b', 'main..release', 'x\n']) {
      expect(codeOf(await place.make({ ref }))).toBe('task WORKSPACES_BAD_REF')
    }
  })

  test('a branch that is called like our folder is named', async () => {
    place.git(['branch', 'yard'])
    const refused = await place.make()
    expect(codeOf(refused)).toBe('task WORKSPACES_BRANCH_CLASH')
    expect(refused.ok ? '' : refused.error.fix).toBe('rename it: git branch -m yard another-name')
  })

  test('no git, or one that is too old, is the machine’s', async () => {
    const bin = join(place.root, 'bin')
    mkdirSync(bin)
    const deps = { ...place.deps, env: { ...place.deps.env, PATH: bin } }
    expect(codeOf(await place.make({}, deps))).toBe('machine WORKSPACES_GIT_MISSING')
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.25.1\n', { mode: 0o755 })
    const old = await place.make({}, deps)
    expect(codeOf(old)).toBe('machine WORKSPACES_GIT_TOO_OLD')
    expect(old.ok ? '' : old.error.message).toContain('2.25.1')
  })

  test('a full disk is no fault of the task, and leaves nothing half', async () => {
    const bin = join(place.root, 'bin')
    mkdirSync(bin)
    const real = `PATH=${place.deps.env.PATH} exec git "$@"`
    const full =
      'case "$*" in *"worktree add"*) echo "fatal: cannot write: No space left on device" >&2; exit 128;; esac'
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${full}\n${real}\n`, { mode: 0o755 })
    const deps = { ...place.deps, env: { ...place.deps.env, PATH: `${bin}:${place.deps.env.PATH}` } }
    expect(codeOf(await place.make({}, deps))).toBe('short WORKSPACES_DISK_FULL')
    expect(existsSync(markFile(tree()))).toBe(false)
    expect(place.branches()).toEqual(['main'])
    expect(codeOf(await place.make())).toBe('made')
  })
})

describe('a worktree of an earlier attempt', () => {
  test('is kept as it was left: commits, changes, a merge in its middle, and stale locks of its own are removed', async () => {
    const { worktree } = madeOf(await place.make())
    writeFileSync(join(worktree.path, 'a.txt'), 'left\n')
    writeFileSync(join(worktree.path, 'new.txt'), 'left\n')
    writeFileSync(join(worktree.adminDir, 'index.lock'), '')
    writeFileSync(join(worktree.adminDir, 'MERGE_HEAD'), `${worktree.baseCommit}\n`)
    writeFileSync(join(worktree.gitDir, 'packed-refs.lock'), '')
    const kept = madeOf(await place.make())
    expect(kept).toMatchObject({ how: 'kept', worktree, saved: null })
    expect(kept.notes.join('\n')).toMatch(/stale locks.*index\.lock\n.*merge/)
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('left\n')
    expect(existsSync(join(worktree.adminDir, 'index.lock'))).toBe(false)
    expect(existsSync(join(worktree.gitDir, 'packed-refs.lock'))).toBe(true)
  })

  test('that was deleted is made anew from the last commit of its branch, and that is said', async () => {
    const { worktree } = madeOf(await place.make())
    writeFileSync(join(worktree.path, 'a.txt'), 'kept\n')
    place.git(['commit', '-qam', 'work'], worktree.path)
    rmSync(worktree.path, { recursive: true })
    const again = madeOf(await place.make())
    expect(again).toMatchObject({ how: 'made', worktree: { branch: worktree.branch, baseCommit: worktree.baseCommit } })
    expect(again.notes.join()).toContain('was made anew')
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('kept\n')
    place.git(['worktree', 'unlock', worktree.path])
    place.git(['worktree', 'remove', '--force', worktree.path])
    place.git(['branch', '-D', worktree.branch])
    expect(madeOf(await place.make()).notes.join()).toContain('branch were removed')
    expect(place.branches()).toEqual(['main', worktree.branch])
  })

  test('whose branch is checked out elsewhere names where', async () => {
    const { worktree } = madeOf(await place.make())
    rmSync(worktree.path, { recursive: true })
    place.git(['worktree', 'unlock', worktree.path])
    place.git(['worktree', 'prune'])
    place.git(['switch', '-q', worktree.branch])
    const refused = await place.make()
    expect(codeOf(refused)).toBe('task WORKSPACES_BRANCH_ELSEWHERE')
    expect(refused.ok ? '' : refused.error.message).toContain(place.repo)
    expect(existsSync(tree())).toBe(false)
    place.git(['switch', '-q', 'main'])
    expect(madeOf(await place.make()).worktree).toEqual(worktree)
  })

  test('goes on from its branch, whatever has kept it from being made again, and wherever that was killed', async () => {
    const { worktree } = madeOf(await place.make())
    place.git(['commit', '-q', '--allow-empty', '-m', 'work'], worktree.path)
    const mark = readMark(worktree.path)
    if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') throw new Error('no mark')
    rmSync(worktree.path, { recursive: true })
    expect(codeOf(await place.make({ copy: ['.env.gone'] }))).toBe('task WORKSPACES_COPY_MISSING')
    const over = AbortSignal.abort()
    expect((await place.make({}, { ...place.deps, signal: over })).ok).toBe(false)
    expect(codeOf(await place.make())).toBe('made')
    for (const destroy of [() => {}, () => rmSync(tree(), { recursive: true })]) {
      writeMark(worktree.path, { ...mark, state: 'making_again', identity: null, adminDir: null, branchWasThere: true })
      destroy()
      const again = madeOf(await place.make())
      expect(again.worktree).toEqual(worktree)
      expect(place.git(['log', '-1', '--format=%s'], again.worktree.path)).toBe('work')
    }
    expect(place.branches()).toEqual(['main', worktree.branch])
  })

  test('whose .git file leads elsewhere is refused by name, before any git runs in it; one that is gone is written again', async () => {
    const { worktree } = madeOf(await place.make())
    const file = join(worktree.path, '.git')
    const right = readFileSync(file, 'utf8')
    const evil = join(place.root, 'evil')
    place.git(['clone', '-q', place.repo, evil])
    writeFileSync(file, `gitdir: ${evil}/.git\n`)
    const refused = await place.make()
    expect(codeOf(refused)).toBe('task WORKSPACES_GIT_FILE_ELSEWHERE')
    expect(refused.ok ? '' : refused.error.message).toContain(evil)
    rmSync(file)
    symlinkSync(join(evil, '.git'), file)
    expect(codeOf(await place.make())).toBe('task WORKSPACES_GIT_FILE_ELSEWHERE')
    rmSync(file)
    expect(madeOf(await place.make()).notes.join()).toContain('written again')
    expect(readFileSync(file, 'utf8')).toBe(right)
    const commonDir = join(worktree.adminDir, 'commondir')
    writeFileSync(commonDir, `${evil}/.git\n`)
    expect(codeOf(await place.make())).toBe('task WORKSPACES_UNREGISTERED')
    rmSync(worktree.adminDir, { recursive: true })
    expect(codeOf(await place.make())).toBe('task WORKSPACES_UNREGISTERED')
    expect(existsSync(join(worktree.path, 'a.txt'))).toBe(true)
  })

  test('of another repository than its card now names is not reused', async () => {
    const other = join(place.root, 'other')
    place.git(['clone', '-q', place.repo, other])
    madeOf(await place.make())
    expect(codeOf(await place.make({ repo: other }))).toBe('task WORKSPACES_OTHER_REPO')
  })
})

describe('a kill at any moment', () => {
  /** As a kill leaves it in the middle: the mark says `making`, and what git had done until then is there. */
  async function half(): Promise<string> {
    const { worktree } = madeOf(await place.make())
    const mark = readMark(worktree.path)
    if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') throw new Error('no mark')
    writeMark(worktree.path, { ...mark, state: 'making', identity: null, adminDir: null })
    return worktree.path
  }

  test('what is half made is taken back by the next call, which makes it whole under the same name', async () => {
    for (const destroy of [
      () => {},
      () => rmSync(tree(), { recursive: true }),
      () => rmSync(join(tree(), '.git')),
      () => rmSync(join(place.repo, '.git', 'worktrees', 'T5', 'gitdir')),
      () => rmSync(join(place.repo, '.git', 'worktrees', 'T5', 'HEAD')),
      () => writeFileSync(join(place.repo, '.git', 'refs', 'heads', 'yard', 't5-fix-flaky-login-test.lock'), ''),
    ]) {
      await half()
      destroy()
      const again = madeOf(await place.make())
      expect(again).toMatchObject({ how: 'made', worktree: { branch: 'yard/t5-fix-flaky-login-test' } })
      expect(place.branches()).toEqual(['main', 'yard/t5-fix-flaky-login-test'])
      expect(readdirSync(join(place.repo, '.git', 'worktrees'))).toHaveLength(1)
      expect(lockFiles(place.repo)).toEqual([])
    }
  })

  test('a branch that has got a commit meanwhile is kept, and another name is taken', async () => {
    const path = await half()
    writeFileSync(join(path, 'a.txt'), 'x\n')
    place.git(['commit', '-qam', 'work'], path)
    expect(madeOf(await place.make()).worktree.branch).toBe('yard/t5-fix-flaky-login-test-2')
    expect(place.git(['log', '-1', '--format=%s', 'yard/t5-fix-flaky-login-test'])).toBe('work')
  })

  test('with the repository gone, what is left of ours is moved away', async () => {
    await half()
    rmSync(place.repo, { recursive: true })
    expect(codeOf(await place.make())).toBe('task WORKSPACES_FOLDER_MISSING')
    expect(existsSync(tree())).toBe(false)
    expect(existsSync(markFile(tree()))).toBe(false)
  })
})

describe('scratch folder or worktree', () => {
  test('an unused scratch folder gives way to a worktree; a used one is named and left alone', async () => {
    expect(makeScratch(tree())).toBeUndefined()
    expect(codeOf(await place.make())).toBe('made')
    expect(makeScratch(tree(6))).toBeUndefined()
    writeFileSync(join(tree(6), 'notes.md'), 'mine')
    expect(codeOf(await place.make({ id: 6 }))).toBe('task WORKSPACES_KIND_CHANGED')
    expect(readFileSync(join(tree(6), 'notes.md'), 'utf8')).toBe('mine')
  })

  test('a worktree is never taken for a scratch folder, nor removed as one', async () => {
    madeOf(await place.make())
    expect(makeScratch(tree())?.code).toBe('WORKSPACES_KIND_CHANGED')
    expect(retireScratch(tree(), join(place.root, 'trash'))).toBe('worktree')
    expect(existsSync(join(tree(), 'a.txt'))).toBe(true)
  })

  test('what others have put in the place, a link or a folder with files, is left as it is', async () => {
    mkdirSync(join(place.home, 'workspaces'), { mode: 0o700 })
    symlinkSync(place.repo, tree())
    expect(codeOf(await place.make())).toBe('task WORKSPACES_PLACE_TAKEN')
    expect(lstatSync(tree()).isSymbolicLink()).toBe(true)
    rmSync(tree())
    madeOf(await place.make())
    renameSync(tree(), join(place.root, 'away'))
    symlinkSync(join(place.root, 'away'), tree())
    expect(codeOf(await place.make())).toBe('task WORKSPACES_PLACE_TAKEN')
    rmSync(tree())
    mkdirSync(tree())
    writeFileSync(join(tree(), 'x'), '')
    expect(codeOf(await place.make())).toBe('task WORKSPACES_PLACE_TAKEN')
    writeFileSync(markFile(tree()), '{"kind":"worktree"')
    expect(codeOf(await place.make())).toBe('task WORKSPACES_MARK_BROKEN')
    expect(recallWorktree(place.home, taskId(5))).toBeUndefined()
  })

  test('nor is it taken back with what was half made', async () => {
    const { worktree } = madeOf(await place.make())
    const mark = readMark(worktree.path)
    if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') throw new Error('no mark')
    const fault = await takeBack(place.deps, worktree.path, { ...mark, identity: '1:1' })
    expect(fault?.error.code).toBe('WORKSPACES_PLACE_TAKEN')
    expect(existsSync(join(worktree.path, 'a.txt'))).toBe(true)
  })
})

function lockFiles(repo: string): readonly string[] {
  return readdirSync(join(repo, '.git'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'))
}
