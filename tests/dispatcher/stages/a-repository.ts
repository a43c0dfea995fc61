import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WorktreeSpec } from '../../../src/board/index.ts'

/** A real repository with one commit, for the worktrees of a yard's tasks. */
export interface Repository {
  readonly path: string
  /** Answers what git prints. */
  git(...args: readonly string[]): string
  /** A worktree workspace of it. */
  workspace(more?: Partial<WorktreeSpec>): WorktreeSpec
}

const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org']

export function makeRepository(path: string, files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }): Repository {
  mkdirSync(path, { recursive: true })
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: path, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  git('add', '-A')
  git('commit', '-q', '-m', 'begin')
  return { path, git, workspace: (more) => ({ kind: 'worktree', repo: path, ...more }) }
}
