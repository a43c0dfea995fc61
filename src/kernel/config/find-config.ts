import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { configError } from './errors.ts'

export interface ConfigSearch {
  /** `--config`, as typed. */
  readonly explicit: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly cwd: string
  /** The user's home folder, absolute: for `~/.config` where `$XDG_CONFIG_HOME` is not set. */
  readonly home: string
}

export const configName = 'yardmaster.yaml'

/**
 * The configuration file that counts here: `--config`, `$YARDMASTER_CONFIG`, upwards from here to the repository root,
 * then the user's; the first hit wins and nothing is merged. Outside a repository only the current folder is looked
 * at, because a file that strangers can put into `/tmp` must not say what we run. Undefined: none, which is a working
 * yard. A file that was named and is missing is `CONFIG_NOT_FOUND`.
 */
export function findConfig({ explicit, env, cwd, home }: ConfigSearch): string | undefined {
  if (explicit !== undefined) return named(resolve(cwd, explicit), '--config')
  const fromEnv = env.YARDMASTER_CONFIG
  if (fromEnv !== undefined && fromEnv !== '') return named(resolve(cwd, fromEnv), '$YARDMASTER_CONFIG')
  const xdg = env.XDG_CONFIG_HOME
  const users = join(xdg?.startsWith('/') ? xdg : join(home, '.config'), 'yardmaster')
  return [...foldersUpToRepository(cwd), users].map((folder) => join(folder, configName)).find(isFile)
}

function named(file: string, from: string): string {
  if (!existsSync(file)) throw configError('CONFIG_NOT_FOUND', { file, from })
  return file
}

function foldersUpToRepository(cwd: string): readonly string[] {
  const folders: string[] = []
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder)
    // `.git` is a file in worktrees and submodules.
    if (existsSync(join(folder, '.git'))) return folders
    if (folder === dirname(folder)) return [cwd]
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
