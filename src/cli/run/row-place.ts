import type { NewBatchBody } from '../../api/contract/index.ts'
import type { BoardConfig } from '../../kernel/config/index.ts'

type Row = NewBatchBody['tasks'][number]
type Workspace = NonNullable<Row['workspace']>

/** Where a row will work and whether its work is checked, for people; the hub decides both again and for good. */
export interface RowPlace {
  readonly workspace: 'here' | 'scratch' | 'worktree' | 'dir'
  /** Of a worktree: what it is of, where it is known here. */
  readonly repo: string | undefined
  readonly checked: boolean
  /** What can only be judged in a worktree, where this is none: the hub refuses such a batch. */
  readonly unfit: 'may_change' | 'expect: change' | undefined
}

/** By the order task, defaults, board, built in (files-and-cli sections 2 and 4). `board`: undefined where it is not known. */
export function rowPlace(
  row: Row,
  { defaults, repo }: Pick<NewBatchBody, 'defaults' | 'repo'>,
  board: BoardConfig | undefined,
): RowPlace {
  const isPrompt = row.prompt !== undefined
  const boardRepo = board?.repo ?? undefined
  const prompts = boardRepo === undefined && repo === undefined ? 'scratch' : 'worktree'
  const said = row.workspace ?? defaults.workspace ?? board?.workspace ?? (isPrompt ? prompts : 'here')
  const workspace = kindOf(said)
  const named = [row.workspace, defaults.workspace].map(repoOf).find((one) => one !== undefined)
  const checks = isPrompt ? [row.check, defaults.check, board?.check] : [row.check]
  const check = checks.find((one) => one !== undefined)
  const around = isPrompt ? [defaults] : []
  const mayChange = [row, ...around].map((one) => one.may_change).find((one) => one != null)
  const expect = [row, ...around].map((one) => one.expect).find((one) => one != null)
  const judged = mayChange !== undefined ? 'may_change' : expect === 'change' ? 'expect: change' : undefined
  return {
    workspace,
    repo: workspace === 'worktree' ? (named ?? boardRepo ?? repo) : undefined,
    checked: check !== undefined && check !== null && check !== 'none',
    unfit: workspace === 'worktree' ? undefined : judged,
  }
}

function kindOf(workspace: Workspace): RowPlace['workspace'] {
  if (typeof workspace === 'string') return workspace
  return 'dir' in workspace ? 'dir' : 'worktree'
}

const repoOf = (workspace: Workspace | undefined): string | undefined =>
  typeof workspace === 'object' && 'repo' in workspace ? workspace.repo : undefined
