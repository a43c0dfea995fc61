import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../kernel/process/index.ts'
import type { GitDeps } from './git.ts'
import { readText } from './read-text.ts'

const mostNotes = 20

/** What people should know of a new checkout: what git warned of, and what it leaves undone. */
export function oddNotes({ env }: Pick<GitDeps, 'env'>, path: string, stderr: string): readonly string[] {
  const warned = stderr.split('\n').filter((line) => /^(warning|error): /.test(line))
  return [
    ...warned.slice(0, mostNotes).map((line) => `git: ${line}`),
    ...(lstatSync(join(path, '.gitmodules'), { throwIfNoEntry: false }) === undefined ? [] : [submodules]),
    ...(usesLfs(path) && !hasLfs(env.PATH ?? '', path) ? [pointers] : []),
  ]
}

const submodules = 'it has submodules, which are empty: git submodule update --init in `setup` fills them'
const pointers = 'it uses Git LFS and git-lfs is not installed: large files are pointers'

const usesLfs = (path: string): boolean => /\bfilter=lfs\b/.test(readText(join(path, '.gitattributes')))
const hasLfs = (path: string, cwd: string): boolean => findProgram({ name: 'git-lfs', path, cwd }).kind === 'found'

/** Its filter is configured as required, and its program is not there. */
export function lfsIsMissing(stderr: string): boolean {
  return /git-lfs.*not found|'git-lfs' is not a git command|smudge filter lfs failed/.test(stderr)
}

/** Leaves the pointers as they are. */
export const withoutLfs: readonly string[] = ['filter.lfs.smudge=', 'filter.lfs.process=', 'filter.lfs.required=false']
