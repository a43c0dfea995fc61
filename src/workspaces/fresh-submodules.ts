import { join } from 'node:path'
import { type Clock, realPath, type TaskId } from '../kernel/index.ts'
import type { GitDeps } from './git.ts'
import { readGitFile } from './git-file.ts'
import { addEverything } from './harvest-add.ts'
import { storeCommit } from './harvest-commit.ts'
import { HarvestFault } from './harvest-fault.ts'
import { type WorktreeGit, worktreeGit } from './harvest-git.ts'
import { readIndex } from './harvest-index.ts'
import { readCommits } from './harvest-look.ts'
import { keepLost } from './harvest-refs.ts'
import { splitNul, textOfPath } from './patch-path.ts'
import { isInside } from './resolve-workspace.ts'

export interface FreshSubmodules {
  readonly git: WorktreeGit
  /** Of the repository that has them: they go back to the commits that stand in it. */
  readonly commit: string
  readonly task: TaskId
}

type Deps = GitDeps & { readonly clock: Clock }

/**
 * Commits what the filled submodules of a worktree, and those within them, hold besides what they had at a commit, and keeps it by
 * a ref of the submodule itself: no patch has it. No file, branch or HEAD changes. Answers which had any. Throws `HarvestFault`.
 */
export async function keepSubmodules(deps: Deps, { git, commit, task }: FreshSubmodules): Promise<readonly string[]> {
  const before = new Map((await listLinks(git, commit)).map(({ path, content }) => [path, content]))
  const now = ((await readIndex(git))?.gitlinks ?? []).map(textOfPath)
  const kept: string[] = []
  for (const path of new Set([...before.keys(), ...now])) {
    const inner = openSubmodule(deps, git, path)
    if (inner === undefined) continue
    if (await keepOne(deps, inner, { commit: before.get(path), task })) kept.push(path)
    const deeper = await keepSubmodules(deps, { git: inner, commit: 'HEAD', task })
    kept.push(...deeper.map((each) => `${path}/${each}`))
  }
  return kept
}

async function keepOne(
  { clock }: Deps,
  git: WorktreeGit,
  { commit, task }: { readonly commit: string | undefined; readonly task: TaskId },
): Promise<boolean> {
  const [head] = await readCommits(git, ['HEAD'])
  if ((await addEverything(git, 'as_found')) === 'index_broken')
    throw new HarvestFault('machine', `the index of the submodule ${git.path} cannot be used`)
  const tree = (await git.run(['write-tree'])).stdout.trim()
  const isClean = head != null && head.tree === tree
  if (isClean && head.id === commit) return false
  const parents = head == null ? [] : [head.id]
  const input = { tree, parents, task, run: null, title: 'Left in the submodule', atMs: clock.nowMs() }
  const left = isClean ? head : await storeCommit(git, input)
  await keepLost(git, keptAs, [left.id])
  return true
}

export const keptAs = 'refs/yardmaster/fresh'

/** Puts filled submodules back to where a commit has them, those within them too. Ignored files stay. Throws `HarvestFault`. */
export async function resetSubmodules(
  deps: GitDeps,
  { git, commit }: Pick<FreshSubmodules, 'git' | 'commit'>,
): Promise<void> {
  for (const { path, content } of await listLinks(git, commit)) {
    const inner = openSubmodule(deps, git, path)
    const [wanted] = inner === undefined ? [] : await readCommits(inner, [content])
    if (inner === undefined || wanted == null) continue // never filled, or never with this one
    await inner.run(['read-tree', '--reset', '-u', wanted.id])
    await inner.run(['update-ref', '--no-deref', 'HEAD', wanted.id])
    await resetSubmodules(deps, { git: inner, commit: wanted.id })
  }
}

async function listLinks(git: WorktreeGit, commit: string) {
  const answer = await git.try(['ls-tree', '-r', '-z', commit], { maxBytes: 512 * 1024 * 1024 })
  return splitNul(answer.ok ? answer.bytes : Buffer.alloc(0))
    .filter((entry) => entry.toString('latin1', 0, 6) === '160000')
    .map((entry) => {
      const tab = entry.indexOf(9)
      const content = entry.toString('latin1', 0, tab).split(' ')[2] ?? ''
      return { path: textOfPath(entry.subarray(tab + 1)), content }
    })
}

/** Undefined where it was never filled, or leads out of the worktree or of its own part of the repository. */
function openSubmodule(deps: GitDeps, { path: top, adminDir }: WorktreeGit, path: string): WorktreeGit | undefined {
  const folder = join(top, path)
  const leads = readGitFile(folder)
  if (leads === undefined || realPath(folder) !== join(realPath(top), path)) return undefined
  const store = realPath(leads)
  if (!isInside(join(realPath(adminDir), 'modules'), store)) return undefined
  return worktreeGit(deps, { path: folder, gitDir: store, adminDir: store })
}
