import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { applyError } from './apply-errors.ts'
import type { ApplyGit } from './apply-git.ts'
import { readSmall } from './read-small.ts'

/** The branch that patches go onto, and how it may be moved. */
export interface ApplyTarget {
  readonly onto: string
  /** Null: it is made. */
  readonly tip: string | null
  /** here: checked out in the present worktree, so its files move along. nowhere: only the branch moves. */
  readonly checkedOut: 'here' | 'nowhere'
}

/**
 * Looks at the branch before anything is done. Throws what is in the way: no repository, no name of a branch, checked out
 * elsewhere, changes that are not committed where its files would move, something in progress on it.
 */
export async function findTarget(git: ApplyGit, onto: string): Promise<ApplyTarget> {
  const found = await git.try([
    'rev-parse',
    '--path-format=absolute',
    '--git-dir',
    '--git-common-dir',
    '--is-inside-work-tree',
  ])
  if (!found.ok && found.stderr.includes('not a git repository')) {
    throw applyError('WORKSPACES_APPLY_NO_REPOSITORY', { path: git.cwd })
  }
  const { stdout: places } = found.ok ? found : await git.run(['rev-parse', '--git-dir'])
  const [gitDir = '', commonDir = '', isInside] = places.split('\n')
  const name = onto.replace(/^refs\/heads\//, '')
  const isName = await git.try(['check-ref-format', `refs/heads/${name}`])
  if (!isName.ok || name.startsWith('-')) throw applyError('WORKSPACES_APPLY_BAD_BRANCH', { onto })
  const ref = `refs/heads/${name}`
  const { stdout } = await git.run(['for-each-ref', '--format=%(refname)%00%(objectname)%00%(worktreepath)', ref])
  const row = stdout
    .split('\n')
    .map((line) => line.split('\0'))
    .find(([each]) => each === ref)
  const [, tip = null, where = ''] = row ?? []
  refuseInProgress(gitDir, commonDir, ref)
  if (where === '') {
    // A branch that is not there yet begins at what is checked out: in the middle of something that is no beginning.
    if (tip === null) refuseHere(gitDir, git.cwd)
    return { onto: name, tip, checkedOut: 'nowhere' }
  }
  const top = isInside === 'true' ? (await git.run(['rev-parse', '--show-toplevel'])).stdout.trim() : ''
  if (resolve(where) !== resolve(top)) throw applyError('WORKSPACES_APPLY_CHECKED_OUT', { onto: name, where })
  refuseHere(gitDir, where)
  const changed = await git.run(['status', '--porcelain', '-z', '-uno', '--ignore-submodules=dirty', '--no-renames'])
  const files = changed.stdout.split('\0').filter((line) => line !== '').length
  if (files > 0) throw applyError('WORKSPACES_APPLY_DIRTY', { onto: name, files })
  return { onto: name, tip, checkedOut: 'here' }
}

const operations = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
] as const

function refuseHere(gitDir: string, where: string): void {
  const found = operations.find(([file]) => existsSync(join(gitDir, file)))
  if (found !== undefined) throw applyError('WORKSPACES_APPLY_IN_PROGRESS', { what: found[1], where })
}

/** A branch that is being rebased is checked out nowhere, and still somebody's. */
function refuseInProgress(gitDir: string, commonDir: string, ref: string): void {
  const folder = join(commonDir, 'worktrees')
  const others = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  for (const dir of new Set([gitDir, commonDir, ...others])) {
    for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
      if (readSmall(join(dir, file))?.trim() !== ref) continue
      const where =
        readSmall(join(dir, 'gitdir'))
          ?.trim()
          .replace(/\/\.git$/, '') ?? dir.replace(/\/\.git$/, '')
      throw applyError('WORKSPACES_APPLY_IN_PROGRESS', { what: 'a rebase', where })
    }
  }
}
