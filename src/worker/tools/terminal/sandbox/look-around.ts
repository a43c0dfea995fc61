import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SandboxOrder } from '../desk-deps.ts'
import { type HiddenPlace, isWithin, type SandboxView } from './bwrap-arguments.ts'
import { findCommonGit } from './find-common-git.ts'

export interface SandboxSurroundings {
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders that exist: what commands find as their temporary folder and as their home. */
  readonly ownTemp: string
  readonly ownHome: string
  readonly user: 'root' | 'other'
}

/** Sockets, keys of containers and homes: what programs of the machine keep for themselves. */
const hiddenFolders = ['/run', '/home', '/root', '/var/lib/docker', '/var/spool']
/** In `/run`, where the names of the network are looked up. */
const shownFolders = ['/run/systemd/resolve', '/run/resolvconf']
const tempFolders = ['/tmp', '/var/tmp']

/**
 * What of this machine a sandbox shows, as it is now. The home is not only hidden but replaced, since programs want to write
 * there; a workspace that is the home stays what it is.
 */
export function lookAround(around: SandboxSurroundings, order: SandboxOrder): SandboxView {
  const { workspace, env } = around
  const home = realOf(env.HOME)
  const common = findCommonGit(workspace)
  const writable = common === undefined || isWithin(common, workspace) ? [] : [common]
  const folders = [...hiddenFolders, ...(home === undefined ? [] : [home]), ...order.hidden]
  const masked = [workspace, ...writable].flatMap(findEnvFiles).filter((path) => !isWithin(path, workspace))
  const hidden = [...folders, ...masked].flatMap(placeOf).filter(({ path }) => path !== '/')
  const dotGit = placeOf(join(workspace, '.git')).filter(({ path }) => isWithin(path, workspace))
  const programs = findPrograms(env.PATH ?? '', hidden)
  return {
    workspace,
    writable,
    pinned: dotGit.flatMap(({ path, kind }) => (kind === 'folder' ? [path] : [])),
    kept: [
      ...dotGit.flatMap(({ path, kind }) => (kind === 'file' ? [path] : [])), // it says where the repository is
      // Its settings name programs that git runs for whoever works there next, and another folder of hooks.
      ...['hooks', 'config'].map((name) => join(workspace, '.git', name)),
      ...writable.flatMap((git) => [join(git, 'hooks'), join(git, 'config')]),
    ].flatMap((path) => realOf(path) ?? []),
    hidden,
    readable: [...shownFolders, ...programs, ...order.readable].flatMap((path) => realOf(path) ?? []),
    replaced: [
      ...tempFolders.flatMap((path) => (realOf(path) === path ? [[around.ownTemp, path] as const] : [])),
      ...(home === undefined || home === '/' || home === workspace ? [] : [[around.ownHome, home] as const]),
    ],
    network: order.network,
    user: around.user,
  }
}

/** `.env` and its like in the folders above a place: there they belong to others. */
function findEnvFiles(place: string): readonly string[] {
  const found: string[] = []
  for (let folder = dirname(place); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      found.push(
        ...readdirSync(folder)
          .filter((name) => /^\.env/.test(name))
          .map((name) => join(folder, name)),
      )
    } catch {
      // closed to us, and so to our commands
    }
  }
  return found
}

/** Folders of programs on the PATH that lie in something hidden; of a `bin` deep in a home what lies beside it, too. */
function findPrograms(path: string, hidden: readonly HiddenPlace[]): readonly string[] {
  return path
    .split(':')
    .flatMap((folder) => realOf(folder) ?? [])
    .flatMap((folder) => {
      const around = hidden.find((place) => place.kind === 'folder' && isWithin(folder, place.path))
      if (around === undefined) return []
      const above = dirname(folder)
      const isDeep = isWithin(dirname(dirname(dirname(above))), around.path)
      return [basename(folder) === 'bin' && isDeep ? above : folder]
    })
}

function placeOf(path: string): readonly HiddenPlace[] {
  const real = realOf(path)
  if (real === undefined) return []
  const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory() === true
  return [{ path: real, kind: isFolder ? 'folder' : 'file' }]
}

function realOf(path: string | undefined): string | undefined {
  try {
    return path === undefined || path === '' ? undefined : realpathSync(path)
  } catch {
    return undefined // not there
  }
}
