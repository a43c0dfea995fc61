import { readRepoAddress, type YardError } from '../kernel/index.ts'
import { boardError } from './errors.ts'
import type { Resolved } from './resolve-settings.ts'
import type { SettingOrigin } from './setting-sources.ts'
import type { WorkspaceSpec } from './task.ts'

/** The settings that must fit each other. */
type Judged = Pick<Resolved, 'workspace' | 'mayChange' | 'expect'>

/** Why settings that are right one by one cannot be meant together, as an error with its fix; undefined where they can. */
export function whyImpossible({ workspace, mayChange, expect }: Judged): YardError | undefined {
  const { value } = workspace
  if (value.kind === 'worktree') {
    if (value.repo === undefined) return boardError('BOARD_NO_REPOSITORY', {})
    if (value.depth !== undefined && readRepoAddress(value.repo).kind === 'path') {
      return boardError('BOARD_DEPTH_OF_A_FOLDER', { repo: value.repo })
    }
    return undefined
  }
  const where = sayWhere(value, workspace.from)
  if (mayChange.value !== null) return boardError('BOARD_NEEDS_WORKTREE', { field: 'may_change', where })
  if (expect.value === 'change') return boardError('BOARD_NEEDS_WORKTREE', { field: 'expect: change', where })
  return undefined
}

function sayWhere(workspace: Exclude<WorkspaceSpec, { kind: 'worktree' }>, from: SettingOrigin): string {
  const words = { here: 'here', scratch: 'in an empty folder', dir: 'in a folder that it shares' } as const
  const place = workspace.kind === 'dir' && !workspace.shared ? 'in a folder of yours' : words[workspace.kind]
  return from === 'built in' ? place : `${place} (workspace, said by the ${from})`
}
