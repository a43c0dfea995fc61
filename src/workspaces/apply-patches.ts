import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatRunId, type TaskId } from '../kernel/index.ts'
import { type CheckDeps, type CheckEnd, checkCommit } from './apply-check.ts'
import { storeCommits } from './apply-commits.ts'
import { applyError } from './apply-errors.ts'
import { type ApplyGit, applyGit } from './apply-git.ts'
import { applyOne, type PatchToApply, type Stack } from './apply-one.ts'
import { findApplied, findStart, findUnknown } from './apply-start.ts'
import { type ApplyTarget, findTarget } from './apply-target.ts'
import { lastWords } from './explain-git.ts'
import { ourMail, ourName } from './harvest-commit.ts'

export interface ApplyInput {
  /** A folder of the repository, absolute. */
  readonly cwd: string
  /** A branch, which is made where it does not exist. */
  readonly onto: string
  /** At most one of a task, in the order in which they are to be applied. */
  readonly patches: readonly PatchToApply[]
  /** Run on the result before the branch is moved to it; text for bash. */
  readonly check: string | null
}

/** What became of each patch, and of the branch. */
export interface Applied {
  readonly onto: string
  /** What the branch is at now; null: it is not there. */
  readonly commit: string | null
  readonly branch: 'made' | 'moved' | 'untouched'
  readonly applied: readonly TaskId[]
  /** Nothing to do: their commits, or all that they change, are there already. */
  readonly there: readonly TaskId[]
  readonly conflicts: readonly { readonly task: TaskId; readonly files: readonly string[] }[]
  /** Their base commit is not in this repository. */
  readonly strangers: readonly { readonly task: TaskId; readonly baseCommit: string }[]
  /** No whole patch. */
  readonly broken: readonly { readonly task: TaskId; readonly why: string }[]
  readonly check: CheckEnd | null
}

/**
 * Puts patches onto a branch, one commit each. What conflicts is left out and named, the others are applied. The branch is
 * moved once, at the end, from where it was seen and only from there; until then nothing of the repository has changed, so
 * that a failure, a check that fails and an interrupt leave it untouched. Throws `WORKSPACES_APPLY_…`.
 */
export async function applyPatches(deps: CheckDeps, input: ApplyInput): Promise<Applied> {
  const { onto, patches, check } = input
  const git = applyGit(deps, input)
  if (patches.length === 0) throw applyError('WORKSPACES_APPLY_NOTHING', {})
  const target = await findTarget(git, onto)
  const unknown = await findUnknown(
    git,
    patches.map(({ baseCommit }) => baseCommit),
  )
  const known = patches.filter(({ baseCommit }) => !unknown.has(baseCommit))
  const strangers = patches
    .filter(({ baseCommit }) => unknown.has(baseCommit))
    .map(({ task, baseCommit }) => ({ task, baseCommit }))
  if (known.length === 0) return { ...nothing, onto: target.onto, commit: target.tip, strangers }
  const bases = known.map(({ baseCommit }) => baseCommit)
  const start = await findStart(git, target, bases)
  const done = await findApplied(git, { start, bases })
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-apply-'))
  try {
    const stack = await openStack(git, start, join(folder, 'index'))
    const result = await applyAll(stack, known, done)
    await storeCommits(git, stack.commits, join(folder, 'commits'))
    const place = { commit: stack.commit, folder: join(folder, 'check') }
    const hasResult = result.applied.length + result.there.length > 0
    const checked = check === null || !hasResult ? null : await checkCommit(deps, git, { ...place, command: check })
    if (deps.signal.aborted) throw applyError('WORKSPACES_APPLY_CUT', { onto: target.onto })
    const isGood = checked === null || checked.exitCode === 0
    // A new branch is made also where all of it is in its beginning already: whoever named it goes on with it.
    const isWanted = result.applied.length > 0 || (target.tip === null && result.there.length > 0)
    const branch = isGood && isWanted ? await moveTo(git, { seen: target, to: stack.commit }) : 'untouched'
    const commit = branch === 'untouched' ? target.tip : stack.commit
    return { onto: target.onto, commit, branch, ...result, strangers, check: checked }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const nothing = { branch: 'untouched', applied: [], there: [], conflicts: [], broken: [], check: null } as const

async function applyAll(
  stack: Stack,
  patches: readonly PatchToApply[],
  done: ReadonlySet<string>,
): Promise<Pick<Applied, 'applied' | 'there' | 'conflicts' | 'broken'>> {
  const applied: TaskId[] = []
  const there: TaskId[] = []
  const conflicts: { task: TaskId; files: readonly string[] }[] = []
  const broken: { task: TaskId; why: string }[] = []
  for (const patch of patches) {
    const { task, run } = patch
    const one = done.has(formatRunId(run)) ? ({ kind: 'there' } as const) : await applyOne(stack, patch)
    if (one.kind === 'applied') applied.push(task)
    else if (one.kind === 'there') there.push(task)
    else if (one.kind === 'conflict') conflicts.push({ task, files: one.files })
    else broken.push({ task, why: one.why })
  }
  return { applied, there, conflicts, broken }
}

async function openStack(git: ApplyGit, start: string, indexFile: string): Promise<Stack> {
  await git.run(['read-tree', start], { env: { GIT_INDEX_FILE: indexFile } })
  const tree = (await git.run(['rev-parse', `${start}^{tree}`])).stdout.trim()
  const gitDir = (await git.run(['rev-parse', '--absolute-git-dir'])).stdout.trim()
  const committer = await askCommitter(git)
  // The time stands behind the mail.
  const author = `${ourName} <${ourMail}> ${/> (.*)$/.exec(committer)?.[1] ?? '0 +0000'}`
  return { git, indexFile, gitDir, author, committer, commits: [], commit: start, tree }
}

/** Who the person's git says they are. A CI runner has told it no name, and a commit needs one. */
async function askCommitter(git: ApplyGit): Promise<string> {
  const known = await git.try(['var', 'GIT_COMMITTER_IDENT'])
  if (known.ok) return known.stdout.trim()
  const env = { GIT_COMMITTER_NAME: ourName, GIT_COMMITTER_EMAIL: ourMail }
  return (await git.run(['var', 'GIT_COMMITTER_IDENT'], { env })).stdout.trim()
}

/** Looked at once more: a check takes minutes, in which a person may have gone to another branch here, or moved this one. */
async function moveTo(
  git: ApplyGit,
  { seen: { onto, tip }, to }: { readonly seen: ApplyTarget; readonly to: string },
): Promise<Applied['branch']> {
  const now = await findTarget(git, onto)
  const changed = { onto, said: 'somebody else has moved it meanwhile' }
  if (now.tip !== tip) throw applyError('WORKSPACES_APPLY_MOVED', changed)
  const args =
    now.checkedOut === 'here'
      ? ['merge', '--ff-only', '--no-autostash', '--quiet', to]
      : ['update-ref', '-m', 'yardmaster apply', `refs/heads/${onto}`, to, tip ?? '0'.repeat(to.length)]
  const moved = await git.try(args)
  if (moved.ok) return tip === null ? 'made' : 'moved'
  throw applyError('WORKSPACES_APPLY_MOVED', { onto, said: lastWords(moved) })
}
