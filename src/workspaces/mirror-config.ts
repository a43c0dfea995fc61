import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type GitDeps, runGit } from './git.ts'

/**
 * Takes out of the configuration of a mirror what would lead a fetch elsewhere, or run a program with it: every worker in a
 * worktree of it writes into the same file, and the next task begins with what is fetched. Named remotes stay, since none is
 * asked; what the person's own configuration says of addresses counts as ever.
 */
export async function tidyMirrorConfig(deps: GitDeps, gitDir: string): Promise<void> {
  for (const file of [join(gitDir, 'config'), join(gitDir, 'config.worktree')]) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue // a link would lead our writing elsewhere
    const inFile = ['config', '--file', file, '--no-includes']
    const listed = await runGit(deps, { cwd: gitDir, args: [...inFile, '--list', '--name-only', '-z'] })
    const keys = new Set(listed.stdout.split('\0').filter((key) => leadsAway.test(key)))
    for (const key of keys) await runGit(deps, { cwd: gitDir, args: [...inFile, '--unset-all', key] })
  }
}

/** A remote may be called like an address, and is asked then. */
const leadsAway =
  /^(url|credential|http|include|includeif|protocol|fetch|transfer|bundle)\.|^core\.(gitproxy|sshcommand|askpass|alternaterefscommand)$|^remote\..*:.*\./s
