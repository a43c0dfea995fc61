import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type GitDeps, runGit } from './git.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { splitNul, textOfPath } from './patch-path.ts'

/**
 * Why the submodules of a worktree keep it: a patch of ours has the number of a commit, and what a submodule holds besides goes
 * with the worktree. Undefined where nothing would be lost, and at once where none was ever filled.
 */
export async function whySubmodulesKeepIt(deps: GitDeps, git: WorktreeGit): Promise<string | undefined> {
  const modules = join(git.adminDir, 'modules')
  const stores = storesBelow(modules)
  if (stores.length === 0) return undefined
  for (const store of stores) {
    // A commit of it that no remote of it has. By its store alone: its folder of files is the worker's.
    const env = { GIT_DIR: store, GIT_WORK_TREE: store }
    const args = ['rev-list', '--max-count=1', '--all', '--not', '--remotes']
    const [head, all] = await Promise.all([
      runGit(deps, { cwd: store, env, args: [...args.slice(0, 2), 'HEAD', ...args.slice(3)] }),
      runGit(deps, { cwd: store, env, args }),
    ])
    const isSafe = [head, all].every((answer) => answer.ok && answer.stdout.trim() === '')
    if (!isSafe) return `its submodule ${relative(modules, store)} has commits that are nowhere else; push them first`
  }
  const dirty = await findDirtySubmodules(git)
  return dirty?.length === 0
    ? undefined
    : 'a submodule has changes that are not committed; commit and push them there first'
}

/** Those with changed or new files that are not committed in them; undefined where git cannot say. Changes nothing. */
export async function findDirtySubmodules(git: WorktreeGit): Promise<readonly string[] | undefined> {
  const status = await git.try([
    'status',
    '--porcelain=v2',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
    '--ignore-submodules=none',
  ])
  if (!status.ok) return undefined
  return splitNul(status.bytes).flatMap((entry) => {
    // `1 .M S.MU 160000 160000 160000 <content> <content> path`; three contents and a mode more where it is in conflict.
    const isDirty = /^[1u] \S+ S.(M.|.U) /.test(entry.toString('latin1', 0, 20))
    if (!isDirty) return []
    const fields = entry[0] === 0x75 ? 10 : 8
    let at = 0
    for (let field = 0; field < fields; field += 1) at = entry.indexOf(0x20, at) + 1
    return [textOfPath(entry.subarray(at))]
  })
}

/** Folders in which git keeps filled submodules, and those in them; no link is followed. */
function storesBelow(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const at = join(folder, name)
      const isStore = lstatSync(join(at, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true
      return isStore ? [at, ...storesBelow(join(at, 'modules'))] : storesBelow(at)
    })
}
