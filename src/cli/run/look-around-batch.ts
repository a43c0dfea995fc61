import type { FoundAround } from '../../main.ts'
import type { ReadBatch } from '../batch-file/index.ts'
import { sayLeftAlone } from '../card/left-alone.ts'
import type { CliDeps } from '../command.ts'
import { withNamedRepositories } from './named-repositories.ts'

/** A batch with the repository that its file lies in, where some row could work in a worktree. */
export interface BatchWithRepository {
  readonly read: ReadBatch
  readonly found: Extract<FoundAround, { kind: 'found' }> | undefined
}

/**
 * Looks for that repository, and at those that the batch names (`BATCH_FILE_INVALID`). One around the file that git cannot work
 * with is told, and the batch goes on without it.
 */
export async function lookAroundBatch(
  { main, env, home, err, flags }: Pick<CliDeps, 'main' | 'env' | 'home' | 'err' | 'flags'>,
  written: ReadBatch,
): Promise<BatchWithRepository> {
  const read = await withNamedRepositories({ main, env }, written)
  const { body, rows } = read
  const mayUse = rows.some(({ body: row }) => row.prompt !== undefined || row.workspace !== undefined)
  if (!mayUse && body.defaults.workspace === undefined) return { read, found: undefined }
  const found = await main.lookAround({ path: body.dir, env, home, uncommitted: 'skip' })
  if (found.kind !== 'found') {
    sayLeftAlone({ err, flags }, found)
    return { read, found: undefined }
  }
  const around = { repo: found.repo, ...(found.branch === undefined ? {} : { repo_branch: found.branch }) }
  return { read: { ...read, body: { ...body, ...around } }, found }
}
