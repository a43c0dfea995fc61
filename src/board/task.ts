import type { BatchId, RunId, TaskId } from '../kernel/index.ts'
import type { TaskStatus } from './status.ts'

/** What may follow an end that is matched by an exit rule of a lane or a task (files-and-cli section 1). */
export interface ExitRule {
  /** Exit codes it matches; a rule has `code` or `output`, never both. */
  readonly code?: readonly number[]
  /** A text that the folded tail must contain. */
  readonly output?: string
  readonly then: 'done' | 'retry' | 'fail' | 'later' | 'wall' | 'block'
  readonly why?: string
}

/** Where a task's process runs. */
export type WorkspaceSpec =
  | { readonly kind: 'here' }
  | { readonly kind: 'scratch' }
  | { readonly kind: 'dir'; readonly path: string; readonly shared: boolean }
  | WorktreeSpec

/** A git worktree and a branch of the task's own, kept through its attempts (design section 8). */
export interface WorktreeSpec {
  readonly kind: 'worktree'
  /** Absolute path of a local repository, or a URL; absent: the one that holds the card's folder. */
  readonly repo?: string
  /** Branch, tag or commit that it begins from; absent: what is checked out in the repository when it is made. */
  readonly ref?: string
  /** Run once in a new worktree, before the first attempt; null: none, whatever a wider setting says. */
  readonly setup?: SetupSpec | null
  /** Ignored files of the repository to bring along: paths and globs below its top folder. */
  readonly copy?: readonly string[]
  /** Every attempt begins at the base again; what the one before left is stored as a patch first. */
  readonly fresh?: boolean
  /** Of a URL: how many commits are fetched; absent: all. */
  readonly depth?: number
}

/** A command of ours beside the work. Text is for `bash -euo pipefail -c`; a list is run as it is, no shell. */
export interface StageSpec {
  readonly run: string | readonly string[]
  /** Built in: `builtInStageMs`. */
  readonly timeoutMs?: number
}

export interface SetupSpec extends StageSpec {
  /** Files whose contents decide whether the setup of another worktree may be copied instead; absent: it never is. */
  readonly key?: readonly string[]
}

/** How long setup and check may take where nothing says it. */
export const builtInStageMs = 30 * 60_000

/** none: done is done. person: a person approves. Else the lane whose attempt gives the verdict. */
export type ReviewSpec = 'none' | 'person' | { readonly lane: string }

/** `auto`: a cut attempt is repeated. `ask`: it waits for a person, with what is known. */
export type Rerun = 'auto' | 'ask'

/**
 * The fields that a task, a batch's `defaults`, a board and a lane may each set. Absent means "not said here":
 * the next one in the order task, defaults, board, lane, built in decides (see `resolveSettings`).
 */
export interface TaskSettings {
  readonly timeoutMs?: number
  /** Silence after which an agent counts as stalled; `off` for never. */
  readonly stallMs?: number | 'off'
  readonly graceMs?: number
  /** How often it may fail. */
  readonly attempts?: number
  readonly rerun?: Rerun
  readonly env?: Readonly<Record<string, string>>
  readonly workspace?: WorkspaceSpec
  readonly exits?: readonly ExitRule[]
  /** Processes that it leaves behind may live on. */
  readonly keeps?: boolean
  /** Its tree may not use more; `off` for no limit. */
  readonly memoryBytes?: number | 'off'
  /** How much of its log is kept on disk, its beginning and its end. */
  readonly logBytes?: number
  /** Run by us when the work is done, in its folder: done means that it exits with 0; null: none, whatever a wider setting says. */
  readonly check?: StageSpec | null
  /** Globs of what the work may change; anything else is `check_failed`. */
  readonly mayChange?: readonly string[]
  /** change: done without a change is `incomplete`. Built in: any. */
  readonly expect?: 'any' | 'change'
  readonly review?: ReviewSpec
  /** Tokens that an attempt may use, cached input not counted; `off` for no limit, whatever a wider setting says. */
  readonly budgetTokens?: number | 'off'
  /** US dollars that an attempt may cost. */
  readonly budgetUsd?: number | 'off'
}

/** What a card says. Exactly one of `prompt` and `run`. */
export interface TaskSpec extends TaskSettings {
  readonly title: string
  readonly prompt?: string
  /** Text is for `bash -euo pipefail -c`; a list is run as it is, no shell. */
  readonly run?: string | readonly string[]
  /** Absolute folder that `here` means and relative paths are taken from. */
  readonly dir: string
  /** Absolute top folder of the git repository that holds `dir`, as whoever made the card found it; makes `worktree` the default for prompts. */
  readonly repo?: string
  /** The branch that was checked out there then; absent where none was. */
  readonly repoBranch?: string
  /** Matrix values of its row, set as variables for text-form `run`. */
  readonly matrix?: Readonly<Record<string, string>>
  readonly labels?: readonly string[]
}

/** A link to a task that must end first. `always`: whatever its end; else it must be done. */
export interface Need {
  readonly task: TaskId
  readonly when: 'done' | 'always'
}

/** One card as the board holds it. The texts (`prompt`, `run`) are read apart, by `board.readSpec`. */
export interface Task {
  readonly id: TaskId
  readonly board: string
  readonly batch: BatchId | null
  /** Its key in the batch file, unique there: `lint[src/a.ts]`. */
  readonly rowKey: string | null
  /** Duplicate guard: at most one open task of a board holds it. */
  readonly key: string | null
  readonly title: string
  readonly kind: 'prompt' | 'run'
  readonly lane: string
  readonly status: TaskStatus
  readonly priority: number
  readonly labels: readonly string[]
  readonly openNeeds: number
  readonly openRun: RunId | null
  /** Failures since the last done, retry, reopen or unblock; at `attempts` the task is failed. */
  readonly failures: number
  /** Runs ever started. */
  readonly runs: number
  /** Wall-clock time before which it may not start (back-off, try later, start_after); null: now. */
  readonly notBeforeMs: number | null
  /** Why it is blocked or failed, or what the last end said: a code and a sentence. */
  readonly holdCode: string | null
  readonly holdText: string | null
  readonly holdBy: string | null
  /** A person's wish for a task that is running: applied when the run ends. */
  readonly wish: 'stop' | 'cancel' | null
  readonly wishBy: string | null
  readonly wishText: string | null
  readonly createdBy: string
  readonly createdAtMs: number
  readonly changedAtMs: number
  readonly settledAtMs: number | null
  /** Out of sight since, and by whom; only a settled task. */
  readonly archivedAtMs: number | null
  readonly archivedBy: string | null
  /** Whose attempts give the verdict of its review, also while one of them runs; null: a person does, or it is under none. */
  readonly reviewLane: string | null
}
