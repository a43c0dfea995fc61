import { join, resolve } from 'node:path'
import { readSmall } from './read-small.ts'

/** The file that makes a folder a worktree. */
export const gitFile = (path: string): string => join(path, '.git')

/** Where it says that the folder's git lies, absolute, unresolved; undefined where it is no such file (a link, a folder, gone). */
export function readGitFile(path: string): string | undefined {
  const leads = /^gitdir: (.+?)\n*$/s.exec(readSmall(gitFile(path)) ?? '')?.[1]
  return leads === undefined ? undefined : resolve(path, leads)
}
