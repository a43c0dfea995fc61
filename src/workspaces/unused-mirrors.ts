import { lstatSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from './git.ts'
import { inTurn } from './in-turn.ts'
import { askedRefs, mirrorsOf } from './mirror.ts'
import { isFolder } from './read-text.ts'
import { trashPath } from './take-back.ts'
import type { WorkspaceDeps } from './worktree.ts'

/** Not asked for in so long, and it costs one fetch to have it again. */
const unusedMs = 30 * 86_400_000

/**
 * Takes mirrors away that nothing was made of for a month: those with no worktree and no branch or commit of a task in them.
 * What of a fetch was cut off goes, too. Answers how many went into the trash.
 */
export async function retireUnusedMirrors(deps: WorkspaceDeps): Promise<number> {
  const mirrors = mirrorsOf(deps.home)
  let retired = 0
  for (const name of isFolder(mirrors) ? readdirSync(mirrors) : []) {
    const path = join(mirrors, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory() !== true || deps.clock.nowMs() - stat.mtimeMs < unusedMs) continue
    if (!/^[0-9a-f]{16}(\.new-[0-9a-f]+)?$/.test(name)) continue
    retired += await inTurn(path, async () => {
      if (!(await isUnused(deps, path)) || deps.clock.nowMs() - statSync(path).mtimeMs < unusedMs) return 0
      renameSync(path, trashPath(deps, path))
      return 1
    })
  }
  return retired
}

async function isUnused(deps: WorkspaceDeps, path: string): Promise<boolean> {
  if (path.includes('.new-')) return true
  const entries = join(path, 'worktrees')
  if (isFolder(entries) && readdirSync(entries).length > 0) return false
  const args = ['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/yardmaster']
  const answer = await runGit(deps, { cwd: path, args })
  const refs = answer.stdout.split('\n').filter((ref) => ref !== '' && !ref.startsWith(askedRefs))
  return answer.ok && refs.length === 0
}
