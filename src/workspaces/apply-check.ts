import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { buildChildEnvironment, markerVariable } from '../kernel/process/index.ts'
import type { ApplyGit } from './apply-git.ts'
import type { GitDeps } from './git.ts'

export interface CheckDeps extends GitDeps {
  /** Hears what the check prints, as it comes. */
  readonly onOutput: (text: string) => void
}

export interface CheckInput {
  readonly commit: string
  /** Text for `bash -euo pipefail -c`. */
  readonly command: string
  /** Absolute folder that does not exist yet. */
  readonly folder: string
}

/** How a check ended; `exitCode` null: by a signal, or it could not be started. */
export interface CheckEnd {
  readonly command: string
  readonly exitCode: number | null
  readonly says: string
}

/**
 * Runs a person's check on a commit, in a worktree of its own that is gone afterwards. Its environment is the allow-list of
 * every process of ours, nothing more. It is over when its shell has ended, whatever that has left running.
 */
export async function checkCommit(
  deps: CheckDeps,
  git: ApplyGit,
  { commit, command, folder }: CheckInput,
): Promise<CheckEnd> {
  await git.run(['worktree', 'add', '--quiet', '--detach', folder, commit])
  const adminDir = /^gitdir: (.*)/.exec(readFileSync(join(folder, '.git'), 'utf8'))?.[1]
  try {
    const { execa } = await import('execa')
    const child = execa('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: folder,
      env: environmentOf(deps),
      extendEnv: false,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      buffer: false,
      reject: false,
      cancelSignal: deps.signal,
      forceKillAfterDelay: graceMs,
    })
    const streams = [child.stdout, child.stderr]
    for (const stream of streams) stream.setEncoding('utf8').on('data', deps.onOutput)
    if (child.pid !== undefined) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await hearRest(streams)
    }
    const { exitCode, signal, originalMessage } = await child
    if (exitCode !== undefined) return { command, exitCode, says: `exit ${exitCode}` }
    return {
      command,
      exitCode: null,
      says: signal === undefined ? (originalMessage ?? 'it could not be started') : `ended by ${signal}`,
    }
  } finally {
    // Not by git: after an interrupt it is not asked any more, and `worktree prune` would look at those of the person, too.
    rmSync(folder, { recursive: true, force: true })
    if (adminDir !== undefined && basename(dirname(adminDir)) === 'worktrees')
      rmSync(adminDir, { recursive: true, force: true })
  }
}

const graceMs = 3_000

/** What still lies in the pipes is heard; a server that holds them open keeps nobody waiting. */
async function hearRest(streams: readonly Readable[]): Promise<void> {
  let heard = true
  for (const stream of streams) stream.on('data', () => (heard = true))
  for (let turns = 0; heard && turns < mostTurns; turns += 1) {
    heard = false
    for (let turn = 0; turn < 2; turn += 1) await setImmediate()
  }
  for (const stream of streams) stream.destroy()
}

/** Of the loop, each with all that was there: megabytes. */
const mostTurns = 1_000

function environmentOf({ env }: GitDeps): Readonly<Record<string, string>> {
  const built = buildChildEnvironment({ from: env, passEnv: [], secrets: {}, env: {}, own: {}, marker: '' })
  const { [markerVariable]: _, ...rest } = built
  return rest
}
