import type { NewBatchBody } from '../../api/contract/index.ts'
import type { Fault } from '../../kernel/config/index.ts'
import { readRepoAddress } from '../../kernel/index.ts'
import type { FoundAround } from '../../main.ts'
import { batchError, type ReadBatch } from '../batch-file/index.ts'
import type { CliDeps } from '../command.ts'

/** More are not looked at before the batch starts: each costs a git. */
const mostLookedAt = 100

type Workspace = NewBatchBody['defaults']['workspace']

/**
 * Looks at the repositories that a batch names by a path, and answers it with each by its top folder, so that all ways to name one
 * are the same. Throws `BATCH_FILE_INVALID` where nothing could be checked out from one that a task needs at once: each row would
 * find that out by itself, an hour later. What tasks wait for may still come.
 */
export async function withNamedRepositories(
  { main, env }: Pick<CliDeps, 'main' | 'env'>,
  read: ReadBatch,
): Promise<ReadBatch> {
  const { body, rows } = read
  const file = body.file ?? 'standard input'
  const named = new Map<string, string | undefined>()
  for (const { task, needs, body: row } of rows) {
    const own = pathOf(row.workspace)
    const repo = own ?? pathOf(body.defaults.workspace)
    if (repo === undefined || named.get(repo) !== undefined) continue
    const place = own === undefined ? 'defaults' : `tasks.${task}`
    named.set(repo, needs.length === 0 ? `${place}.workspace.repo` : undefined)
  }
  const tops = new Map<string, string>()
  const faults: Fault[] = []
  for (const [repo, path] of [...named].slice(0, mostLookedAt)) {
    const found = await main.lookAround({ path: repo, env, home: undefined, uncommitted: 'skip' })
    if (found.kind === 'found') tops.set(repo, found.repo)
    else if (path !== undefined) faults.push({ file, path, ...wordsOf(repo, found) })
  }
  if (faults.length > 0) throw batchError('BATCH_FILE_INVALID', { file, faults })
  return withTops(read, tops)
}

function wordsOf(repo: string, found: Exclude<FoundAround, { kind: 'found' }>): Pick<Fault, 'says' | 'fix'> {
  if (found.kind === 'closed') return { says: `cannot be used: ${found.error.message}`, fix: found.error.fix }
  return found.kind === 'none'
    ? { says: `names ${repo}, which lies in no git repository`, fix: 'name one that is there' }
    : { says: `names ${repo}, which has no commit yet`, fix: 'commit something first' }
}

function withTops({ body, rows }: ReadBatch, tops: ReadonlyMap<string, string>): ReadBatch {
  const topped = <Fields extends { readonly workspace?: Workspace }>(fields: Fields): Fields => {
    const repo = tops.get(pathOf(fields.workspace) ?? '')
    return repo === undefined ? fields : { ...fields, workspace: { ...(fields.workspace as object), repo } }
  }
  return {
    body: { ...body, defaults: topped(body.defaults), tasks: body.tasks.map(topped) },
    rows: rows.map((row) => ({ ...row, body: topped(row.body) })),
  }
}

function pathOf(workspace: Workspace): string | undefined {
  const repo = typeof workspace === 'object' && 'repo' in workspace ? workspace.repo : undefined
  return repo !== undefined && readRepoAddress(repo).kind === 'path' ? repo : undefined
}
