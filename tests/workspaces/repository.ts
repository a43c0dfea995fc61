import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Clock, systemClock, systemRandom, taskId } from '../../src/kernel/index.ts'
import { type AskedWorktree, type MadeWorktree, makeWorktree } from '../../src/workspaces/make-worktree.ts'
import type { WorkspaceDeps } from '../../src/workspaces/worktree.ts'

/** A user with a home, a yard and a repository with two commits, all in one temporary folder. */
export interface Place {
  readonly root: string
  readonly home: string
  readonly repo: string
  readonly deps: WorkspaceDeps
  /** The user's own git. Answers what it prints, without the last line's end. */
  git(args: readonly string[], cwd?: string): string
  write(file: string, text: string): void
  /** Commits another repository, which holds `x.txt`, as a submodule there. Answers where that other one is. */
  addSubmodule(path: string): string
  make(asked?: Partial<AskedWorktree> & { readonly id?: number }, deps?: WorkspaceDeps): Promise<MadeWorktree>
  /** `yard/t5-…` and all others. */
  branches(): readonly string[]
  clear(): void
}

export function openPlace(clock: Clock = systemClock): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-tree-')))
  const home = join(root, 'state', 'yard')
  const repo = join(root, 'code', 'shop')
  mkdirSync(home, { recursive: true })
  mkdirSync(repo, { recursive: true })
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(root, '.gitconfig'),
  }
  writeFileSync(
    join(root, '.gitconfig'),
    '[user]\nname = Ann\nemail = ann@example.com\n[protocol "file"]\nallow = always\n[init]\ndefaultBranch = main\n',
  )
  const deps: WorkspaceDeps = {
    env,
    signal: new AbortController().signal,
    home,
    program: join(root, 'lib', 'yardmaster'),
    clock,
    random: systemRandom,
  }
  const place: Place = {
    root,
    home,
    repo,
    deps,
    git: (args, cwd = repo) =>
      execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, ''),
    write: (file, text) => {
      mkdirSync(dirname(join(repo, file)), { recursive: true })
      writeFileSync(join(repo, file), text)
    },
    addSubmodule: (path) => {
      const other = join(root, 'other')
      mkdirSync(other)
      place.git(['init', '-q'], other)
      writeFileSync(join(other, 'x.txt'), 'x\n')
      place.git(['add', '-A'], other)
      place.git(['commit', '-qm', 'x'], other)
      place.git(['submodule', '--quiet', 'add', other, path])
      place.git(['commit', '-qm', 'submodule'])
      return other
    },
    make: ({ id = 5, ...asked } = {}, other = deps) =>
      makeWorktree(other, {
        task: taskId(id),
        title: 'Fix flaky login test',
        repo,
        ref: null,
        depth: null,
        copy: [],
        copyFrom: repo,
        attempts: 'keep',
        savePatchTo: join(root, 'run', 'before.diff'),
        ...asked,
      }),
    branches: () => place.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads']).split('\n'),
    clear: () => rmSync(root, { recursive: true, force: true }),
  }
  place.git(['init', '-q'])
  place.write('a.txt', 'one\n')
  place.write('src/b.txt', 'b\n')
  place.write('.gitignore', 'node_modules/\n.env*\n')
  place.git(['add', '-A'])
  place.git(['commit', '-q', '-m', 'first'])
  place.write('a.txt', 'one\ntwo\n')
  place.git(['commit', '-qam', 'second'])
  return place
}

export function madeOf(made: MadeWorktree): MadeWorktree & { readonly ok: true } {
  if (!made.ok) throw new Error(`${made.fault}: ${made.error.code}: ${made.error.message}`)
  return made
}

export const codeOf = (made: MadeWorktree): string => (made.ok ? made.how : `${made.fault} ${made.error.code}`)
