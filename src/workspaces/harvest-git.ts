import { join } from 'node:path'
import { type GitCall, type GitDeps, type GitDone, runGit } from './git.ts'
import { faultOfGit } from './harvest-fault.ts'
import type { Worktree } from './worktree.ts'

/** The recorded folders of a worktree. */
export type WorktreePlace = Pick<Worktree, 'path' | 'gitDir' | 'adminDir'>

/** Git inside one worktree. Throws `HarvestFault`. */
export interface WorktreeGit {
  readonly path: string
  readonly gitDir: string
  /** Its own folder in the repository: HEAD, index, what is in progress. */
  readonly adminDir: string
  readonly indexFile: string
  run(args: readonly string[], call?: Asked): Promise<GitDone>
  /** The same where a failure is an ordinary answer. */
  try(args: readonly string[], call?: Asked): ReturnType<typeof runGit>
  /** The same repository, with another index, another folder of files, or without files. */
  with(other: OtherFiles): WorktreeGit
}

export type Asked = Partial<
  Pick<GitCall, 'input' | 'inputFrom' | 'outputInto' | 'env' | 'config' | 'timeoutMs' | 'maxBytes'>
>

export interface OtherFiles {
  readonly indexFile?: string
  readonly path?: string
  /** Its HEAD is that of this folder. */
  readonly adminDir?: string
  /** Set for every call, besides. */
  readonly config?: readonly string[]
  /** none: nothing is read from or written to a folder of files. */
  readonly files?: 'none'
}

/**
 * Git for a worktree by its recorded folders alone: `.git` in it, `commondir` and `gitdir` of its own folder in the repository
 * can be rewritten by a worker and are not followed.
 */
export function worktreeGit(deps: GitDeps, place: WorktreePlace): WorktreeGit {
  const { path, gitDir, adminDir } = place
  return gitOver(deps, { path, gitDir, adminDir, indexFile: join(adminDir, 'index') })
}

function gitOver(
  deps: GitDeps,
  where: {
    path: string
    gitDir: string
    adminDir: string
    indexFile: string
    files?: 'none'
    config?: readonly string[]
  },
): WorktreeGit {
  const { path, gitDir, adminDir, indexFile, files, config = [] } = where
  const env = {
    GIT_DIR: adminDir,
    GIT_COMMON_DIR: gitDir,
    GIT_INDEX_FILE: indexFile,
    ...(files === 'none' ? {} : { GIT_WORK_TREE: path }),
  }
  const ask = (args: readonly string[], call: Asked = {}) =>
    runGit(deps, {
      ...call,
      args,
      cwd: files === 'none' ? gitDir : path,
      env: { ...env, ...call.env },
      config: [...config, ...(call.config ?? [])],
    })
  return {
    path,
    gitDir,
    adminDir,
    indexFile,
    try: ask,
    async run(args, call) {
      const answer = await ask(args, call)
      if (!answer.ok) throw faultOfGit(args[0] ?? '', answer)
      return answer
    },
    with: (other) => gitOver(deps, { ...where, ...other, config: [...config, ...(other.config ?? [])] }),
  }
}
