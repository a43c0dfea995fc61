import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import type { GitDeps } from './git.ts'
import { HarvestFault } from './harvest-fault.ts'
import { type WorktreeGit, worktreeGit } from './harvest-git.ts'
import { removeStaleLocks } from './harvest-look.ts'
import { identityOf, readMark } from './mark.ts'
import { readSmall } from './read-small.ts'
import { isFolder } from './read-text.ts'
import type { Worktree } from './worktree.ts'

/** What is still there of a worktree. */
export interface Place {
  readonly git: WorktreeGit
  /** branch: git's own folder for the worktree is gone, so what counts as checked out is the task's branch. */
  readonly head: 'worktree' | 'branch'
  /** none: the folder is gone, or another lies in its place. */
  readonly files: 'there' | 'none'
  readonly notes: readonly string[]
}

/**
 * Finds what is left of a worktree and makes it usable again: stale locks go, a HEAD that is nonsense and a `.git` that points
 * elsewhere are written anew, links and pipes among git's own files go, and none of them is followed. Throws `HarvestFault`:
 * gone with the repository.
 */
export function openPlace(deps: GitDeps, worktree: Worktree): Place {
  const { path, gitDir, adminDir, branch } = worktree
  if (!existsSync(join(gitDir, 'objects')))
    throw new HarvestFault('gone', `the repository ${gitDir} is not there any more`)
  removeStaleLocks(worktree, branch)
  const git = worktreeGit(deps, worktree).with({ config: traitsOf(worktree) })
  const files = isOurFolder(path) ? 'there' : 'none'
  const notes = files === 'there' ? [] : ['the worktree is not there any more; what was committed is recorded']
  if (isFolder(adminDir)) {
    return {
      git,
      head: 'worktree',
      files,
      notes: [
        ...notes,
        ...removeForeign(worktree),
        ...mendHead(worktree),
        ...mendPointers(worktree),
        ...(files === 'there' ? mendLink(worktree) : []),
      ],
    }
  }
  const indexFile = join(gitDir, `yardmaster-${basename(path)}.index`)
  return {
    git: git.with({ adminDir: gitDir, indexFile }),
    head: 'branch',
    files,
    notes: [...notes, 'git knows of the worktree no more; what was committed in it on no branch cannot be found'],
  }
}

/**
 * A repository that came from another disk, or that a worker has configured, may say of this one that it takes `A.txt` and
 * `a.txt` for the same, or that it keeps no modes: then git would pass over a file, or its mode, in silence. So the disk is asked.
 */
function traitsOf({ path, adminDir }: Worktree): readonly string[] {
  const isSame = existsSync(join(adminDir, 'HEAD')) && existsSync(join(adminDir, 'head'))
  const link = lstatSync(join(path, '.git'), { throwIfNoEntry: false })
  // Git writes it plain; where no modes are kept everything looks executable.
  const keepsModes = link?.isFile() === true && (link.mode & 0o111) === 0
  return [`core.ignoreCase=${isSame}`, ...(keepsModes ? ['core.fileMode=true'] : [])]
}

/** Device and number of the folder tell it from another one in its place; without a mark, that it is a folder. */
function isOurFolder(path: string): boolean {
  const identity = identityOf(path)
  if (identity === undefined) return false
  const mark = readMark(path)
  return mark === undefined || mark === 'broken' || mark.identity === null || mark.identity === identity
}

/** Git makes files and folders there. It would write through a link, into the index of the person perhaps, and wait for a pipe. */
function removeForeign({ adminDir }: Worktree): readonly string[] {
  const odd = [adminDir, join(adminDir, 'logs')].filter(isFolder).flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isFile() && !entry.isDirectory())
      .map(({ name }) => join(folder, name)),
  )
  for (const path of odd) rmSync(path, { force: true })
  return odd.length === 0 ? [] : [`what is no file of git was removed: ${odd.join(', ')}`]
}

function mendHead({ adminDir, branch }: Worktree): readonly string[] {
  const file = join(adminDir, 'HEAD')
  const text = readSmall(file)
  if (text !== undefined && /^(ref: refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/.test(text)) return []
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, `ref: refs/heads/${branch}\n`)
  return [`HEAD of the worktree could not be read; it is on ${branch} again`]
}

/** The two small files by which git finds the repository from here, and this worktree from there. */
function mendPointers({ path, gitDir, adminDir }: Worktree): readonly string[] {
  const wanted = [
    { file: join(adminDir, 'commondir'), to: gitDir, says: relative(adminDir, gitDir) },
    { file: join(adminDir, 'gitdir'), to: join(path, '.git'), says: join(path, '.git') },
  ]
  const wrong = wanted.filter(({ file, to }) => resolve(adminDir, readSmall(file)?.trim() ?? '') !== to)
  for (const { file, says } of wrong) {
    rmSync(file, { force: true, recursive: true })
    writeFileSync(file, `${says}\n`)
  }
  return wrong.length === 0
    ? []
    : ['git’s own folder of the worktree led to another repository; it leads to its own again']
}

function mendLink({ path, adminDir }: Worktree): readonly string[] {
  const file = join(path, '.git')
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat?.isDirectory() === true) {
    return [
      '.git of the worktree had been replaced by a repository; that one is not followed, and its history is not recorded',
    ]
  }
  if (stat?.isFile() === true && readSmall(file)?.trim() === `gitdir: ${adminDir}`) return []
  rmSync(file, { force: true })
  writeFileSync(file, `gitdir: ${adminDir}\n`)
  return ['.git of the worktree did not lead to its repository any more; it does again']
}
