import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Actor, Attachment, Board } from '../../board/index.ts'
import type { KeepConfig } from '../../kernel/config/index.ts'
import { type Clock, formatTaskId, makeFolder, type Random, saySystemFault, type TaskId } from '../../kernel/index.ts'
import { storePatch } from '../../runs/index.ts'
import {
  emptyTrash,
  type ListedWorkspace,
  listWorkspaces,
  lookAtCode,
  recallForHarvest,
  recallWorktree,
  retireScratch,
  retireUnusedMirrors,
  retireWorktree,
  saveState,
  staleSetups,
  treeSize,
  type WorkspaceDeps,
} from '../../workspaces/index.ts'
import { type CleanFacts, type CleanPlan, planClean, type StayCode, whyItStays } from './plan-clean.ts'

export interface CleanerDeps {
  readonly board: Board
  readonly clock: Clock
  readonly random: Random
  /** Absolute, real path. */
  readonly home: string
  /** Where this program's files lie. */
  readonly program: string
  readonly keep: KeepConfig
  /** Of the hub: git gets its part of it. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface CleanInput {
  /** Null: all that there are. */
  readonly tasks: readonly TaskId[] | null
  /** time: what is past `keep`, and safe elsewhere. person: now; what is not safe is stored first. */
  readonly asked: 'time' | 'person'
  readonly act: 'look' | 'remove'
  readonly sizes: 'count' | 'skip'
  readonly actor: Actor
}

/** What became of one workspace, or would. */
export interface CleanedRow {
  readonly task: TaskId | null
  readonly path: string
  readonly kind: 'scratch' | 'worktree' | 'foreign' | 'gone'
  /** On the disk; null: not counted. */
  readonly bytes: number | null
  readonly done: 'removed' | 'would go' | 'stays'
  readonly because: StayCode | 'failed' | null
  /** Why, in words for people. */
  readonly says: string
  readonly branch: { readonly name: string; readonly is: 'kept' | 'removed' } | null
  /** What was stored before it went; an attachment of the task. */
  readonly patch: Pick<Attachment, 'id' | 'name' | 'bytes'> | null
}

/**
 * Takes workspaces away whose work is safe, or says why they stay. A worktree's patch lies in the attachment store before its
 * folder goes, and it goes in one step, into the trash of the home, which is emptied at the end: whoever is told that it is
 * removed has its room. What cannot be told is left as it is.
 */
export async function cleanWorkspaces(
  deps: CleanerDeps,
  input: CleanInput,
  signal: AbortSignal,
): Promise<readonly CleanedRow[]> {
  const { tasks } = input
  const rows: CleanedRow[] = []
  let looked = 0
  for (const one of listWorkspaces(deps.home)) {
    if (signal.aborted) break
    if (looked++ % looksAtOnce === 0) await deps.clock.sleep(0, signal).catch(() => {}) // told to stop
    if (tasks !== null && (one.task === null || !tasks.includes(one.task))) continue
    rows.push(await cleanOne(deps, input, { one, workspaces: { ...deps, signal } }))
  }
  if (rows.some(({ done }) => done === 'removed')) {
    // What stays there is removed, and told of, by the hub's next look.
    await emptyTrash({ home: deps.home, signal, notRemoved: () => {} })
  }
  return rows
}

/** Marks are read in one go; others have their turn in between. */
const looksAtOnce = 20

/** What no task has: kept setups and mirrors that nobody has used for a month. Answers how many went into the trash. */
export async function cleanCaches(deps: CleanerDeps, signal: AbortSignal): Promise<number> {
  const workspaces = { ...deps, signal }
  const stale = [...(await staleSetups(workspaces)), ...cutPatches(deps)]
  for (const path of stale) renameSync(path, trashOf(deps, basename(path)))
  return stale.length + (await retireUnusedMirrors(workspaces))
}

/** What a kill has left of patches that were being stored. */
function cutPatches({ home, clock }: CleanerDeps): readonly string[] {
  const folder = leftFolder(home)
  const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []
  const paths = names.map((name) => join(folder, name))
  return paths.filter((path) => clock.nowMs() - lstatSync(path).mtimeMs > cutAfterMs)
}

const cutAfterMs = 86_400_000
/** Not the trash, which may be emptied at this moment. */
const leftFolder = (home: string): string => join(home, 'cache', 'left')

interface One {
  readonly one: ListedWorkspace
  readonly workspaces: WorkspaceDeps
}

/** One that cannot be looked at, or not be removed, must not keep all others. */
async function cleanOne(deps: CleanerDeps, input: CleanInput, { one, workspaces }: One): Promise<CleanedRow> {
  const { task, path, kind } = one
  const row = { task, path, kind, bytes: null, because: null, branch: null, patch: null } as const
  try {
    const facts = await gatherFacts(deps, input, { one, workspaces })
    const plan = planClean(facts, { keep: deps.keep, nowMs: deps.clock.nowMs() })
    const bytes = input.sizes === 'skip' ? null : (await treeSize(path, workspaces.signal)).bytes
    const planned = { ...row, bytes, says: plan.says }
    if (plan.go === 'stay') return { ...planned, done: 'stays', because: plan.because }
    if (input.act === 'look') return { ...planned, done: 'would go' }
    if (task === null) throw new Error('a folder of no task was to be removed')
    if (kind === 'scratch') return removeScratch(deps, { ...planned, task })
    return await removeWorktree(deps, input, { row: { ...planned, task }, plan, facts, workspaces })
  } catch (fault) {
    return { ...row, done: 'stays', because: 'failed', says: saySystemFault(fault) }
  }
}

