import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
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
 * every process of ours, nothing more.
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
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', deps.onOutput)
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

function environmentOf({ env }: GitDeps): Readonly<Record<string, string>> {
  const built = buildChildEnvironment({ from: env, passEnv: [], secrets: {}, env: {}, own: {}, marker: '' })
  const { [markerVariable]: _, ...rest } = built
  return rest
}
