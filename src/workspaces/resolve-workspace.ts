import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { assertNever, realPath, type TaskId, type YardError } from '../kernel/index.ts'
import { workspacesError } from './errors.ts'
import { ownHomes } from './own-homes.ts'
import { workspacePath } from './workspace-path.ts'

/** Where a task asked to work; the same shape as the board's `WorkspaceSpec`, which this part does not know. */
export type AskedWorkspace =
  | { readonly kind: 'here' }
  | { readonly kind: 'scratch' }
  | { readonly kind: 'dir'; readonly path: string; readonly shared: boolean }
  | { readonly kind: 'worktree' }

/** Folders that are not a task's to work in. Absolute. */
export interface OwnFolders {
  readonly home: string
  /** Where this program's files lie. */
  readonly program: string
}

export interface WorkspaceInput {
  readonly task: TaskId
  readonly kind: 'prompt' | 'run'
  readonly workspace: AskedWorkspace
  /** What `here` means for this task. */
  readonly dir: string
}

/**
 * folder: exists and may be worked in; `path` is its real path, the same for every way to name it.
 * scratch, worktree: the task's own folder under the home, made by `makeScratch` or `makeWorktree` when the attempt starts.
 */
export type ResolvedWorkspace =
  | { readonly ok: true; readonly kind: 'folder' | 'scratch' | 'worktree'; readonly path: string }
  | { readonly ok: false; readonly error: YardError }

/**
 * Finds the folder of an attempt, or says why it cannot work there (design section 8): the home and all in it are refused to
 * everything, what holds the home and the program's own folder are refused to prompts. Looks, changes nothing.
 */
export function resolveWorkspace(own: OwnFolders, input: WorkspaceInput): ResolvedWorkspace {
  const { workspace } = input
  switch (workspace.kind) {
    case 'scratch':
      return { ok: true, kind: 'scratch', path: workspacePath(own.home, input.task) }
    case 'worktree':
      return { ok: true, kind: 'worktree', path: workspacePath(own.home, input.task) }
    case 'here':
      return resolveFolder(own, { path: input.dir, kind: input.kind })
    case 'dir':
      return resolveFolder(own, { path: workspace.path, kind: input.kind })
    default:
      return assertNever(workspace)
  }
}

function resolveFolder(own: OwnFolders, asked: { path: string; kind: 'prompt' | 'run' }): ResolvedWorkspace {
  const { path, kind } = asked
  if (!isAbsolute(path)) return refused('WORKSPACES_FOLDER_RELATIVE', path)
  const unusable = whyUnusable(path)
  if (unusable !== undefined) return refused(unusable, path)
  const real = realpathSync(path)
  const homes = ownHomes(own.home)
  const home = homes.find((each) => isInside(each, real))
  if (home !== undefined) return { ok: false, error: workspacesError('WORKSPACES_IN_HOME', { path, home }) }
  if (kind === 'prompt') {
    const below = homes.find((each) => isInside(real, each))
    if (below !== undefined)
      return { ok: false, error: workspacesError('WORKSPACES_ABOVE_HOME', { path, home: below }) }
    if (isInside(realPath(own.program), real)) return refused('WORKSPACES_PROGRAM_FOLDER', path)
  }
  return { ok: true, kind: 'folder', path: real }
}

type FolderCode = 'WORKSPACES_FOLDER_RELATIVE' | 'WORKSPACES_PROGRAM_FOLDER' | Unusable
type Unusable = 'WORKSPACES_FOLDER_MISSING' | 'WORKSPACES_NOT_A_FOLDER' | 'WORKSPACES_FOLDER_CLOSED'

function refused(code: FolderCode, path: string): ResolvedWorkspace {
  return { ok: false, error: workspacesError(code, { path }) }
}

function whyUnusable(path: string): Unusable | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'WORKSPACES_NOT_A_FOLDER'
    accessSync(path, constants.R_OK | constants.X_OK)
    return undefined
  } catch (fault) {
    const code = (fault as NodeJS.ErrnoException).code
    if (code === 'EACCES' || code === 'EPERM') return 'WORKSPACES_FOLDER_CLOSED'
    return code === 'ENOTDIR' ? 'WORKSPACES_NOT_A_FOLDER' : 'WORKSPACES_FOLDER_MISSING'
  }
}

/** True when `path` is `folder` or lies somewhere in it. Both real and absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