async function gatherFacts(deps: CleanerDeps, { asked }: CleanInput, { one, workspaces }: One): Promise<CleanFacts> {
  const { board, keep, clock } = deps
  const known = one.task === null ? undefined : board.readTask(one.task)
  const change = known === undefined ? undefined : board.lastChangeOf(known.id)
  const facts: CleanFacts = {
    kind: one.kind,
    task: known === undefined ? undefined : { ...known, isRunning: known.openRun !== null },
    code: undefined,
    recorded: change !== undefined && (change.patch !== null || change.fileCount === 0) ? change.headCommit : null,
    asked,
  }
  // Git is asked only where its answer decides.
  if (one.kind !== 'worktree' || whyItStays(facts, keep, clock.nowMs()) !== undefined) return facts
  const worktree = known === undefined ? undefined : recallWorktree(deps.home, known.id)
  return worktree === undefined ? facts : { ...facts, code: await lookAtCode(workspaces, worktree) }
}

type Row = Omit<CleanedRow, 'done' | 'task'> & { readonly task: TaskId }

/** Asked once more, in one turn of the loop with the step that takes it away: its size was counted meanwhile. */
function removeScratch(deps: CleanerDeps, row: Row): CleanedRow {
  if (deps.board.readTask(row.task)?.openRun !== null)
    return { ...row, done: 'stays', because: 'running', says: 'its task is running' }
  const retired = retireScratch(row.path, trashOf(deps, formatTaskId(row.task)))
  if (retired === 'not_ours')
    return { ...row, done: 'stays', because: 'not_ours', says: 'not the folder that we have made' }
  return { ...row, done: 'removed' }
}

interface Removal {
  readonly row: Row
  readonly plan: CleanPlan
  readonly facts: CleanFacts
  readonly workspaces: WorkspaceDeps
}

async function removeWorktree(deps: CleanerDeps, { actor }: CleanInput, removal: Removal): Promise<CleanedRow> {
  const { row, plan, facts, workspaces } = removal
  const { board, home } = deps
  const saved = plan.go === 'save and remove' ? await store(deps, removal, actor) : { ok: true as const, patch: null }
  if (!saved.ok)
    return { ...row, done: 'stays', because: 'failed', says: `its work could not be stored: ${saved.says}` }
  const name = recallForHarvest(home, row.task)?.branch
  const retired = await retireWorktree(workspaces, {
    task: row.task,
    branch: facts.code?.ok === true && facts.code.own !== 'only here' && plan.go === 'remove' ? 'goes' : 'stays',
    mayGo: () => board.readTask(row.task)?.openRun === null,
  })
  const { patch } = saved
  if (!retired.ok) return { ...row, done: 'stays', because: 'failed', says: retired.says, patch }
  return { ...row, done: 'removed', patch, branch: name === undefined ? null : { name, is: retired.branch } }
}

type StoredWork =
  | { readonly ok: true; readonly patch: CleanedRow['patch'] }
  | { readonly ok: false; readonly says: string }

/** Into the attachment store, and on the card, where people find it when the folder is gone. */
async function store(deps: CleanerDeps, { row, workspaces }: Removal, actor: Actor): Promise<StoredWork> {
  const { board, home, random } = deps
  const worktree = recallWorktree(home, row.task)
  if (worktree === undefined) return { ok: false, says: 'it is not on record any more' }
  const folder = leftFolder(home)
  makeFolder(folder, 0o700)
  const into = join(folder, `${formatTaskId(row.task)}-${random.hex(4)}.diff`)
  try {
    const left = await saveState(workspaces, { worktree, into })
    if (!left.ok) return { ok: false, says: left.why }
    if (left.saved === null) return { ok: true, patch: null }
    const stored = await storePatch(home, into)
    if (!stored.ok) return { ok: false, says: stored.why }
    const { sha256, bytes } = stored
    const file = {
      task: row.task,
      run: null,
      name: `left-${sha256.slice(0, 8)}.diff`,
      mediaType: 'text/x-diff',
      bytes,
      sha256,
    }
    const { id, name } = await board.queue((board) => board.addAttachment(file, actor))
    return { ok: true, patch: { id, name, bytes } }
  } finally {
    rmSync(into, { force: true })
  }
}

function trashOf({ home, random }: Pick<CleanerDeps, 'home' | 'random'>, name: string): string {
  const trash = join(home, 'trash')
  if (lstatSync(trash, { throwIfNoEntry: false }) === undefined) makeFolder(trash, 0o700)
  return join(trash, `${name}-${random.hex(8)}`)
}
