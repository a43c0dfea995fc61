import type { BatchId, Clock, Random, RunId, TaskId, YardError } from '../kernel/index.ts'
import type { ArchiveChildren, Archived } from './archive.ts'
import type { Attachment, NewAttachment } from './attachment.ts'
import type { Batch, BatchCut, BatchVerdict } from './batch.ts'
import type { BoardCopy, ImportedTask, ImportInput } from './board-copy.ts'
import type { BoardReader } from './board-reader.ts'
import type { Change } from './change.ts'
import type { DiskLow } from './disk-low.ts'
import type { BoardEvent } from './events.ts'
import type { Gate } from './gate.ts'
import type { Hold } from './hold.ts'
import type { HubStart } from './hub-start.ts'
import type { CreatedTask, NewBatch, NewTask, SubmittedBatch } from './new-tasks.ts'
import type { KeptFile, KeptPlace, KeptRun, PrunedEvents } from './retention.ts'
import type { Run, StopReason } from './run.ts'
import type { RunCalls } from './run-calls.ts'
import type { Claim, ClaimInput, EndTally, Exited, Settled, StageOver, Started } from './run-steps.ts'
import type { Durability } from './sqlite/database.ts'
import type { Need, Task, TaskSpec } from './task.ts'

/** Who acts, for the record: a person's name or a part of ours. */
export interface Actor {
  readonly by: string
}

/** The part of yardmaster.yaml that admission needs. Handed in at start and kept in the store with a revision. */
export interface YardLimits {
  readonly slots: number
  readonly lanes: Readonly<Record<string, { readonly account: string | null; readonly slots: number | null }>>
  readonly accounts: Readonly<Record<string, { readonly slots: number | null }>>
}

/** What a person may change in a card that is not running. Absent: unchanged. */
export interface TaskPatch {
  readonly spec?: Partial<TaskSpec>
  readonly lane?: string
  readonly priority?: number
  readonly notBeforeMs?: number | null
  readonly addNeeds?: readonly Need[]
  readonly removeNeeds?: readonly TaskId[]
}

/**
 * The board: the one truth about tasks, runs, batches and gates. Synchronous; every method is one transaction and
 * answers after its COMMIT. Times come in from the clock it was opened with. Ordinary outcomes are returned; what the
 * caller did wrong is thrown as a `YardError` of `board/errors.ts` with nothing written.
 *
 * Writes in a run's name carry its fence and are compare-and-set: no row changed means somebody else decided.
 */
export interface Board extends RunCalls, BoardReader {
  readonly clock: Clock
  readonly random: Random

  /**
   * Does `act` with all that is queued in this turn of the loop in one transaction, and answers after its COMMIT: one wait
   * for the disk however many ask. Each act is undone alone when it throws, and only its caller is told; a COMMIT that
   * fails tells every caller, and nothing was written. `act` is synchronous, changes only the board that it is handed,
   * and may read its own changes. Durability is `full` unless all acts of the turn say `normal`.
   *
   * A direct call of the other methods commits first what is queued, so that order is kept.
   */
  queue<T>(act: (board: Board) => T, durability?: Durability): Promise<T>

  // people
  createTasks(
    input: { readonly board: string; readonly tasks: readonly NewTask[] },
    actor: Actor,
  ): readonly CreatedTask[]
  submitBatch(input: { readonly board: string; readonly batch: NewBatch }, actor: Actor): SubmittedBatch
  editTask(id: TaskId, patch: TaskPatch, actor: Actor): Task
  /** A draft may start now (or waits for its needs). */
  readyTask(id: TaskId, actor: Actor): Task
  blockTask(id: TaskId, text: string, actor: Actor): Task
  unblockTask(id: TaskId, actor: Actor): Task
  /** What its run asked for a person is answered: the text is a comment for the next attempt, and it goes on. */
  answerTask(id: TaskId, text: string, actor: Actor): Task
  /** review → done. */
  approveTask(id: TaskId, text: string | null, actor: Actor): Task
  /** review → back, with what is to change as a comment for the next attempt; what it has failed stays counted. */
  rejectTask(id: TaskId, text: string, actor: Actor): Task
  /**
   * done, failed, cancelled or blocked: again, counters at 0. One that only waits for a time goes now, counters as they
   * are. `text` goes into the next attempt's prompt as a comment.
   */
  retryTask(id: TaskId, text: string | null, actor: Actor): Task
  /** Not running: settled at once. Running: a wish, applied when the run has ended; the dispatcher is told by event. */
  cancelTask(id: TaskId, actor: Actor): Task
  /** Running: a wish. Not running: blocked with who and why. */
  stopTask(id: TaskId, text: string | null, actor: Actor): Task
  comment(id: TaskId, text: string, actor: Actor): void
  /**
   * Its bytes lie in the attachment store. A second file of that name from the same attempt, or from people, takes the place of
   * the first and its id. Throws `BOARD_NO_TASK`, and `BOARD_NO_RUN` for an attempt at another card.
   */
  addAttachment(file: NewAttachment, actor: Actor): Attachment
  /** Out of lists, not out of the record. Cards that wait for it need a choice, which is recorded (C76). */
  archiveTask(id: TaskId, children: ArchiveChildren | null, actor: Actor): Archived
  unarchiveTask(id: TaskId, actor: Actor): Task
  cancelBatch(id: BatchId, actor: Actor): Batch
  setHold(hold: Omit<Hold, 'sinceMs' | 'by'>, actor: Actor): void
  /** Lifts holds of that scope (both kinds); for an account also opens its gate ("try now"). Answers how many it lifted. */
  liftHold(scope: Hold['scope'], name: string | null, actor: Actor): number

