import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runId, systemClock, taskId } from '../../src/kernel/index.ts'
import { type Harvest, type HarvestDeps, harvest } from '../../src/workspaces/harvest.ts'
import type { Worktree } from '../../src/workspaces/worktree.ts'

/** The person whose repository it is, and the agent in it: one identity, and no configuration of this machine. */
const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Anna',
  GIT_AUTHOR_EMAIL: 'anna@example.org',
  GIT_COMMITTER_NAME: 'Anna',
  GIT_COMMITTER_EMAIL: 'anna@example.org',
  GIT_EDITOR: 'true',
}

/** What git prints, without its last line end. Throws what it says where it fails. */
export function git(cwd: string, ...args: readonly string[]): string {
  return gitBytes(cwd, args).toString().replace(/\n$/, '')
}

export function gitBytes(cwd: string, args: readonly string[], input?: string | Buffer): Buffer {
  return execFileSync('git', [...args], {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1 << 30,
    ...(input === undefined ? {} : { input }),
  })
}

/** The same where a failure is part of the story: a merge that conflicts. */
export function tryGit(cwd: string, ...args: readonly string[]): boolean {
  try {
    git(cwd, ...args)
    return true
  } catch {
    return false
  }
}

/** A repository of a person with a worktree of T5 in it, in a folder of its own. */
export interface TestWorktree extends Disposable {
  /** Absolute; all lies in it. */
  readonly folder: string
  readonly repo: string
  /** The worktree. */
  readonly path: string
  readonly worktree: Worktree
  readonly deps: HarvestDeps
  /** Writes a file of the worktree, folders included. */
  write(name: string, content?: string | Buffer): void
  git(...args: readonly string[]): string
  harvest(run?: number, input?: { readonly mayChange?: readonly string[]; readonly title?: string }): Promise<Harvest>
  /** Where the patch of a run is written. */
  patch(run?: number): string
}

/** `files` lie in the first commit of the repository; `parent` is where the folder is made. */
export function aWorktree(
  files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'b.txt': 'b\n' },
  parent = tmpdir(),
): TestWorktree {
  const folder = realpathSync(mkdtempSync(join(parent, 'yard-worktree-')))
  const repo = join(folder, 'repo')
  const path = join(folder, 'T5')
  mkdirSync(repo)
  git(repo, 'init', '-q', '-b', 'main')
  for (const [name, content] of Object.entries(files)) writeBelow(repo, name, content)
  git(repo, 'add', '-A')
  git(repo, 'commit', '-q', '--allow-empty', '-m', 'base')
  git(repo, 'worktree', 'add', '-q', '-b', 'yard/t5-fix', path)
  const gitDir = join(repo, '.git')
  const worktree: Worktree = {
    task: taskId(5),
    path,
    repo,
    gitDir,
    adminDir: join(gitDir, 'worktrees', 'T5'),
    branch: 'yard/t5-fix',
    baseRef: 'main',
    baseCommit: git(repo, 'rev-parse', 'main'),
  }
  const deps = { env, signal: new AbortController().signal, clock: systemClock }
  const patch = (run = 12) => join(folder, `R${run}.patch`)
  return {
    folder,
    repo,
    path,
    worktree,
    deps,
    write: (name, content = `${name}\n`) => writeBelow(path, name, content),
    git: (...args) => git(path, ...args),
    patch,
    harvest: (run = 12, { mayChange, title = 'Fix the clock' } = {}) =>
      harvest(deps, { worktree, run: runId(run), title, mayChange: mayChange ?? null, into: patch(run) }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function writeBelow(folder: string, name: string, content: string | Buffer): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
