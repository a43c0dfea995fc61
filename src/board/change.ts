import type { RunId } from '../kernel/index.ts'

/** One file that an attempt changed, against the base. Counts are null for a binary file. */
export interface ChangedFile {
  /** Below the top folder of the repository, as git has it: bytes that are no UTF-8 are escaped by git's own quoting. */
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'type_changed'
  readonly insertions: number | null
  readonly deletions: number | null
}

/** What the branch of a task holds at the end of an attempt, against where it began; recorded whatever the outcome. */
export interface Change {
  readonly run: RunId
  /** The repository as the task named it: absolute path or URL. */
  readonly repo: string
  /** Without `refs/heads/`. */
  readonly branch: string
  /** What it began from, in words: branch or tag; null where only the commit is known. */
  readonly baseRef: string | null
  readonly baseCommit: string
  readonly headCommit: string
  readonly commits: number
  /** Of all files, `files` may name fewer. */
  readonly fileCount: number
  readonly insertions: number
  readonly deletions: number
  /** At most 1,000, by path. */
  readonly files: readonly ChangedFile[]
  /** What was not committed by the attempt was committed by us. */
  readonly leftOvers: boolean
  /** Changed paths that `may_change` does not allow, at most 1,000. */
  readonly outside: readonly string[]
  /** In the attachment store; null: nothing was changed. */
  readonly patch: { readonly sha256: string; readonly bytes: number } | null
  /** Sentences for people: what was found in an odd state and what was made of it. */
  readonly notes: readonly string[]
}
