import type { NewTaskBody } from '../../api/contract/index.ts'
import { readRepoAddress, shellWord, type YardError } from '../../kernel/index.ts'
import type { FoundAround } from '../../main.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'
import { type NotFound, sayLeftAlone } from './left-alone.ts'

type Deps = Pick<CliDeps, 'main' | 'home' | 'env' | 'err' | 'flags'>
type Settings = Pick<NewTaskBody, 'workspace'>

/** What git found for a new card: the repository that its worktree is of, and what is checked out there. */
export interface Around<Body> {
  readonly fields: Body & Pick<NewTaskBody, 'repo' | 'repo_branch'>
  readonly found: Extract<FoundAround, { kind: 'found' }> | undefined
}

/**
 * Looks for the repository of a card: the one that `--repo` names, else the one that holds the folder it is made in. A path
 * that is in none is `CLI_BAD_USE`; a repository that git cannot work with is told, and the card is made without it.
 */
export async function lookForRepository<Body extends Settings>(
  deps: Deps,
  fields: Body,
  cwd: string,
): Promise<Around<Body>> {
  const named = repoOf(fields)
  if (named !== undefined && readRepoAddress(named).kind === 'url') return { fields, found: undefined }
  const { env } = deps
  const home = named === undefined ? deps.home : undefined
  const found = await deps.main.lookAround({ path: named ?? cwd, env, home, uncommitted: 'skip' })
  if (found.kind !== 'found') {
    if (named !== undefined) throw unusable(named, found)
    sayLeftAlone(deps, found)
    return { fields, found: undefined }
  }
  const { repo, branch } = found
  const workspace = named === undefined ? {} : { workspace: { ...mapOf(fields.workspace), repo } }
  return { fields: { ...fields, ...workspace, repo, ...(branch === undefined ? {} : { repo_branch: branch }) }, found }
}

/** Why the repository that was named is none to work in. */
function unusable(named: string, found: NotFound): YardError {
  if (found.kind === 'closed') return found.error
  return found.kind === 'none'
    ? cliError('CLI_BAD_USE', { says: `--repo ${named} lies in no git repository`, fix: 'name one that is there' })
    : cliError('CLI_BAD_USE', {
        says: `--repo ${named} has no commit yet, and a worktree begins from one`,
        fix: `git -C ${shellWord(found.repo)} commit --allow-empty -m start`,
      })
}

const mapOf = (workspace: Settings['workspace']) =>
  typeof workspace === 'object' && !('dir' in workspace) ? workspace : {}

const repoOf = ({ workspace }: Settings): string | undefined => mapOf(workspace).repo
