/**
 * What an attempt left in its worktree, against where its branch began; recorded at each end of its work, whatever the
 * outcome.
 */
export interface ChangeView {
  /** As the task named it: absolute path or URL. */
  readonly repo: string
  /** Without `refs/heads/`. */
  readonly branch: string
  /** Branch or tag that it began from; null where only the commit is known. */
  readonly base_ref: string | null
  readonly base_commit: string
  readonly head_commit: string
  readonly commits: number
  /** How many files differ; `files` may name fewer. */
  readonly file_count: number
  /** By path; counts are null for a binary file. */
  readonly files: readonly {
    readonly path: string
    readonly status: 'added' | 'modified' | 'deleted' | 'type_changed'
    readonly insertions: number | null
    readonly deletions: number | null
  }[]
  readonly insertions: number
  readonly deletions: number
  /** What it had not committed was committed by us. */
  readonly left_overs: boolean
  /** Changed paths that `may_change` does not allow. */
  readonly outside: readonly string[]
  /** null: nothing was changed, and there is no patch. */
  readonly patch_bytes: number | null
  /** Sentences for people: what was found in an odd state, and what was made of it. */
  readonly notes: readonly string[]
}

/** A stage beside the work: what made the workspace usable before it, or what checked it after. */
export interface StageView {
  readonly kind: 'prepare' | 'check'
  /** In one line for people. */
  readonly command: string
  readonly exit_code: number | null
  readonly signal: string | null
  /** A sentence: how it ended; null while it runs. */
  readonly reason: string | null
  readonly started_at: string
  readonly ended_at: string | null
  readonly output_tail: string | null
}
