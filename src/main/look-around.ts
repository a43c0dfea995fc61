import { statSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { realPath, type YardError } from '../kernel/index.ts'
import { findRepository, type Repository, sayHead } from '../workspaces/index.ts'

export interface LookAround {
  /** Absolute. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Of the yard, absolute: its own folders are looked behind. Undefined where a person names the place himself. */
  readonly home: string | undefined
  /** count: also how many files are changed or new there, which takes longer. */
  readonly uncommitted: 'count' | 'skip'
}

export type FoundAround =
  | {
      readonly kind: 'found'
      /** Top folder. */
      readonly repo: string
      /** Checked out there; undefined: none is. */
      readonly branch: string | undefined
      /** `main@4f1c2aa`. */
      readonly head: string
      /** Undefined where it was not asked or cannot be told. */
      readonly uncommittedFiles: number | undefined
    }
  | { readonly kind: 'none' }
  /** There is one without a commit, which nothing can be checked out from. */
  | { readonly kind: 'empty'; readonly repo: string }
  /** There is one, and git cannot work with it; or there is no git. */
  | { readonly kind: 'closed'; readonly error: YardError }

/** What git knows of the folder that a card is made in. Changes nothing. */
export async function lookAround({ path, env, home, uncommitted }: LookAround): Promise<FoundAround> {
  if (isNoFolder(path)) return { kind: 'none' }
  const found = await findRepository({ env, signal: new AbortController().signal }, { path, dirtyFiles: uncommitted })
  if (found.kind === 'closed') return { kind: 'closed', error: found.why.error }
  if (found.kind === 'none') return found
  const { branch, dirtyFiles } = found.repository
  const repo = home === undefined ? found.repository.top : outsideOf(home, found.repository)
  if (repo === undefined) return { kind: 'none' }
  if (found.repository.commit === null) return { kind: 'empty', repo }
  return {
    kind: 'found',
    repo,
    branch: branch ?? undefined,
    head: sayHead(found.repository),
    uncommittedFiles: dirtyFiles ?? undefined,
  }
}

function isNoFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true
  } catch {
    return false // closed to us: git says so better
  }
}

/** A worker that makes a card stands in its own worktree, which is gone one day: what lasts is the repository that it is of. */
function outsideOf(home: string, { top, gitDir }: Repository): string | undefined {
  const isOurs = (path: string) => `${path}${sep}`.startsWith(`${realPath(home)}${sep}`)
  if (!isOurs(top)) return top
  const main = basename(gitDir) === '.git' ? dirname(gitDir) : gitDir
  return isOurs(main) ? undefined : main
}
