import type { Readable } from 'node:stream'
import type {
  ArchiveBody,
  ArchivedView,
  AttachmentView,
  BackupView,
  BatchReportView,
  BatchView,
  CleanBody,
  CleanView,
  CreatedTaskView,
  EditTaskBody,
  EventView,
  HealthView,
  HoldBody,
  ImportBody,
  ImportView,
  ListTasksQuery,
  NewBatchBody,
  NewTaskBody,
  PageView,
  RunView,
  SettingView,
  SubmittedBatchView,
  TaskDetail,
  TaskVerb,
  TaskView,
  WhyView,
} from '../contract/index.ts'

/** Which log of a run: of its work, or of what ran before and after that. */
export type LogStage = 'prepare' | 'work' | 'check'

/** A piece of a run's log, masked. `next` is the offset to go on from. */
export interface LogPiece {
  readonly text: string
  readonly from: number
  readonly next: number
  readonly size: number
  /** Bytes that are gone: then `text` is one line that says so, and no output. 0: it is output. */
  readonly gone: number
  /** More may still be written. */
  readonly open: boolean
}

/**
 * The API as functions. Every answer that is not 2xx is thrown as a `YardError` with the server's code, message and
 * fix; a hub that cannot be reached is `CLIENT_HUB_GONE`. The same client serves over HTTP and in process.
 */
export interface Client {
  health(): Promise<HealthView>
  createTask(body: NewTaskBody): Promise<CreatedTaskView>
  listTasks(query: ListTasksQuery): Promise<PageView<TaskView>>
  task(id: number): Promise<TaskDetail>
  editTask(id: number, body: EditTaskBody): Promise<TaskView>
  why(id: number): Promise<WhyView>
  settings(id: number): Promise<readonly SettingView[]>
  act(id: number, verb: TaskVerb, text?: string): Promise<TaskView>
  archive(id: number, body: ArchiveBody): Promise<ArchivedView>
  unarchive(id: number): Promise<TaskView>
  /** Lets the task go although attempt `run` may be alive. */
  release(id: number, run: number): Promise<TaskView>
  /** Without `file`: into the home's folder `backups`. */
  backup(file?: string): Promise<BackupView>
  /** Workspaces of ended tasks: which may go, and away with them. */
  clean(body: CleanBody): Promise<CleanView>
  /** The lines of a board's file, each without its end. Whole or an error: it is not gone on with after a break. */
  exportBoard(board: string, signal: AbortSignal): AsyncIterable<string>
  importBoard(body: ImportBody): Promise<ImportView>
  run(id: number): Promise<RunView>
  log(
    id: number,
    range?: { readonly stage?: LogStage; readonly from?: number; readonly limit?: number },
  ): Promise<LogPiece>
  /** Ends by itself when the run is settled, or its stage over, and all of it was given. */
  followLog(id: number, from: number, signal: AbortSignal, stage?: LogStage): AsyncIterable<string>
  /** The bytes of what the attempt changed, as `git apply` takes them. Whole, or an error at its end: nothing is cut. */
  patchOf(run: number, signal: AbortSignal): AsyncIterable<Buffer>
  /** A file for the attempts at a task, of at most 25 MiB; one of that name takes its place. Rejects with what `source` throws. */
  attach(task: number, name: string, source: Readable): Promise<AttachmentView>
  attachments(task: number): Promise<readonly AttachmentView[]>
  /** Its bytes. Whole, or an error at its end. */
  attachment(id: number, signal: AbortSignal): AsyncIterable<Buffer>
  submitBatch(body: NewBatchBody): Promise<SubmittedBatchView>
  batches(query?: { readonly limit?: number; readonly after?: string }): Promise<PageView<BatchView>>
  batch(ref: number | string): Promise<BatchView>
  batchReport(ref: number | string): Promise<BatchReportView>
  cancelBatch(ref: number | string, text?: string): Promise<BatchView>
  /** Live, gapless and in order from `after`; reconnects by itself until `signal` fires or the hub is gone for 10 s. */
  events(
    after: number,
    filter: { readonly task?: number; readonly batch?: number },
    signal: AbortSignal,
  ): AsyncIterable<EventView>
  eventsPage(
    after: number,
    limit: number,
    filter?: { readonly task?: number; readonly batch?: number },
  ): Promise<readonly EventView[]>
  pause(body: HoldBody): Promise<HealthView>
  resume(body: HoldBody): Promise<HealthView>
  drain(body: HoldBody): Promise<HealthView>
  down(mode: 'drain' | 'now' | 'replace'): Promise<HealthView>
}
