import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { formatRunId, formatTaskId, type RunId, type TaskId } from '../kernel/index.ts'
import { type ComposedCommit, composeCommit } from './apply-commits.ts'
import type { ApplyGit } from './apply-git.ts'
import type { GitFailed } from './git.ts'
import { runTrailer, subjectOf, taskTrailer } from './harvest-commit.ts'
import { splitNul, textOfPath } from './patch-path.ts'

export interface PatchToApply {
  readonly task: TaskId
  readonly run: RunId
  readonly title: string
  /** What the diff is against. */
  readonly baseCommit: string
  /** Absolute; a diff of git with anything readable above it. */
  readonly file: string
}

/** The commit that patches are being put on, in an index of its own: no file of a worktree is touched. */
export interface Stack {
  readonly git: ApplyGit
  /** Absolute; holds `tree`. */
  readonly indexFile: string
  /** The repository's own folder, absolute. */
  readonly gitDir: string
  /** As they stand in commits: name, mail, time. */
  readonly author: string
  readonly committer: string
  /** On top of where it began, oldest first; not stored yet. */
  readonly commits: ComposedCommit[]
  commit: string
  tree: string
}

/**
 * applied: one commit more. there: it changes nothing that is not so already. conflict: it does not fit what is there by now,
 * and nothing of it was taken. broken: it is no whole patch.
 */
export type AppliedOne =
  | { readonly kind: 'applied'; readonly commit: string }
  | { readonly kind: 'there' }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'broken'; readonly why: string }

/** Puts one patch on top, merging three ways where the file has changed since. All of it or nothing. */
export async function applyOne(stack: Stack, patch: PatchToApply): Promise<AppliedOne> {
  const { git, indexFile } = stack
  const env = { GIT_INDEX_FILE: indexFile }
  const before = `${indexFile}.before`
  copyFileSync(indexFile, before)
  const elsewhere = { ...env, ...emptyWorktree(stack) }
  const answer = await git.try(applyArguments(patch.file), {
    cwd: elsewhere.GIT_WORK_TREE,
    env: elsewhere,
    config: plainApply,
  })
  if (!answer.ok) {
    if (answer.exitCode === null) throw git.explain('apply', answer)
    const refused = await explainRefusal(git, elsewhere, answer)
    copyFileSync(before, indexFile)
    return refused
  }
  const tree = (await git.run(['write-tree'], { env })).stdout.trim()
  if (tree === stack.tree) return { kind: 'there' }
  const commit = commitOf(stack, tree, patch)
  stack.commits.push(commit)
  stack.commit = commit.id
  stack.tree = tree
  return { kind: 'applied', commit: stack.commit }
}

/**
 * Where two patches make the same file, `git apply --cached --3way` looks at that file in the worktree, and writes it there
 * where it is missing: so it is shown an empty folder of ours, never that of a person.
 */
function emptyWorktree({ indexFile, gitDir }: Stack): { readonly GIT_DIR: string; readonly GIT_WORK_TREE: string } {
  const folder = `${indexFile}.worktree`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return { GIT_DIR: gitDir, GIT_WORK_TREE: folder }
}

function applyArguments(file: string): readonly string[] {
  return ['apply', '--cached', '--3way', '--whitespace=nowarn', '--', file]
}

/** What a person has set for patches of others would change these. */
const plainApply = [
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'merge.conflictStyle=merge',
]

async function explainRefusal(
  git: ApplyGit,
  env: Readonly<Record<string, string>> & { readonly GIT_WORK_TREE: string },
  answer: GitFailed,
): Promise<AppliedOne> {
  const { stderr } = answer
  const broken =
    /^error: (corrupt .*|No valid patches in input.*|unrecognized input.*|patch fragment .*|git diff header .*|cannot apply binary patch .*|invalid (path|mode|object) .*|.*can't open patch.*)$/m.exec(
      stderr,
    )?.[1]
  if (broken !== undefined) return { kind: 'broken', why: broken }
  const { bytes } = await git.run(['ls-files', '-u', '-z'], { cwd: env.GIT_WORK_TREE, env })
  const unmerged = splitNul(bytes).map((entry) => textOfPath(entry.subarray(entry.indexOf(9) + 1)))
  const told = stderr.split('\n').flatMap((line) => {
    const name =
      /^error: (.+): (?:patch does not apply|does not exist in index|already exists in index|does not match index|No such file)/.exec(
        line,
      )?.[1]
    return name === undefined ? [] : [name]
  })
  const files = [...new Set([...unmerged, ...told])].sort()
  if (files.length > 0) return { kind: 'conflict', files }
  const said = stderr
    .split('\n')
    .find((line) => line.startsWith('error: '))
    ?.slice('error: '.length)
  return { kind: 'broken', why: said ?? stderr.trim().split('\n')[0] ?? 'git does not say why' }
}

function commitOf(stack: Stack, tree: string, { task, run, title }: PatchToApply): ComposedCommit {
  const id = formatTaskId(task)
  const message = `${subjectOf(title, id)}\n\n${taskTrailer}: ${id}\n${runTrailer}: ${formatRunId(run)}\n`
  return composeCommit({ tree, parent: stack.commit, author: stack.author, committer: stack.committer, message })
}
