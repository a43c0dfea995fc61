import { lastWords } from './explain-git.ts'
import type { GitAnswer, GitDeps } from './git.ts'
import { type WorktreeGit, worktreeGit } from './harvest-git.ts'
import { holdsBytes } from './harvest-untouched.ts'
import { whyUntied } from './keep-worktree.ts'
import { whySubmodulesKeepIt } from './look-at-submodules.ts'
import { below, splitNul } from './patch-path.ts'
import type { Worktree } from './worktree.ts'

/** What a worktree holds, as far as it decides whether it may go. */
export type CodeFacts =
  | {
      readonly ok: true
      readonly head: string
      /** Something that no commit has, ignored files aside. */
      readonly isChanged: boolean
      /** none: no commit of its own. landed: its commits are in the branch it began from, or in one of a remote. */
      readonly own: 'none' | 'landed' | 'only here'
    }
  | { readonly ok: false; readonly says: string }

/** Looks at a worktree without changing anything in it. */
export async function lookAtCode(deps: GitDeps, worktree: Worktree): Promise<CodeFacts> {
  const untied = whyUntied(worktree)
  if (untied !== undefined) return { ok: false, says: untied.error.message }
  const git = worktreeGit(deps, worktree)
  const head = await git.try(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (!head.ok) return unreadable(head)
  const held = await whySubmodulesKeepIt(deps, git)
  if (held !== undefined) return { ok: false, says: held }
  const asked = ['--porcelain=v2', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=none']
  const status = await git.try(['status', ...asked])
  if (!status.ok) return unreadable(status)
  const at = head.stdout.trim()
  const own = await whereIs(git, worktree, at)
  return { ok: true, head: at, isChanged: await holdsChange(git, splitNul(status.bytes)), own }
}

/** Less what git calls changed for a rule of the repository alone, while its bytes are those of the commit. */
async function holdsChange(git: WorktreeGit, entries: readonly Buffer[]): Promise<boolean> {
  for (const entry of entries) {
    const fields = /^1 \.M N\.\.\. (\d+) \1 \1 ([0-9a-f]+) \2 /.exec(entry.toString('latin1'))
    if (fields === null) return true
    const path = entry.subarray(fields[0].length)
    if (!(await holdsBytes(below(git.path, path), fields[2] ?? ''))) return true
  }
  return false
}

async function whereIs(
  git: WorktreeGit,
  { baseCommit, baseRef }: Worktree,
  head: string,
): Promise<'none' | 'landed' | 'only here'> {
  if (head === baseCommit) return 'none'
  if ((await git.try(['merge-base', '--is-ancestor', head, baseCommit])).ok) return 'none'
  const branch = baseRef === null ? [] : [`refs/heads/${baseRef}`]
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${head}`, 'refs/remotes', ...branch]
  const holders = await git.try(args)
  return holders.ok && holders.stdout.trim() !== '' ? 'landed' : 'only here'
}

function unreadable(answer: GitAnswer): CodeFacts {
  return { ok: false, says: answer.ok ? '' : `git cannot read it: ${lastWords(answer)}` }
}
