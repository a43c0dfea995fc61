import { resolve } from 'node:path'
import type { EditTaskBody } from '../../api/contract/index.ts'
import { resolveRepo } from '../../kernel/config/index.ts'
import { readRepoAddress } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'

type WorkspaceBody = NonNullable<EditTaskBody['workspace']>

/** Where the card was typed. */
export interface TypedAt {
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface WorkspaceFlags {
  readonly workspace?: string
  readonly repo?: string
  readonly ref?: string
}

/** `--workspace`, `--repo` and `--ref` as the API takes them; undefined where none was said. Throws `CLI_BAD_USE`. */
export function workspaceOf({ workspace, repo, ref }: WorkspaceFlags, at: TypedAt): WorkspaceBody | undefined {
  if (repo === undefined && ref === undefined) return workspace === undefined ? undefined : wordOrFolder(workspace, at)
  if (workspace !== undefined && workspace !== 'worktree') {
    const flag = repo === undefined ? '--ref' : '--repo'
    throw cliError('CLI_BAD_USE', {
      says: `${flag} is for a worktree, and --workspace says ${workspace}`,
      fix: 'take one of them out',
    })
  }
  return {
    ...(repo === undefined ? {} : { repo: repoOf(repo, at) }),
    ...(ref === undefined ? {} : { ref }),
  }
}

function wordOrFolder(text: string, { cwd }: TypedAt): WorkspaceBody {
  if (text === 'here' || text === 'scratch' || text === 'worktree') return text
  return { dir: resolve(cwd, text) }
}

function repoOf(text: string, { cwd, env }: TypedAt): string {
  const address = readRepoAddress(text)
  // Without the text: it may be a password that is refused.
  if (address.kind === 'refused') {
    throw cliError('CLI_BAD_USE', { says: `what --repo names ${address.says}`, fix: address.fix })
  }
  return resolveRepo(text, { folder: cwd, userHome: env.HOME })
}
