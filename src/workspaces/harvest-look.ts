import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HarvestFault } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { readSmall } from './read-small.ts'

/** A commit as git stores it. */
export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
}

/** How a worktree was left, as far as the repository knows. */
export interface Left {
  /** Full name of what is checked out (`refs/heads/…`); null: HEAD is detached. */
  readonly headRef: string | null
  /** That is the task's own branch. */
  readonly isOnBranch: boolean
  /** Null: nothing has been committed there yet. */
  readonly head: Commit | null
  /** Tip of the task's own branch; null: it is not there. */
  readonly branch: Commit | null
  readonly base: Commit
  /** Where the branch that it began from stands now, here and at its remote. */
  readonly baseTips: readonly string[]
  /** What an earlier call has kept for the same attempt. */
  readonly kept: Commit | null
  /** Commits that a merge in progress joins. */
  readonly mergeHeads: readonly string[]
  /** For people: `a rebase`. */
  readonly inProgress: readonly string[]
}

export interface LookInput {
  readonly branch: string
  readonly baseRef: string | null
  readonly baseCommit: string
  readonly keepRef: string
  /** branch: the worktree has no HEAD of its own any more. */
  readonly head: 'worktree' | 'branch'
}

/** Reads all of that with one call of git. Throws `HarvestFault`. */
export async function lookAtLeft(git: WorktreeGit, input: LookInput): Promise<Left> {
  const { branch, baseRef, baseCommit, keepRef } = input
  const ownRef = `refs/heads/${branch}`
  const hasHead = input.head === 'worktree'
  const asked = [hasHead ? 'HEAD' : ownRef, ownRef, baseCommit, keepRef, ...tipsOf(baseRef)]
  const [headRef, [head, tip, base, kept, ...baseTips]] = await Promise.all([
    hasHead ? readHeadRef(git) : null,
    readCommits(git.with({ files: 'none' }), asked),
  ])
  if (base === undefined || base === null) {
    throw new HarvestFault('machine', `the commit ${baseCommit} that the branch began from is not in ${git.gitDir}`)
  }
  return {
    headRef,
    isOnBranch: headRef === ownRef,
    head: head ?? null,
    branch: tip ?? null,
    base,
    baseTips: baseTips.flatMap((commit) => (commit === null ? [] : [commit.id])),
    kept: kept ?? null,
    mergeHeads: hasHead ? readCommitIds(join(git.adminDir, 'MERGE_HEAD')) : [],
    inProgress: !hasHead
      ? []
      : operations
          .filter(({ files }) => files.some((file) => existsSync(join(git.adminDir, file))))
          .map(({ says }) => says),
  }
}

/** Commits by name, null where there is none. */
export async function readCommits(git: WorktreeGit, names: readonly string[]): Promise<readonly (Commit | null)[]> {
  const input = names.map((name) => `${name}^{commit}\n`).join('')
  const { bytes } = await git.run(['cat-file', '--batch'], { input })
  const commits: (Commit | null)[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(10, at)
    const found = /^([0-9a-f]{40,64}) commit (\d+)$/.exec(bytes.toString('latin1', at, lineEnd))
    at = lineEnd + 1
    if (found === null) {
      commits.push(null)
      continue
    }
    const size = Number(found[2])
    commits.push(parseCommit(found[1] ?? '', bytes.toString('utf8', at, at + size)))
    at += size + 1
  }
  return commits
}

function parseCommit(id: string, text: string): Commit {
  const end = text.indexOf('\n\n')
  const header = (end === -1 ? text : text.slice(0, end)).split('\n')
  const of = (name: string) =>
    header.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  return { id, tree: of('tree')[0] ?? '', parents: of('parent'), message: end === -1 ? '' : text.slice(end + 2) }
}

/** Read by ourselves where it is a plain file: each process counts. */
async function readHeadRef(git: WorktreeGit): Promise<string | null> {
  if (existsSync(join(git.gitDir, 'reftable'))) {
    const answer = await git.with({ files: 'none' }).try(['symbolic-ref', '-q', 'HEAD'])
    return answer.ok ? answer.stdout.trim() : null
  }
  return /^ref: (refs\/\S+)\s*$/.exec(readFileSync(join(git.adminDir, 'HEAD'), 'utf8'))?.[1] ?? null
}

function tipsOf(baseRef: string | null): readonly string[] {
  if (baseRef === null || !/^[\w./-]+$/.test(baseRef)) return []
  const name = baseRef.replace(/^refs\/(heads|remotes\/origin)\//, '').replace(/^origin\//, '')
  return [`refs/heads/${name}`, `refs/remotes/origin/${name}`]
}

/** What git leaves in a worktree's own folder while it is in the middle of something. */
const operations = [
  { says: 'a merge', files: ['MERGE_HEAD'] },
  { says: 'a rebase', files: ['rebase-merge', 'rebase-apply'] },
  { says: 'a cherry-pick', files: ['CHERRY_PICK_HEAD'] },
  { says: 'a revert', files: ['REVERT_HEAD'] },
  { says: 'a bisect', files: ['BISECT_START', 'BISECT_LOG'] },
]
const besides = [
  'sequencer',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_RR',
  'MERGE_AUTOSTASH',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'REBASE_HEAD',
]
const ofBisect = [
  'BISECT_EXPECTED_REV',
  'BISECT_NAMES',
  'BISECT_TERMS',
  'BISECT_RUN',
  'BISECT_ANCESTORS_OK',
  'BISECT_FIRST_PARENT',
  'BISECT_HEAD',
  'refs/bisect',
]

/** Ends what git was in the middle of, as `--quit` does: no file of the worktree changes. What it named must be kept by then. */
export function endOperations(adminDir: string): void {
  for (const file of [...operations.flatMap(({ files }) => files), ...besides, ...ofBisect]) {
    rmSync(join(adminDir, file), { recursive: true, force: true })
  }
}

/** Commits that only an operation in progress, or what it has set aside, still names. */
export function readNamedCommits(adminDir: string): readonly string[] {
  const files = [
    'ORIG_HEAD',
    'MERGE_HEAD',
    'CHERRY_PICK_HEAD',
    'REVERT_HEAD',
    'MERGE_AUTOSTASH',
    'rebase-merge/orig-head',
    'rebase-merge/autostash',
    'rebase-apply/orig-head',
    'rebase-apply/autostash',
  ]
  return files.flatMap((file) => readCommitIds(join(adminDir, file)))
}

/** Locks that a git of the attempt has left: its tree is gone, so nobody holds them. None behind a link in the place of its folder. */
export function removeStaleLocks({ adminDir, gitDir }: Pick<WorktreeGit, 'adminDir' | 'gitDir'>, branch: string): void {
  const isFolder = lstatSync(adminDir, { throwIfNoEntry: false })?.isDirectory() === true
  const locks = isFolder ? readdirSync(adminDir).filter((name) => name.endsWith('.lock')) : []
  for (const name of locks) rmSync(join(adminDir, name), { recursive: true, force: true })
  rmSync(join(gitDir, 'refs', 'heads', `${branch}.lock`), { recursive: true, force: true })
}

/** The ids in a small file of git, one a line; none where it is not there or holds something else. */
export function readCommitIds(file: string): readonly string[] {
  return (readSmall(file) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line))
}
