import type { AttachmentView } from './attachments.ts'
import type { ChangeView, StageView } from './change-view.ts'

/**
 * What the API answers. Plain JSON; ids are numbers, times are ISO strings in UTC, durations and sizes carry their
 * unit in the name. `null` means "does not apply" or "unknown", and the field says which.
 */

export interface TaskView {
  readonly id: number
  readonly board: string
  readonly batch: number | null
  /** Key in its batch file, or its duplicate key. */
  readonly key: string | null
  readonly title: string
  readonly kind: 'prompt' | 'run'
  readonly lane: string
  readonly status: string
  readonly priority: number
  readonly labels: readonly string[]
  readonly failures: number
  readonly attempts: number
  readonly runs: number
  readonly open_needs: number
  readonly open_run: number | null
  /** Of its newest run, where there is one. */
  readonly last_run: RunSummaryView | null
  readonly hold: { readonly code: string; readonly text: string; readonly by: string | null } | null
  readonly not_before: string | null
  readonly wish: 'stop' | 'cancel' | null
  readonly created_by: string
  readonly created_at: string
  readonly changed_at: string
  readonly settled_at: string | null
  /** Left out of lists since then, by whom; null: listed. */
  readonly archived_at: string | null
  readonly archived_by: string | null
}

/** An attempt in a list: all but what it left, which may be large; `RunView` has that. */
export interface RunSummaryView {
  readonly id: number
  readonly task: number
  readonly attempt: number
  readonly phase: string
  /** Which of its processes is under way, or was last; null once it ended. */
  readonly stage: 'prepare' | 'work' | 'check' | null
  /** That process has ended: what comes next is being made ready, or what it changed is being recorded. */
  readonly stage_over: boolean
  readonly lane: string
  readonly account: string | null
  readonly slot: number
  readonly probe: boolean
  readonly pid: number | null
  readonly outcome: string | null
  readonly exit_code: number | null
  readonly signal: string | null
  readonly reason: string | null
  readonly output_tail: string | null
  /** The end of its result, at most 1,000 characters. */
  readonly result_tail: string | null
  /** null: unknown. */
  readonly usage: {
    readonly input_tokens: number
    readonly cached_tokens: number
    readonly output_tokens: number
    readonly calls: number
  } | null
  /** Who gave its last answer; null: it asked no model, or did not say which. */
  readonly model: string | null
  /** What all its calls together cost; null: not known, which is not 0. */
  readonly cost_usd: number | null
  readonly stop: {
    readonly kind: string
    readonly by: string
    readonly text: string
    readonly at: string
    readonly delivered: boolean
  } | null
  readonly rung: string | null
  /** What it said of its own end, once; in lists its first 1,000 characters. */
  readonly call: {
    readonly kind: string
    readonly code: string | null
    readonly text: string
    readonly on_task: number | null
    readonly at: string
  } | null
  /** Its last sign of life through the API; null: it gave none. Nothing is judged by it. */
  readonly heartbeat_at: string | null
  /** Calls that it made when it was over. */
  readonly late_calls: number
  /** Of its whole tree as sampled, so a floor; null while it runs, and where it ended before the first look. */
  readonly peak_rss_bytes: number | null
  readonly cpu_seconds: number | null
  readonly claimed_at: string
  readonly started_at: string | null
  readonly exited_at: string | null
  readonly settled_at: string | null
  /** Who let the task go although this attempt might have been alive; null: nobody. */
  readonly released_by: string | null
  /** When its log and files were removed after their time; null: they are kept. */
  readonly pruned_at: string | null
  /** It ran in another home and came with its board: there never was a log or a directory of it here. */
  readonly imported: boolean
  /** Absolute run directory on the hub's machine. */
  readonly dir: string
  /** Name of the machine that works it; null: not known without a hub. */
  readonly host: string | null
  /** That is another machine than this home's: the home was copied or moved, and the attempt is held. */
  readonly elsewhere: boolean
  /** It cannot be told whether it is still alive, so its task waits; `why` says more. */
  readonly held: boolean
  /** Home that it runs for, where this home is a copy of that on the same machine: then it is held. Null otherwise. */
  readonly original: string | null
  /** A reviewer's attempt: it judges what another one has left. */
  readonly review: boolean
  /** It is done, or was put to review, and a check of ours has passed on what it left; of a reviewer's, on what it judged. */
  readonly checked: boolean
  /** Live values while it runs; null otherwise. */
  readonly live: {
    readonly processes: number
    readonly rss_bytes: number
    readonly cpu_seconds: number
    /** null while it has printed nothing. */
    readonly last_output_at: string | null
    readonly last_line: string | null
  } | null
}

