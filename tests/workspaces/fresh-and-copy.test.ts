import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSetupDue, markSetupDone } from '../../src/workspaces/setup-state.ts'
import { codeOf, madeOf, openPlace, type Place } from './repository.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.clear())

describe('an attempt that begins afresh', () => {
  test('C82: what was left is stored as a patch that gives all of it back, then the worktree is what it began as', async () => {
    const { worktree } = madeOf(await place.make({ attempts: 'fresh' }))
    const { path } = worktree
    writeFileSync(join(path, 'a.txt'), 'committed\n')
    place.git(['commit', '-qam', 'work'], path)
    const binary = Buffer.from([0, 1, 2, 255, 10, 0])
    writeFileSync(join(path, 'new\nname.bin'), binary)
    rmSync(join(path, 'src', 'b.txt'))
    mkdirSync(join(path, 'node_modules'))
    writeFileSync(join(path, 'node_modules', 'x'), '')
    place.git(['checkout', '-q', '--detach'], path)
    const again = madeOf(await place.make({ attempts: 'fresh' }))
    expect(again).toMatchObject({ how: 'reset', worktree, saved: { file: join(place.root, 'run', 'before.diff') } })
    expect(place.git(['status', '--porcelain', '--ignored', '--branch'], path)).toBe(`## ${worktree.branch}`)
    expect(place.git(['rev-parse', 'HEAD'], path)).toBe(worktree.baseCommit)
    expect(existsSync(join(path, 'node_modules'))).toBe(false)
    place.git(['apply', again.saved?.file ?? ''], path)
    expect(readFileSync(join(path, 'new\nname.bin'))).toEqual(binary)
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('committed\n')
    expect(existsSync(join(path, 'src', 'b.txt'))).toBe(false)
    expect(place.git(['log', '--all', '--format=%s'])).toContain('work')
  })

  test('puts submodules back, too, and keeps what no patch has of them, also of one that the attempt has added', async () => {
    const other = place.addSubmodule('lib')
    const { path, adminDir } = madeOf(await place.make()).worktree
    place.git(['submodule', '--quiet', 'update', '--init'], path)
    writeFileSync(join(path, 'lib', 'x.txt'), 'committed\n')
    place.git(['commit', '-qam', 'mine'], join(path, 'lib'))
    writeFileSync(join(path, 'lib', 'new.txt'), 'new\n')
    place.git(['submodule', '--quiet', 'add', other, 'added'], path)
    writeFileSync(join(path, 'added', 'work.txt'), 'work\n')

    expect(madeOf(await place.make({ attempts: 'fresh' })).notes.join()).toMatch(/submodule lib held .*submodule added/)
    expect(place.git(['status', '--porcelain'], path)).toBe('')
    expect(readFileSync(join(path, 'lib', 'x.txt'), 'utf8')).toBe('x\n')
    expect([existsSync(join(path, 'lib', 'new.txt')), existsSync(join(path, 'added'))]).toEqual([false, false])
    const held = (name: string) => {
      const store = join(adminDir, 'modules', name)
      const here = ['--git-dir=.', '--work-tree=.']
      const refs = place.git([...here, 'for-each-ref', '--format=%(refname)', 'refs/yardmaster'], store)
      return place.git([...here, 'ls-tree', '--name-only', refs], store).split('\n')
    }
    expect([held('lib'), held('added')]).toEqual([
      ['new.txt', 'x.txt'],
      ['work.txt', 'x.txt'],
    ])
    expect(madeOf(await place.make({ attempts: 'fresh' })).notes).toEqual([])
  })

  test('with nothing left stores no patch', async () => {
    madeOf(await place.make())
    expect(madeOf(await place.make({ attempts: 'fresh' }))).toMatchObject({ how: 'reset', saved: null })
    expect(existsSync(join(place.root, 'run', 'before.diff'))).toBe(false)
  })

  test('C82: where the patch cannot be stored nothing is touched', async () => {
    const { worktree } = madeOf(await place.make())
    writeFileSync(join(worktree.path, 'a.txt'), 'left\n')
    const savePatchTo = join(place.root, 'run', 'taken')
    mkdirSync(join(savePatchTo, 'in-the-way'), { recursive: true })
    expect(codeOf(await place.make({ attempts: 'fresh', savePatchTo }))).toBe('machine WORKSPACES_PATCH_NOT_SAVED')
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('left\n')
  })

  test('C82: what no patch can hold is named and stays, and the worktree is not emptied', async () => {
    const { worktree } = madeOf(await place.make())
    const nested = Buffer.concat([Buffer.from(`${worktree.path}/`), Buffer.from([0xff])])
    const file = Buffer.concat([nested, Buffer.from('/x.txt')])
    mkdirSync(nested)
    writeFileSync(file, 'x')
    place.git(['init', '-q', join(place.root, 'other')])
    renameSync(join(place.root, 'other', '.git'), Buffer.concat([nested, Buffer.from('/.git')]))
    const refused = await place.make({ attempts: 'fresh' })
    expect(codeOf(refused)).toBe('task WORKSPACES_PATCH_NOT_SAVED')
    expect(refused.ok ? '' : refused.error.message).toContain('its files stay in the worktree')
    expect(readFileSync(file, 'utf8')).toBe('x')
  })

  test('keeps what setup has made, and brings the copied files along anew', async () => {
    place.write('.env.test', 'A=1\n')
    const asked = { attempts: 'fresh', copy: ['.env.test'] } as const
    const { worktree } = madeOf(await place.make(asked))
    expect(await isSetupDue(place.deps, { worktree, setup: { run: 'x' } })).toBe(true)
    mkdirSync(join(worktree.path, 'node_modules', '[odd] name'), { recursive: true })
    writeFileSync(join(worktree.path, 'node_modules', '[odd] name', 'x'), '')
    await markSetupDone(place.deps, { worktree, setup: { run: 'x' } })
    writeFileSync(join(worktree.path, '.env.local'), 'from the worker')
    writeFileSync(join(worktree.path, '.env.test'), 'changed by the worker')
    madeOf(await place.make(asked))
    expect(readdirSync(worktree.path).toSorted()).toEqual([
      '.env.test',
      '.git',
      '.gitignore',
      'a.txt',
      'node_modules',
      'src',
    ])
    expect(readFileSync(join(worktree.path, '.env.test'), 'utf8')).toBe('A=1\n')
    expect(existsSync(join(worktree.path, 'node_modules', '[odd] name', 'x'))).toBe(true)
  })
})

