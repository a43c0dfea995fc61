import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runId, systemClock, taskId } from '../../src/kernel/index.ts'
import { harvest } from '../../src/workspaces/index.ts'
import type { Bench } from '../figure.ts'
import { percentile } from '../statistics.ts'

const files = 5_000
const changed = 20
const attempts = 15

/** From the death of an attempt to its changes on disk: left-overs committed, kept by a ref, compared, counted, its patch written. */
export const harvestTime: Bench = {
  figures: [
    {
      id: 'harvest_ms',
      says: `median of ${attempts} ends: ${changed} changed files of a repository of ${files} committed, compared and written as a patch, ms`,
      goal: { atMost: 150 },
    },
  ],
  needs: ['git'],
  async open() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yard-bench-harvest-')))
    const repo = makeRepository(folder)
    const path = join(folder, 'T1')
    git(repo, 'worktree', 'add', '-q', '-b', 'yard/t1-x', path)
    const gitDir = join(repo, '.git')
    const worktree = {
      task: taskId(1),
      path,
      repo,
      gitDir,
      adminDir: join(gitDir, 'worktrees', 'T1'),
      branch: 'yard/t1-x',
      baseRef: 'main',
      baseCommit: git(repo, 'rev-parse', 'main'),
    }
    let run = 0
    return {
      async measure() {
        const took: number[] = []
        for (let i = 0; i < attempts; i += 1) {
          git(path, 'reset', '-q', '--hard', 'main')
          for (let n = 0; n < changed; n += 1) appendFileSync(join(path, nameOf(n * 100)), `attempt ${run}\n`)
          run += 1
          const deps = { env: process.env, signal: new AbortController().signal, clock: systemClock }
          const into = join(folder, 'changes.diff')
          const begin = performance.now()
          const taken = await harvest(deps, { worktree, run: runId(run), title: 'x', mayChange: ['d*/**'], into })
          took.push(performance.now() - begin)
          if (!taken.ok || taken.change.fileCount !== changed) throw new Error(JSON.stringify(taken))
        }
        return { harvest_ms: percentile(took, 50) }
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

/** A repository of 5,000 files of some lines, on `main`. */
export function makeRepository(folder: string): string {
  const repo = join(folder, 'repo')
  mkdirSync(repo)
  git(repo, 'init', '-q', '-b', 'main')
  for (let n = 0; n < 50; n += 1) mkdirSync(join(repo, `d${n}`))
  for (let n = 0; n < files; n += 1) writeFileSync(join(repo, nameOf(n)), contentOf(n))
  git(repo, 'add', '-A')
  git(repo, 'commit', '-qm', 'base')
  return repo
}

export const nameOf = (n: number): string => `d${n % 50}/f${n}.ts`

export const contentOf = (n: number): string =>
  Array.from({ length: 40 }, (_, line) => `export const line${line} = ${n}\n`).join('')

export function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Anna', '-c', 'user.email=anna@example.org', '-c', 'gc.auto=0']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
