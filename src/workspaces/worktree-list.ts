import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type GitAnswer, type GitCall, type GitDeps, runGit, sawHalfWorktree } from './git.ts'
import { inTurn } from './in-turn.ts'
import { isFolder, readText } from './read-text.ts'

/**
 * Runs a git that reads or changes which worktrees a repository has. Git reads all entries while it writes one, and stumbles over
 * those that are half written (see `runGit`); so those of this process follow each other, which takes milliseconds each. One
 * that stays half is left by a git that was killed, and keeps every git of the repository from working: where it is of the
 * same folder of ours as `path`, it is removed.
 */
export async function askWorktrees(
  deps: GitDeps,
  { gitDir, path, args }: { readonly gitDir: string; readonly path: string; readonly args: GitCall['args'] },
): Promise<GitAnswer> {
  return await inTurn(`worktrees ${gitDir}`, async () => {
    const answer = await runGit(deps, { cwd: gitDir, args })
    if (answer.ok || !sawHalfWorktree.test(answer.stderr)) return answer
    removeBegun(gitDir, (reason) => reason.startsWith(`${lockReason(dirname(path))}/`))
    return await runGit(deps, { cwd: gitDir, args })
  })
}

/** Written into the lock of each worktree of ours before anything else of it: how one that has no more than that is known. */
export const lockReason = (path: string): string => `yardmaster ${path}`

/** An entry of this one worktree, or of its name and without any reason yet: git makes the folder of an entry before its lock. */
export function isBegunFor(path: string): (reason: string, name: string) => boolean {
  return (reason, name) => reason === lockReason(path) || (reason === '' && name === basename(path))
}

/**
 * What a killed `git worktree add` leaves in its first moments: an entry that does not say yet where it belongs. Only of those
 * that are ours by the reason of their lock, or by what else is known of them.
 */
export function removeBegun(gitDir: string, isOurs: (reason: string, name: string) => boolean): void {
  const entries = join(gitDir, 'worktrees')
  if (!isFolder(entries)) return
  for (const name of readdirSync(entries)) {
    const entry = join(entries, name)
    const isBegun = ['gitdir', 'commondir'].some((file) => readText(join(entry, file)).trim() === '')
    if (isBegun && isOurs(readText(join(entry, 'locked')).trim(), name)) rmSync(entry, { recursive: true, force: true })
  }
}
