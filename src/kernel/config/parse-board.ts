import { resolve } from 'node:path'
import { isFields, readRepoAddress, realPath, suggestName, whyNoRef } from '../index.ts'
import { beyondCounting, isBeyondCounting } from './amounts.ts'
import { budgetFaults, readBudget } from './chat-config.ts'
import { readCheck, readSetup } from './code-config.ts'
import type { WrittenBoard } from './config-schema.ts'
import type { Path } from './fault.ts'
import type { BoardConfig } from './yard-config.ts'

interface Found {
  readonly path: Path
  readonly says: string
  readonly fix: string
}

/** Where relative paths of a board start, and what `~` is; undefined where nobody said it. */
interface BoardPlace {
  readonly folder: string
  readonly userHome: string | undefined
}

/** The rules between the fields of a board that has the right shape, or parts of it. */
export function boardFaults(
  name: string,
  board: WrittenBoard,
  { laneNames, userHome }: { readonly laneNames: readonly string[]; readonly userHome: string | undefined },
): readonly Found[] {
  const path = ['boards', name]
  const { lane, repo, check, setup, workspace } = board
  const worktree = isFields(workspace) ? (workspace as Exclude<typeof workspace, string | undefined>) : {}
  return [
    ...(typeof lane === 'string' && !laneNames.includes(lane)
      ? [{ path: [...path, 'lane'], says: `names no lane: ${lane}`, fix: suggestName(lane, laneNames) }]
      : []),
    ...(typeof repo === 'string' ? repoFaults([...path, 'repo'], repo, userHome) : []),
    ...(typeof worktree.ref === 'string' ? refFaults([...path, 'workspace', 'ref'], worktree.ref) : []),
    ...budgetFaults([...path, 'budget'], board.budget),
    ...timeoutFaults([...path, 'check'], check),
    ...timeoutFaults([...path, 'setup'], setup),
    ...timeoutFaults([...path, 'workspace', 'setup'], worktree.setup),
    ...(setup !== undefined && worktree.setup !== undefined
      ? [{ path: [...path, 'setup'], says: 'stands here and in workspace', fix: 'keep one of them' }]
      : []),
  ]
}

function repoFaults(path: Path, repo: string, userHome: string | undefined): readonly Found[] {
  const address = readRepoAddress(repo)
  if (address.kind === 'refused') return [{ path, says: address.says, fix: address.fix }]
  if (address.kind === 'path' && /^~(\/|$)/.test(address.path) && userHome === undefined) {
    return [
      { path, says: 'begins with ~, and nobody said whose home that is', fix: 'set HOME, or write the whole path' },
    ]
  }
  return []
}

function refFaults(path: Path, ref: string): readonly Found[] {
  const words = ref.includes('${{') ? { says: 'holds a placeholder', fix: 'write it in the task' } : whyNoRef(ref)
  return words === undefined ? [] : [{ path, ...words }]
}

function timeoutFaults(path: Path, stage: unknown): readonly Found[] {
  const timeout = isFields(stage) ? stage.timeout : undefined
  return isBeyondCounting(timeout) ? [{ path: [...path, 'timeout'], ...beyondCounting(timeout) }] : []
}

/** A board that has no fault. */
export function buildBoard(written: WrittenBoard, place: BoardPlace): BoardConfig {
  const { lane, repo, check, workspace } = written
  const map = typeof workspace === 'object' ? workspace : {}
  const setup = written.setup ?? map.setup
  const { ref, copy, fresh, depth } = map
  const kind = typeof workspace === 'object' ? 'worktree' : workspace
  return {
    lane: lane ?? null,
    repo: repo === undefined ? null : resolveRepo(repo, place),
    ...(check === undefined ? {} : { check: readCheck(check) }),
    ...(written.budget === undefined ? {} : { budget: readBudget(written.budget) }),
    ...(kind === undefined ? {} : { workspace: kind }),
    worktree: {
      ...(ref === undefined ? {} : { ref }),
      ...(setup === undefined ? {} : { setup: readSetup(setup) }),
      ...(copy === undefined ? {} : { copy }),
      ...(fresh === undefined ? {} : { fresh }),
      ...(depth === undefined ? {} : { depth }),
    },
  }
}

/** The real path of a folder, from the user's home or the folder of the file; an address as it is. */
export function resolveRepo(repo: string, { folder, userHome }: BoardPlace): string {
  const address = readRepoAddress(repo)
  if (address.kind !== 'path') return repo
  const fromHome = /^~(?:\/+(.*))?$/s.exec(address.path)
  return realPath(fromHome === null ? resolve(folder, address.path) : resolve(userHome ?? '/', fromHome[1] ?? ''))
}
