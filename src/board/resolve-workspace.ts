import type { BoardSettings, SettingOrigin, SettingSources } from './setting-sources.ts'
import type { TaskSpec, WorkspaceSpec, WorktreeSpec } from './task.ts'

type Sources = Omit<SettingSources, 'builtInGraceMs'>

interface Workspace {
  readonly value: WorkspaceSpec
  readonly from: SettingOrigin
}

/**
 * Where an attempt works. What a worktree does not say itself it takes from the worktrees of the batch and of the board, as far
 * as those are not of another repository; its repository is then the one that holds the card's folder, and it begins from the
 * branch that was checked out there when the card was made.
 */
export function resolveWorkspace(sources: Sources): Workspace {
  const { spec, defaults, board, lane } = sources
  const said: readonly (Workspace | undefined)[] = [
    saidBy('task', spec.workspace),
    saidBy('batch', defaults?.workspace),
    saidBy('board', board?.workspace),
    saidBy('lane', lane.workspace),
  ]
  const decided = said.find((one) => one !== undefined) ?? builtIn(sources)
  if (decided.value.kind !== 'worktree') return decided
  const widths = [...said.map((one) => one?.value), boardWorktree(board)]
  const merged = widths.reduce<WorktreeSpec>(
    (narrow, wide) => (wide?.kind === 'worktree' ? merge(narrow, wide) : narrow),
    decided.value,
  )
  return { value: withCardRepository(withoutNothing(merged), spec), from: decided.from }
}

const saidBy = (from: SettingOrigin, value: WorkspaceSpec | undefined): Workspace | undefined =>
  value === undefined ? undefined : { value, from }

/** A prompt gets a worktree where there is a repository, else an empty folder; a command works where its card is (files-and-cli section 4). */
function builtIn({ spec, board }: Sources): Workspace {
  if (spec.prompt === undefined) return { value: { kind: 'here' }, from: 'built in' }
  if (board?.repo !== undefined) return { value: { kind: 'worktree' }, from: 'board' }
  return { value: { kind: spec.repo === undefined ? 'scratch' : 'worktree' }, from: 'built in' }
}

function boardWorktree(board: BoardSettings | null): WorktreeSpec | undefined {
  if (board === null) return undefined
  return { kind: 'worktree', ...(board.repo === undefined ? {} : { repo: board.repo }), ...board.worktree }
}

/** Setup, copy and ref of another repository mean nothing in this one. */
function merge(narrow: WorktreeSpec, wide: WorktreeSpec): WorktreeSpec {
  const isOther = narrow.repo !== undefined && wide.repo !== undefined && narrow.repo !== wide.repo
  return isOther ? narrow : { ...wide, ...narrow }
}

/** A setup that was switched off is none. */
function withoutNothing({ setup, ...worktree }: WorktreeSpec): WorktreeSpec {
  return setup === undefined || setup === null ? worktree : { ...worktree, setup }
}

function withCardRepository(worktree: WorktreeSpec, { repo: own, repoBranch }: TaskSpec): WorktreeSpec {
  const repo = worktree.repo ?? own
  if (repo === undefined) return worktree
  const ref = worktree.ref ?? (repo === own ? repoBranch : undefined)
  return { ...worktree, repo, ...(ref === undefined ? {} : { ref }) }
}
