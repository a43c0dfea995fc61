import type { YardError } from '../kernel/index.ts'
import { applyError } from './apply-errors.ts'
import { lastWords } from './explain-git.ts'
import { type GitCall, type GitDeps, type GitDone, type GitFailed, runGit } from './git.ts'

/** Git in the repository that patches are applied to, as the person's own git sees it. */
export interface ApplyGit {
  readonly cwd: string
  /** Throws `WORKSPACES_APPLY_FAILED`, or `WORKSPACES_APPLY_CUT` where we were interrupted. */
  run(args: readonly string[], call?: Partial<GitCall>): Promise<GitDone>
  try(args: readonly string[], call?: Partial<GitCall>): ReturnType<typeof runGit>
  /** The error for a failure that is no ordinary answer. */
  explain(what: string, failed: GitFailed): YardError
}

/** Who commits is what the person's git says: their own variables count. */
const identity = ['GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'GIT_COMMITTER_DATE', 'EMAIL']

export function applyGit(deps: GitDeps, { cwd, onto }: { readonly cwd: string; readonly onto: string }): ApplyGit {
  const own = identity.flatMap((name) => {
    const value = deps.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = Object.fromEntries(own)
  const ask = (args: readonly string[], call: Partial<GitCall> = {}) =>
    runGit(deps, { cwd, ...call, args, env: { ...env, ...call.env } })
  const explain = (what: string, failed: GitFailed) =>
    failed.aborted
      ? applyError('WORKSPACES_APPLY_CUT', { onto })
      : applyError('WORKSPACES_APPLY_FAILED', {
          said: `${what}: ${failed.missing ? 'there is no git' : lastWords(failed)}`,
        })
  return {
    cwd,
    try: ask,
    explain,
    async run(args, call) {
      const answer = await ask(args, call)
      if (!answer.ok) throw explain(args[0] ?? '', answer)
      return answer
    },
  }
}
