import { lstatSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NewBatchBody } from '../../api/contract/index.ts'
import { describeSize } from '../../kernel/index.ts'
import type { FoundAround } from '../../main.ts'
import { listFiles } from '../batch-file/index.ts'
import type { CliDeps } from '../command.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import type { DryGroup } from './dry-run.ts'

export interface PlannedWorktrees {
  readonly warnings: readonly string[]
  /** How much room the worktrees would take; undefined where none can be measured. */
  readonly disk: string | undefined
}

interface Input {
  readonly body: NewBatchBody
  readonly groups: readonly DryGroup[]
  readonly found: Extract<FoundAround, { kind: 'found' }> | undefined
}

/** What a dry run says of the worktrees of the repository around the file: what is not in them, and how much they take. */
export async function planWorktrees(
  deps: Pick<CliDeps, 'main' | 'env' | 'home'>,
  { groups, found }: Input,
): Promise<PlannedWorktrees> {
  if (found === undefined) return { warnings: [], disk: undefined }
  const worktrees = groups.filter(({ repo }) => repo === found.repo).reduce((sum, { rows }) => sum + rows, 0)
  if (worktrees === 0) return { warnings: [], disk: undefined }
  const { env, home } = deps
  const counted = await deps.main.lookAround({ path: found.repo, env, home, uncommitted: 'count' })
  const files = (counted.kind === 'found' ? counted.uncommittedFiles : undefined) ?? 0
  const where = onOneLine(found.repo)
  const left = `${count(files, 'uncommitted file')} of ${where} ${files === 1 ? 'is' : 'are'} not in the worktrees`
  return { warnings: files === 0 ? [] : [left], disk: await diskWords(deps, { repo: found.repo, worktrees }) }
}

async function diskWords(
  { env, home }: Pick<CliDeps, 'env' | 'home'>,
  { repo, worktrees }: { readonly repo: string; readonly worktrees: number },
): Promise<string | undefined> {
  const listed = await listFiles({ dir: repo, globs: ['**', '**/.*', '**/.*/**'], not: [], env })
  if (!listed.ok || listed.files.length === 0) return undefined
  const each = listed.files.reduce((sum, file) => sum + (sizeOf(join(repo, file)) ?? 0), 0)
  const free = freeBytes(home)
  const all = `${count(worktrees, 'worktree')} x ${describeSize(each)} (its files, without what setup adds)`
  const room = free === undefined ? '' : `, free ${describeSize(free)}`
  const verdict = free === undefined ? '' : each * worktrees > free ? ': that is too much' : ': OK'
  return `Disk: ${all} = ${describeSize(each * worktrees)}${room}${verdict}.`
}

const sizeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.size

/** Of the disk that the home is on, or will be. */
function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return folder === dirname(folder) ? undefined : freeBytes(dirname(folder))
  }
}