describe('files that are brought along', () => {
  test('are copied with their modes and links, folders with all in them, by path and by glob', async () => {
    place.write('.env.test', 'A=1\n')
    place.write('node_modules/a/run', '#!/bin/sh\n')
    statSync(place.repo)
    place.git(['config', 'core.fileMode', 'true'])
    writeFileSync(join(place.repo, 'node_modules', 'run'), 'x', { mode: 0o750 })
    symlinkSync('a/run', join(place.repo, 'node_modules', 'link'))
    place.write('deep/.env.one', '1')
    place.write('deep/er/.env.two', '2')
    const made = madeOf(await place.make({ copy: ['.env.test', 'node_modules/', '**/.env.*'] }))
    const { path } = made.worktree
    expect(readFileSync(join(path, '.env.test'), 'utf8')).toBe('A=1\n')
    expect(readFileSync(join(path, 'deep/er/.env.two'), 'utf8')).toBe('2')
    expect(readlinkSync(join(path, 'node_modules/link'))).toBe('a/run')
    expect(statSync(join(path, 'node_modules/run')).mode & 0o777).toBe(0o750)
    expect(place.git(['status', '--porcelain'], path)).toBe('')
  })

  test('never go over a file of git, and a link that leads out is left out; both are said', async () => {
    place.write('a.txt', 'changed by the user\n')
    place.write('.env.d/x', 'x')
    symlinkSync('/etc/passwd', join(place.repo, '.env.d', 'out'))
    symlinkSync('../../..', join(place.repo, '.env.d', 'up'))
    const { worktree, notes } = madeOf(await place.make({ copy: ['a.txt', '.env.d'] }))
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(notes.toSorted()).toEqual([
      '.env.d/out was not copied: it is a link that leads out',
      '.env.d/up was not copied: it is a link that leads out',
      'a.txt was not copied: it is there already',
    ])
  })

  test('that are missing, or lie outside, are an error that names them, and nothing half is left', async () => {
    const missing = await place.make({ copy: ['.env.prod'] })
    expect(codeOf(missing)).toBe('task WORKSPACES_COPY_MISSING')
    expect(missing.ok ? '' : missing.error.message).toContain('.env.prod')
    expect(codeOf(await place.make({ copy: ['*.none'] }))).toBe('task WORKSPACES_COPY_MISSING')
    symlinkSync('/etc', join(place.repo, 'etc'))
    for (const pattern of ['../x', '/etc/passwd', 'a/../../x', '.git/config', 'etc/passwd']) {
      expect(codeOf(await place.make({ copy: [pattern] }))).toBe('task WORKSPACES_COPY_OUTSIDE')
    }
    expect(place.branches()).toEqual(['main'])
    expect(readdirSync(join(place.home, 'workspaces'))).toEqual([])
  })

  test('a link that the repository has in their place is not written through', async () => {
    const outside = join(place.root, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(place.repo, 'conf'))
    place.git(['add', '-A'])
    place.git(['commit', '-qm', 'link'])
    const from = join(place.root, 'from')
    mkdirSync(join(from, 'conf'), { recursive: true })
    writeFileSync(join(from, 'conf', 'key'), 'x')
    const bare = join(place.root, 'bare.git')
    place.git(['clone', '-q', '--bare', place.repo, bare])
    const made = madeOf(await place.make({ repo: bare, copyFrom: from, copy: ['conf/key'] }))
    expect(made.notes.join()).toContain('conf/key was not copied')
    expect(readdirSync(outside)).toEqual([])
  })
})
