import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * The git folder of the repository that a workspace is a worktree of, where that lies elsewhere. The repository has to
 * name the workspace, too: the file in the workspace alone could have been written by a command to open any folder.
 */
export function findCommonGit(workspace: string): string | undefined {
  try {
    const named = /^gitdir: (.+)\n?$/.exec(readFileSync(join(workspace, '.git'), 'utf8'))?.[1]
    if (named === undefined) return undefined
    const own = realpathSync(resolve(workspace, named))
    const common = realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim()))
    const back = readFileSync(join(own, 'gitdir'), 'utf8').trim()
    const isOurs = dirname(dirname(own)) === common && realpathSync(dirname(resolve(own, back))) === workspace
    return isOurs ? common : undefined
  } catch {
    return undefined // no worktree: a folder of its own, or no repository at all
  }
}