  // dispatcher
  applyLimits(limits: YardLimits): void
  /** Up to `max` startable tasks in order (design section 7), each with its committed run row. */
  claim(input: ClaimInput): readonly Claim[]
  /**
   * What a claim gave, for a hub that goes on with a run of the one before, with a new token; the old one opens nothing from
   * then on. Undefined when its work has begun or it is over.
   */
  claimOf(run: RunId): Claim | undefined
  /**
   * Records identities, of the first process of a run and of each that follows it: prepare, work, check, where the one before
   * is over. Answers the runs that are still open under their fence without a stop reason: those may go. A stop that was about
   * the process before and decided nothing (it lingered, or a limit came too late to reach it) is gone with it.
   */
  recordStarted(started: readonly Started[]): ReadonlySet<RunId>
  /** First reason wins: false when the run has one already or is over. */
  recordStop(run: RunId, stop: Omit<StopReason, 'atMs'>): boolean
  /**
   * Before its signals are sent: a hub that goes on after a restart must not send a second TERM, which agents take for "at
   * once". The highest rung stays; of a run under another fence nothing changes.
   */
  recordRung(climbed: { readonly run: RunId; readonly fence: number; readonly rung: 'TERM' | 'KILL' }): void
  /** What came of them, in words for the record. `reached`: a live process of the run got one; once said, it stays. */
  recordSignalled(signalled: {
    readonly run: RunId
    readonly fence: number
    readonly reached: 'worker' | 'nobody'
    readonly text: string
  }): void
  /**
   * Processes of a stage have ended, their trees are gone, and their runs go on with the slot taken. Answers those that were in
   * that stage. What is left of a run whose work is over may not speak in its name any more.
   */
  recordStageOver(ends: readonly StageOver[]): ReadonlySet<RunId>
  /** What an attempt changed, whatever its outcome: the first stands, and none comes after it is settled. */
  recordChange(change: Change & { readonly fence: number }): void
  /** Outcome decided, slot free; a stage that was open ends with it. Answers the runs that were still open. */
  recordExited(exited: readonly Exited[]): ReadonlySet<RunId>
  /** The tree is gone: tasks move, children are promoted. */
  recordSettled(settled: readonly Settled[]): void
  /**
   * Both at once, for claims that never got a process: why one could not be started decides where its task goes, and of an
   * end alone that could not be told again.
   */
  recordUnstarted(ends: readonly { readonly exited: Exited; readonly settled: Settled }[]): void
  /**
   * A person lets the task of an open run go although it may be alive (the one exception to P1): the run is settled as
   * `settled` says, as `unknown` where it had no outcome. Undefined when it was settled before.
   */
  releaseRun(settled: Settled, actor: Actor): Task | undefined
  /** Settled attempts that were over before a time and whose directory is kept, oldest first, after a place. */
  keptRuns(asked: {
    readonly beforeMs: number
    readonly after: KeptPlace | null
    readonly limit: number
  }): readonly KeptRun[]
  /** Their directories are gone. */
  recordPruned(runs: readonly RunId[]): void
  /** Files of cards in the order of their ids, after one. */
  keptFiles(asked: { readonly after: number; readonly limit: number }): readonly KeptFile[]
  /** They do not belong to their cards any more. */
  forgetFiles(ids: readonly number[]): void
  /** A step through events older than a time; those of open tasks and batches stay (C112). */
  pruneEvents(asked: { readonly beforeMs: number; readonly after: number; readonly limit: number }): PrunedEvents
  tally(task: TaskId): EndTally
  /** Runs that are not settled, oldest first: adoption reads them at start. */
  openRuns(): readonly Run[]
  /** While it is set nothing is claimed and `why` says so. Kept by this process only. */
  setDiskLow(low: Omit<DiskLow, 'sinceMs'> | null): void
  diskLow(): DiskLow | null
  /** Lets tasks start whose time has come; answers how many. */
  openDue(): number
  /**
   * The first wall-clock time later than `afterMs` (now) at which something becomes startable by itself: a task's time, a
   * gate's, a batch's stop.
   */
  nextDueMs(afterMs?: number): number | null
  /**
   * After the wall clock was set back: lets no task wait for its next attempt beyond a time, and holds an account that was
   * closed on the wrong clock as long from now. What was planned there would else last until that clock is right. Times
   * that people asked for stand. Answers how many tasks and accounts it concerned.
   */
  shortenWaits(bound: { readonly latestMs: number }): number
  readGate(account: string): Gate | null
  gates(): readonly Gate[]
  /** Closes it, or moves a closed one's `until`; clears the probe, so that the next may start at `untilMs` (now: at once). */
  closeGate(input: {
    readonly account: string
    readonly untilMs: number
    readonly reason: string
    readonly byRun: RunId
    readonly doublings: number
  }): void
  openGate(account: string, reason: string, actor: Actor): void
  /** Until a person resumes it. */
  parkGate(input: { readonly account: string; readonly reason: string; readonly byRun: RunId }): void
  cutBatch(id: BatchId, cut: BatchCut, text: string, actor: Actor): void
  /** Sets the verdict if nothing of the batch runs and nothing will start by itself; undefined when it goes on. */
  endBatchIfOver(id: BatchId): BatchVerdict | undefined
  openBatches(): readonly Batch[]
  recordHubStart(start: Omit<HubStart, 'startedAtMs' | 'stoppedAtMs'>): void
  /** It leaves in good order; a start without this was killed. */
  recordHubStop(instance: string): void
  /** Newest first, at most the newest 100. */
  hubStarts(input: { readonly sinceMs: number }): readonly HubStart[]
  /** The machine that last worked this home; null until one is written. */
  readMachine(): string | null
  writeMachine(machine: string): void
  /** They go on under the hub that has just started. */
  recordAdopted(runs: readonly RunId[]): void
  record(
    event: {
      kind:
        | 'hub.started'
        | 'hub.stopped'
        | 'home.moved'
        | 'run.cleared'
        | 'run.survivors'
        | 'run.log_shortened'
        | 'run.artifacts_refused'
      run?: RunId
      text: string
      data?: Record<string, unknown>
    },
    actor: Actor,
  ): void