export interface RunView extends RunSummaryView {
  readonly result: string | null
  /** What our agent counted of itself (docs/chat.md, "What is kept of a run"); of a command nothing. */
  readonly counts: Readonly<Record<string, number>>
  /** How often its conversation was made smaller. */
  readonly compactions: number
  /** The last time that a provider refused a call of it, also one that a repeat got over; null: never, or not told. */
  readonly refusal: {
    /** transient, failed, needs_human, overflow or interrupted. */
    readonly class: string
    readonly reason: string
    readonly provider: string | null
    readonly status: number | null
    readonly code: string | null
    readonly request_id: string | null
  } | null
  readonly data: unknown
  /** null: it worked in no worktree, or its end has not been recorded yet. */
  readonly change: ChangeView | null
  /** In the order in which they were started. */
  readonly stages: readonly StageView[]
}

export interface TaskDetail extends TaskView {
  readonly prompt: string | null
  readonly run: string | readonly string[] | null
  readonly dir: string
  readonly needs: readonly {
    readonly task: number
    readonly title: string
    readonly status: string
    readonly when: 'done' | 'always'
  }[]
  readonly children: readonly number[]
  readonly attachments: readonly AttachmentView[]
  readonly all_runs: readonly RunView[]
  readonly comments: readonly { readonly at: string; readonly by: string; readonly text: string }[]
}

export interface SettingView {
  readonly field: string
  readonly value: unknown
  readonly from: 'task' | 'batch' | 'board' | 'lane' | 'built in'
}

export interface WhyView {
  readonly task: number
  readonly code: string
  readonly says: string
  readonly since: string | null
  readonly until: string | null
  readonly then: string | null
  readonly you_can: readonly string[]
}

export interface BatchView {
  readonly id: number
  readonly board: string
  readonly name: string
  readonly key: string | null
  readonly file: string | null
  readonly limits: {
    readonly slots: number | null
    readonly stop_at: string | null
    readonly halt: string | null
    readonly first: number | null
    readonly on_wall: 'wait' | 'stop'
  }
  readonly cut: { readonly by: string; readonly text: string } | null
  readonly verdict: { readonly exit_code: number; readonly text: string } | null
  readonly counts: {
    readonly total: number
    readonly by_status: Readonly<Record<string, number>>
    /** How many of these are archived, by status. */
    readonly archived: Readonly<Record<string, number>>
  }
  readonly created_by: string
  readonly created_at: string
  readonly ended_at: string | null
}

export interface SubmittedBatchView {
  readonly batch: BatchView
  readonly how: 'created' | 'continued' | 'finished'
  readonly changed_done: readonly string[]
}

export interface CreatedTaskView {
  readonly task: TaskView
  /** false: an open task holds the key already; this is it. */
  readonly created: boolean
}

export interface EventView {
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly board: string | null
  readonly batch: number | null
  readonly task: number | null
  readonly run: number | null
  readonly by: string
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface PageView<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Body of every answer that is not 2xx. Surprises (500) carry only `reference`, which the hub's log repeats. */
export interface ErrorView {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly fix: string
    readonly faults?: readonly { readonly path: string; readonly says: string; readonly fix: string }[]
    readonly reference?: string
  }
}

/** All that a report needs, in one answer: the batch, and each task with its needs and runs, in file order. */
export interface BatchReportView {
  readonly batch: BatchView
  readonly tasks: readonly (TaskView & {
    readonly needs: readonly { readonly task: number; readonly when: string }[]
    readonly all_runs: readonly RunView[]
    readonly why: WhyView | null
  })[]
  readonly accounts_held: readonly {
    readonly account: string
    readonly from: string
    readonly to: string | null
    readonly reason: string
  }[]
  readonly yard: readonly { readonly at: string; readonly text: string }[]
  readonly now: string
}
