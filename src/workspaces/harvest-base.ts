import type { WorktreeGit } from './harvest-git.ts'
import type { Commit, Left } from './harvest-look.ts'

/** What a result is compared with, and why that is not where the branch began, where it is not. */
export interface ComparedWith {
  readonly commit: string
  readonly notes: readonly string[]
}

/**
 * The newest commit that the result has in common with where it began, or with where that branch stands now: what an
 * attempt has merged or rebased onto is not its own work. A commit that the attempt made itself never counts as given, even if
 * it has moved that branch.
 */
export async function findBase(
  git: WorktreeGit,
  {
    left,
    result: { id: result, parents },
    made,
  }: { readonly left: Left; readonly result: Commit; readonly made: ReadonlySet<string> },
): Promise<ComparedWith> {
  const { base, baseTips } = left
  // Nothing newer can be in common then; most attempts leave it to us to commit, and each process counts.
  if (result === base.id || parents.join() === base.id) return { commit: base.id, notes: [] }
  const tips = [...new Set(baseTips)].filter((tip) => tip !== base.id)
  const [began, now] = await Promise.all([
    commonAncestor(git, [result, base.id]),
    tips.length === 0 ? undefined : commonAncestor(git, [result, base.id, ...tips]),
  ])
  if (now !== undefined && now !== began && !made.has(now)) {
    return {
      commit: now,
      notes: [
        `the branch began at ${short(base.id)} and stands on ${short(now)} now: what lies between is not part of its patch`,
      ],
    }
  }
  if (began === undefined || began === base.id) return { commit: base.id, notes: [] }
  return {
    commit: began,
    notes: [`the branch began at ${short(base.id)} and does not hold it any more: it is compared with ${short(began)}`],
  }
}

export const short = (commit: string): string => commit.slice(0, 10)

async function commonAncestor(git: WorktreeGit, commits: readonly string[]): Promise<string | undefined> {
  const answer = await git.with({ files: 'none' }).try(['merge-base', ...commits])
  const found = answer.stdout.trim()
  return answer.ok && found !== '' ? found : undefined
}
