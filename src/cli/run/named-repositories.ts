import type { Fault } from '../../kernel/config/index.ts'
import { readRepoAddress } from '../../kernel/index.ts'
import { batchError, type ReadBatch } from '../batch-file/index.ts'
import type { CliDeps } from '../command.ts'

/** More are not looked at before the batch starts: each costs a git. */
const mostLookedAt = 100

/**
 * Looks at the repositories that a batch names by a path. Throws `BATCH_FILE_INVALID` for those from which nothing could be checked
 * out: else each row would find that out by itself, an hour later.
 */
export async function checkNamedRepositories(
  { main, env }: Pick<CliDeps, 'main' | 'env'>,
  { body, rows }: ReadBatch,
): Promise<void> {
  const named = new Map<string, string>()
  for (const [path, workspace] of [
    ['defaults', body.defaults.workspace] as const,
    ...rows.map(({ task, body: row }) => [`tasks.${task}`, row.workspace] as const),
  ]) {
    const repo = typeof workspace === 'object' && 'repo' in workspace ? workspace.repo : undefined
    if (repo === undefined || named.has(repo) || readRepoAddress(repo).kind !== 'path') continue
    named.set(repo, `${path}.workspace.repo`)
  }
  const faults: Fault[] = []
  for (const [repo, path] of [...named].slice(0, mostLookedAt)) {
    const found = await main.lookAround({ path: repo, env, home: undefined, uncommitted: 'skip' })
    if (found.kind === 'found') continue
    const file = body.file ?? 'standard input'
    if (found.kind === 'closed')
      faults.push({ file, path, says: `cannot be used: ${found.error.message}`, fix: found.error.fix })
    else if (found.kind === 'none')
      faults.push({ file, path, says: `names ${repo}, which lies in no git repository`, fix: 'name one that is there' })
    else faults.push({ file, path, says: `names ${repo}, which has no commit yet`, fix: 'commit something first' })
  }
  if (faults.length > 0) throw batchError('BATCH_FILE_INVALID', { file: body.file ?? 'standard input', faults })
}
