import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { isShortage, makeFolder, realPath, saySystemFault } from '../kernel/index.ts'
import { type CopiedTree, copyTree } from './copy-tree.ts'
import { faultOf, type WorkspaceFault } from './explain-git.ts'
import { gitError } from './git-errors.ts'
import { isInside } from './resolve-workspace.ts'
import type { WorkspaceDeps } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'

export interface AskedCopy {
  /** Top folder that the patterns are below. */
  readonly from: string
  readonly to: string
  readonly patterns: readonly string[]
}

/**
 * Brings ignored files into a new worktree (`copy: [.env.test, "certs/*.pem"]`). What git has put there stays as it is. A
 * pattern that matches nothing is an error, since the work would miss it; one that leads out of `from` is refused.
 */
export async function copyAlong(
  { signal }: Pick<WorkspaceDeps, 'signal'>,
  { from, to, patterns }: AskedCopy,
): Promise<{ readonly ok: true; readonly notes: readonly string[] } | WorkspaceFault> {
  const top = realPath(from)
  const paths = new Set<string>()
  for (const pattern of patterns) {
    if (leadsOut(pattern)) return faultOf('task', worktreeError('WORKSPACES_COPY_OUTSIDE', { pattern }))
    const found = await findPaths(top, pattern)
    if (found.length === 0) return faultOf('task', worktreeError('WORKSPACES_COPY_MISSING', { pattern, from: top }))
    for (const path of found) {
      const isOut = !isInside(top, realPath(dirname(join(top, path))))
      if (isOut) return faultOf('task', worktreeError('WORKSPACES_COPY_OUTSIDE', { pattern }))
      paths.add(path)
    }
  }
  const notes: string[] = []
  for (const path of paths) {
    const folder = placeFor(to, path)
    if (folder === undefined) {
      notes.push(`${path} was not copied: its folder is a link or a file in the worktree`)
      continue
    }
    try {
      notes.push(...sayLeftOut(await copyTree({ from: top, to, paths: [path], signal })))
    } catch (fault) {
      return notCopied(path, fault, signal)
    }
  }
  return { ok: true, notes }
}

/** `.git` is not a file of the repository, and what is in it would make another one of the worktree. */
function leadsOut(pattern: string): boolean {
  const parts = normalize(pattern).split('/')
  return pattern === '' || isAbsolute(pattern) || parts.includes('..') || parts[0] === '.git' || pattern.includes('\0')
}

async function findPaths(top: string, pattern: string): Promise<readonly string[]> {
  const plain = normalize(pattern).replace(/\/$/, '')
  if (lstatSync(join(top, plain), { throwIfNoEntry: false }) !== undefined) return [plain]
  const { default: picomatch } = await import('picomatch')
  if (!picomatch.scan(pattern).isGlob) return []
  const { glob } = await import('tinyglobby')
  const options = { cwd: top, dot: true, followSymbolicLinks: false, onlyFiles: false, expandDirectories: false }
  const found = await glob(pattern, { ...options, ignore: ['.git', '.git/**', '**/.git/**'] })
  const paths = found.map((path) => path.replace(/\/$/, '')).filter((path) => path !== '' && path !== '.')
  // A folder brings along all that is in it.
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
}

/** Makes the folders above it; undefined where a link or file of the repository is in the way. */
export function placeFor(to: string, path: string): string | undefined {
  const folder = join(to, dirname(path))
  for (let at = folder; at !== to; at = dirname(at)) {
    if (existsSync(at) && !isInside(to, realpathSync(at))) return undefined
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === false) return undefined
  }
  makeFolder(folder)
  return folder
}

const mostTold = 10

function sayLeftOut({ leftOut }: CopiedTree): readonly string[] {
  const told = leftOut.slice(0, mostTold).map(({ path, why }) => `${path} was not copied: ${why}`)
  const more = leftOut.length - told.length
  return more > 0 ? [...told, `and ${more} more`] : told
}

function notCopied(path: string, fault: unknown, signal: AbortSignal): WorkspaceFault {
  const { code } = fault as NodeJS.ErrnoException
  if (signal.aborted) return faultOf('machine', gitError('WORKSPACES_GIT_STOPPED', { doing: `copy ${path}`, said: '' }))
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return faultOf('short', gitError('WORKSPACES_DISK_FULL', { doing: `copy ${path}`, said: '' }))
  }
  const error = worktreeError('WORKSPACES_COPY_FAILED', { path, said: saySystemFault(fault) })
  return faultOf(isShortage(code) ? 'machine' : 'task', error)
}