  // everybody
  /**
   * The board as it is at this moment, to be read over many turns of the loop while it moves on: for answers that are too
   * long for one. It holds the store's log from being tidied, so it is closed as soon as it was read.
   */
  snapshot(): BoardReader & { close(): void }
  /**
   * Copies all that is committed into a new file while the work goes on: complete or not at all. Throws
   * `BOARD_FILE_TAKEN`, `BOARD_FILE_NOT_MADE`, `BOARD_FILE_NOT_WRITTEN`, `BOARD_DISK_FULL`.
   */
  backup(file: string, actor: Actor): Promise<{ readonly bytes: number }>
  /** See `restoreStore`. Answers the newest run that this store knows of. */
  markRestored(
    input: { readonly newest: { readonly run: number; readonly task: number }; readonly text: string },
    actor: Actor,
  ): number
  /** Every card of a board as it is at this moment, to be read at leisure. Throws `BOARD_NO_BOARD`. */
  copyBoard(name: string): BoardCopy
  /** All or none; see `importTasks`. */
  importTasks(input: ImportInput, actor: Actor): readonly ImportedTask[]
  /** Called after each commit with its events, until `signal` fires. */
  onEvents(signal: AbortSignal, heard: (events: readonly BoardEvent[]) => void): void
  /** `BOARD_REPLACED` once somebody removed or replaced the file under our hands: every change is refused with it from then on. */
  findLoss(): YardError | undefined
  /**
   * Of a store that was taken away: writes all it holds to a new file beside, for `yardmaster restore`, and answers its path.
   * The next start is refused with that name while nothing was put in the store's place (`BOARD_SET_ASIDE`).
   */
  rescue(): string
  close(): void
}
