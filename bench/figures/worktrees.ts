import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock, systemRandom, taskId } from '../../src/kernel/index.ts'
import { makeWorktree, type WorkspaceDeps } from '../../src/workspaces/index.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { type BenchYard, cleanEnvironment, makeFolder, openYard } from '../yard.ts'

const run = promisify(execFile)
const files = 5_000
const worktrees = 100
const atOnce = 8

/** Worktrees with their branch, mark and lock, over what git alone takes for the checkouts. */
export const worktreeVsGit: Bench = {
  figures: [
    {
      id: 'worktree_vs_git',
      says: `${worktrees} worktrees of ${files.toLocaleString('en')} files, ${atOnce} at once, over \`git worktree add\` in a loop of the same parallelism`,
      goal: { atMost: 1.2 },
    },
  ],
  needs: ['git', 'sync'],
  rounds: 2, // so that each side goes first once: who goes second meets a busier disk
  async open() {
    const root = makeFolder()
    const repo = await makeRepository(root)
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => timed(repo, () => makeOurs(root, repo), join(root, 'home')),
          () => timed(repo, () => makePlain(root, repo), join(root, 'plain')),
        )
        return { worktree_vs_git: ours / peer }
      },
      close: async () => rmSync(root, { recursive: true, force: true }),
    }
  },
}

/** How long a hub cannot answer while it makes worktrees, and while what was done in them is recorded. */
export const loopLag: Bench = {
  figures: [
    {
      id: 'loop_lag_p99_ms',
      says: `delay of a hub's event loop while ${atOnce} tasks at once get worktrees of ${files.toLocaleString('en')} files, 99th percentile, ms`,
      goal: { atMost: 20 },
    },
  ],
  needs: ['git'],
  async open() {
    const root = makeFolder()
    const repo = await makeRepository(root)
    const answer = join(root, 'lag')
    const probe = join(root, 'probe.cjs')
    writeFileSync(probe, probeText(answer))
    process.env.NODE_OPTIONS = `--require ${probe}`
    const yard = await openYard({ slots: atOnce })
    delete process.env.NODE_OPTIONS
    return {
      measure: async () => ({ loop_lag_p99_ms: await measureLag(yard, { repo, answer }) }),
      async close() {
        await yard.close()
        rmSync(root, { recursive: true, force: true })
      },
    }
  },
}

async function makeRepository(root: string): Promise<string> {
  const repo = join(root, 'repo')
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `part-${n % 50}`)
    if (n < 50) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${n}.ts`), `export const value${n} = ${n}\n`.repeat(20))
  }
  await git(repo, 'init', '-q', '-b', 'main')
  await git(repo, 'add', '-A')
  await git(repo, '-c', 'user.name=b', '-c', 'user.email=b@example.com', 'commit', '-qm', 'first')
  return repo
}

const git = (cwd: string, ...args: readonly string[]) => run('git', args, { cwd, env: cleanEnvironment() })

/** The time of `make`; then all of it is taken away, so that each side begins with the same repository and a disk at rest. */
async function timed(repo: string, make: () => Promise<void>, folder: string): Promise<number> {
  mkdirSync(folder)
  await run('sync', [])
  const startedMs = systemClock.monotonicMs()
  await make()
  const tookMs = systemClock.monotonicMs() - startedMs
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(repo, '.git', 'worktrees'), { recursive: true, force: true })
  rmSync(join(repo, '.git', 'refs', 'heads', 'yard'), { recursive: true, force: true })
  return tookMs
}

async function makeOurs(root: string, repo: string): Promise<void> {
  const home = join(root, 'home')
  const { signal } = new AbortController()
  const deps: WorkspaceDeps = {
    env: cleanEnvironment(),
    signal,
    home,
    program: join(root, 'program'),
    clock: systemClock,
    random: systemRandom,
  }
  await inLanes(async (n) => {
    const asked = { task: taskId(n + 1), title: 'Fix the flaky login test', repo, ref: null, depth: null }
    const made = await makeWorktree(deps, {
      ...asked,
      copy: [],
      copyFrom: repo,
      attempts: 'keep',
      savePatchTo: join(root, 'x'),
    })
    if (!made.ok) throw made.error
  })
}

/** As a script would do it. Where git stumbles over an entry that is half written (two in a hundred), it is asked again. */
async function makePlain(root: string, repo: string): Promise<void> {
  await inLanes(async (n) => {
    const [folder, branch] = [join(root, 'plain', `T${n}`), `yard/plain-${n}`]
    for (let tries = 1; ; tries += 1) {
      try {
        await git(repo, 'worktree', 'add', '-q', '-b', branch, folder, 'main')
        return
      } catch (fault) {
        if (tries === 20 || !/commondir/.test(String(fault))) throw fault
        rmSync(folder, { recursive: true, force: true })
        await git(repo, 'update-ref', '-d', `refs/heads/${branch}`)
      }
    }
  })
}

async function inLanes(make: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let n = next++; n < worktrees; n = next++) await make(n)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane)) // none goes on when this has ended
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Loaded into the hub before everything else: begins to measure at the first SIGUSR2, and writes what it has at the second. */
function probeText(answer: string): string {
  return `const { monitorEventLoopDelay } = require('node:perf_hooks')
const { renameSync, writeFileSync } = require('node:fs')
const delay = monitorEventLoopDelay({ resolution: 1 })
let on = false
process.on('SIGUSR2', () => {
  on = !on
  if (on) { delay.reset(); delay.enable() } else {
    delay.disable()
    writeFileSync(${JSON.stringify(`${answer}.new`)}, String(delay.percentile(99) / 1e6))
    renameSync(${JSON.stringify(`${answer}.new`)}, ${JSON.stringify(answer)})
  }
})
`
}

async function measureLag(
  yard: BenchYard,
  { repo, answer }: { readonly repo: string; readonly answer: string },
): Promise<number> {
  const { client, pid } = yard
  const { last_seq: before } = await client.health()
  rmSync(answer, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let n = 0; n < atOnce; n += 1) await client.createTask({ dir: repo, repo, run: 'true', workspace: 'worktree' })
  const over = new AbortController()
  let settled = 0
  for await (const { kind, text } of client.events(before, {}, over.signal)) {
    if (kind === 'run.settled') settled += 1
    if (kind === 'task.blocked' || kind === 'task.failed') throw new Error(text)
    if (settled === atOnce) break
  }
  over.abort()
  process.kill(pid, 'SIGUSR2')
  for (;;) {
    const text = readIfThere(answer)
    if (text !== undefined) return Number(text)
    await client.health() // once round its loop
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // not written yet
  }
}
