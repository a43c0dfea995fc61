import { lstatSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The file that makes a folder a worktree. */
export const gitFile = (path: string): string => join(path, '.git')

const mostBytes = 8 * 1024

/** Where it says that the folder's git lies, absolute, unresolved; undefined where it is no such file (a link, a folder, gone). */
export function readGitFile(path: string): string | undefined {
  const file = gitFile(path)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat?.isFile() !== true || stat.size > mostBytes) return undefined
  const leads = /^gitdir: (.+?)\n*$/s.exec(readFileSync(file, 'utf8'))?.[1]
  return leads === undefined ? undefined : resolve(path, leads)
}
