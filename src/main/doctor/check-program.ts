import { YardError } from '../../kernel/index.ts'
import { readGitVersion } from '../../workspaces/index.ts'
import type { HubOptions } from '../hub-options.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** `engines` of package.json. */
const leastNode = [20, 19] as const

export function checkNode(version: string, node: string = process.version): readonly Check[] {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const [leastMajor, leastMinor] = leastNode
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const says = `yardmaster ${version} on Node ${node}`
  return [isEnough ? ok('program', says) : bad('program', says, `it needs Node ${leastNode.join('.')} or later`)]
}

/** Without it prompts in a repository, and whatever else works in a worktree, cannot start; the rest can. */
export async function checkGit({ env }: Pick<HubOptions, 'env'>, cwd: string): Promise<readonly Check[]> {
  const version = await readGitVersion({ env, signal: new AbortController().signal }, cwd)
  if (version instanceof YardError)
    return [warn('git', `${version.message}; tasks in worktrees wait for it`, version.fix)]
  return [ok('git', `git ${version}, which makes the worktrees of tasks`)]
}
