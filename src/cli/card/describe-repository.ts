import type { SettingView } from '../../api/contract/index.ts'
import { isFields } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import type { Around } from './around.ts'

/** What a person should know of the repository that a new card's worktree is of. */
export interface DescribedRepository {
  /** What is checked out there, `main@4f1c2aa`; undefined where the worktree begins from something else. */
  readonly head: string | undefined
  readonly uncommittedFiles: number
}

/** Undefined where the card works in no worktree of a repository that was found here. */
export async function describeRepository(
  { main, env, home }: Pick<CliDeps, 'main' | 'env' | 'home'>,
  { settings, found }: { readonly settings: readonly SettingView[]; readonly found: Around<unknown>['found'] },
): Promise<DescribedRepository | undefined> {
  const workspace = settings.find(({ field }) => field === 'workspace')?.value
  if (found === undefined || !isFields(workspace) || workspace.repo !== found.repo) return undefined
  const counted = await main.lookAround({ path: found.repo, env, home, uncommitted: 'count' })
  return {
    head: workspace.ref === undefined || workspace.ref === found.branch ? found.head : undefined,
    uncommittedFiles: (counted.kind === 'found' ? counted.uncommittedFiles : undefined) ?? 0,
  }
}
