import { type Clock, type CrashPoint, formatRunId, type Random, type RunId, type TaskId } from '../kernel/index.ts'
import { answerTask, approveTask, rejectTask } from './acts/answers.ts'
import { applyLimits, areInForce } from './acts/apply-limits.ts'
import { archiveTask, unarchiveTask } from './acts/archive.ts'
import { cancelBatch, cutBatch, endBatchIfOver, getBatch } from './acts/batches.ts'
import { claim } from './acts/claim.ts'
import { createTasks } from './acts/create-tasks.ts'
import { editTask } from './acts/edit-task.ts'
import { closeGate, openGate, parkGate } from './acts/gates.ts'
import { getTask } from './acts/get-task.ts'
import { liftHold, setHold } from './acts/holds.ts'
import { markRestored } from './acts/mark-restored.ts'
import { blockTask, cancelTask, comment, readyTask, retryTask, stopTask, unblockTask } from './acts/people.ts'
import { keptRuns, pruneEvents } from './acts/prune.ts'
import { releaseRun } from './acts/release.ts'
import { recordCall, recordHeartbeat, recordRemark, tellLate } from './acts/run-calls.ts'
import { recordExited, recordSettled, recordSignalled, recordStarted, recordStop } from './acts/runs.ts'
import { submitBatch } from './acts/submit-batch.ts'
import { tellDisk } from './acts/tell-disk.ts'
import { writeWhole } from './backup-file.ts'
import type { Actor, Board } from './board.ts'
import type { DiskLow } from './disk-low.ts'
import { boardError } from './errors.ts'
import { explainTasks } from './explain-task.ts'
import { hostElsewhere } from './host-elsewhere.ts'
import { listTasks } from './list-tasks.ts'
import { buildNews } from './news.ts'
import { builtInAttempts } from './resolve-settings.ts'
import type { Caller } from './run-calls.ts'
import type { Database, Durability } from './sqlite/database.ts'
import { openStoreFile } from './sqlite/open-store-file.ts'
import { composeRescue } from './sqlite/set-aside.ts'
import { buildStore, type Store } from './sqlite/store.ts'
import { taskStatuses } from './status.ts'
import { publicTask, type StoredTask } from './stored-task.ts'
import type { Need } from './task.ts'
import { verifyRunToken } from './verify-run-token.ts'
import { dispatcher, type NewEvent, type Work } from './work.ts'
import { buildWriter } from './writer.ts'

export interface OpenBoardOptions {
  /** Absolute path of the file, made where it is missing; `:memory:` for a board that ends with the process. */
  readonly path: string
  readonly clock: Clock
  readonly random: Random
}

/** Cards that one `openDue` lets go, so that ten thousand due at one moment do not keep the loop. */
const mostDue = 1_000

/** Ends that `tally` answers at most. */
const mostEnds = 200

/** Starts that `hubStarts` answers at most: a service manager may have started it all night. */
const mostStarts = 100

/**
 * Opens the board, bringing an older file up to date first (with a backup beside it). A file of a newer program, one that
 * is not a board and one on a network file system are refused untouched; a damaged one is set aside (docs/store.md).
 */
export function openBoard({ path, clock, random }: OpenBoardOptions): Board {
  return buildBoard({ path, db: openStoreFile({ clock, random }, path), clock, random })
}

const ofHub = { by: 'hub' } as const
const ofRun = ({ run }: Caller): Actor => ({ by: formatRunId(run) })

function buildBoard({ path, db, clock, random }: OpenBoardOptions & { readonly db: Database }): Board {
  const store = buildStore(db)
  const news = buildNews()
  // Of this machine at this moment, so that it is no row: a copy of the store has another disk.
  let disk: DiskLow | null = null

  const writer = buildWriter({ db, store, clock, random, news })
  const write = <T>(actor: Actor, durability: Durability, act: (work: Work) => T, point?: CrashPoint): T =>
    writer.write({ actor, durability, act, ...(point === undefined ? {} : { point }) })
  const ofPerson = (actor: Actor, act: (work: Work) => StoredTask) => publicTask(write(actor, 'full', act))

  const board: Board = {
    clock,
    random,
    queue: (act, durability = 'full') => writer.queue(() => act(board), durability),

    createTasks: (input, actor) => write(actor, 'full', (work) => createTasks(work, input)),
    submitBatch: (input, actor) => write(actor, 'full', (work) => submitBatch(work, input), 'batch.committed'),
    editTask: (id, patch, actor) => ofPerson(actor, (work) => editTask(work, id, patch)),
    readyTask: (id, actor) => ofPerson(actor, (work) => readyTask(work, id)),
    blockTask: (id, text, actor) => ofPerson(actor, (work) => blockTask(work, id, text)),
    unblockTask: (id, actor) => ofPerson(actor, (work) => unblockTask(work, id)),
    retryTask: (id, text, actor) => ofPerson(actor, (work) => retryTask(work, id, text)),
    answerTask: (id, text, actor) => ofPerson(actor, (work) => answerTask(work, id, text)),
    approveTask: (id, text, actor) => ofPerson(actor, (work) => approveTask(work, id, text)),
    rejectTask: (id, text, actor) => ofPerson(actor, (work) => rejectTask(work, id, text)),
    cancelTask: (id, actor) => ofPerson(actor, (work) => cancelTask(work, id)),
    stopTask: (id, text, actor) => ofPerson(actor, (work) => stopTask(work, id, text)),
    comment: (id, text, actor) => write(actor, 'full', (work) => comment(work, getTask(work, id), text)),
    archiveTask: (id, children, actor) => write(actor, 'full', (work) => archiveTask(work, id, children)),
    unarchiveTask: (id, actor) => ofPerson(actor, (work) => unarchiveTask(work, id)),
    cancelBatch: (id, actor) => {
      write(actor, 'full', (work) => cancelBatch(work, id))
      return getBatch({ store }, id).batch
    },
    setHold: (hold, actor) => write(actor, 'full', (work) => setHold(work, hold)),
    liftHold: (scope, name, actor) => write(actor, 'full', (work) => liftHold(work, scope, name)),

    applyLimits: (limits) => {
      if (!areInForce({ store }, limits)) write(dispatcher, 'full', (work) => applyLimits(work, limits))
    },
    claim: (input) => write(dispatcher, 'full', (work) => claim({ ...work, disk }, input), 'claim.committed'),
    recordStarted: (started) =>
      write(dispatcher, 'normal', (work) => recordStarted(work, started), 'identity.committed'),
    recordStop: (run, stop) => write({ by: stop.by }, 'full', (work) => recordStop(work, run, stop), 'stop.committed'),
    recordRung: (climbed) => write(dispatcher, 'normal', (work) => void work.store.climbRun(climbed)),
    recordSignalled: (signalled) => write(dispatcher, 'normal', (work) => recordSignalled(work, signalled)),
    recordExited: (exited) => write(dispatcher, 'full', (work) => recordExited(work, exited), 'exit.committed'),
    recordSettled: (settled) => write(dispatcher, 'full', (work) => recordSettled(work, settled), 'settle.committed'),
    verifyToken: (token) => verifyRunToken({ store }, token),
    recordHeartbeat: (caller) => write(ofRun(caller), 'normal', (work) => recordHeartbeat(work, caller)),
    recordRemark: (caller, text) => write(ofRun(caller), 'full', (work) => recordRemark(work, caller, text)),
    recordLateCall: (caller, act) => write(ofRun(caller), 'normal', (work) => void tellLate(work, caller, act)),
    recordCall: (caller, call) => write(ofRun(caller), 'full', (work) => recordCall(work, caller, call)),
    releaseRun: (settled, actor) =>
      optional(
        write(actor, 'full', (work) => releaseRun(work, settled)),
        publicTask,
      ),
    keptRuns: (asked) => keptRuns({ store }, asked),
    recordPruned: (runs) =>
      write(dispatcher, 'normal', (work) => {
        for (const run of runs) work.store.pruneRun({ run, nowMs: work.nowMs })
      }),
    pruneEvents: (asked) => write(dispatcher, 'normal', (work) => pruneEvents(work, asked)),
    tally: (id) => {
      const { failures, resetRun } = getTask({ store }, id)
      return { failures, ends: store.endsOf({ task: id, after: resetRun, limit: mostEnds }) }
    },
    openRuns: () => store.openRuns(),
    openDue: () => {
      const atMs = store.nextDue({})?.at_ms ?? null
      // Asked at every turn of the loop, so that nothing is written where nothing is due.
      if (atMs === null || atMs > clock.nowMs()) return 0
      return write(dispatcher, 'normal', ({ nowMs }) => store.openDue({ nowMs, limit: mostDue }))
    },
    nextDueMs: () => nextDueMs(store, clock.nowMs()),
    readGate: (account) => store.readGate(account),
    gates: () => store.listGates(),
    closeGate: (closing) => write(dispatcher, 'full', (work) => closeGate(work, closing), 'account.closed'),
    openGate: (account, reason, actor) => write(actor, 'full', (work) => void openGate(work, account, reason)),
    parkGate: (parking) => write(dispatcher, 'full', (work) => parkGate(work, parking), 'account.closed'),
    cutBatch: (id, cut, text, actor) => write(actor, 'full', (work) => cutBatch(work, id, cut, text)),
    endBatchIfOver: (id) => write(dispatcher, 'full', (work) => endBatchIfOver(work, id), 'batch.ended'),
    recordHubStart: (start) => write(ofHub, 'full', ({ store, nowMs }) => void store.insertHub({ ...start, nowMs })),
    recordHubStop: (instance) => write(ofHub, 'full', ({ store, nowMs }) => void store.stopHub({ instance, nowMs })),
    hubStarts: ({ sinceMs }) => store.hubStarts({ sinceMs, limit: mostStarts }),
    readMachine: () => store.readMachine(),
    writeMachine: (machine) => write(ofHub, 'full', ({ store }) => void store.writeMachine({ machine })),
    hostElsewhere: (run) => hostElsewhere(store, run),
    openBatches: () => store.openBatches().map(({ batch }) => batch),
    diskLow: () => disk,
    setDiskLow: (low) => {
      const before = disk
      disk = low === null ? null : { ...low, sinceMs: before?.sinceMs ?? clock.nowMs() }
      if ((before === null) !== (disk === null)) write(dispatcher, 'normal', (work) => tellDisk(work, disk))
    },
    record: ({ kind, run, text, data = {} }, actor) =>
      write(actor, 'normal', (work) => work.tell({ kind, text, data, ...whereIs(store, run) })),

    readTask: (id) => optional(store.readTask(id), publicTask),
    readSpec: (id) => store.readSpec(id),
    needsOf: (id) => store.needsOf(id),
    childrenOf: (id) => store.childrenOf(id).map((link) => link.task),
    listTasks: (filter, page) => listTasks({ store }, filter, page),
    readRun: (id) => store.readRun(id),
    runsOf: (task) => store.runsOf(task),
    lastRun: (task) => store.lastRunOf(task),
    lastRuns: (tasks) => new Map(store.lastRuns(tasks).map((run) => [run.task, run])),
    attemptsOf: (tasks) => {
      const said = new Map(store.attemptsOf(tasks.map(({ id }) => id)).map(({ id, attempts }) => [id, attempts]))
      return new Map(tasks.map(({ id, kind }) => [id, said.get(id) ?? builtInAttempts(kind)]))
    },
    tasksOfBatch: (batch) => store.tasksOfBatch(batch).map(publicTask),
    needsOfBatch: (batch) =>
      groupByTask(store.needsOfBatch({ batch }), (row): Need => ({ task: row.on_task, when: row.on_end })),
    runsOfBatch: (batch) => groupByTask(store.runsOfBatch(batch), (run) => run),
    readBatch: (id) => store.readBatch(id)?.batch,
    findBatch: (name) => store.findLastBatch({ board: null, name })?.batch,
    listBatches: ({ limit, after }) => {
      const rows = store.listBatches({ before: parseBatchCursor(after), limit: limit + 1 }).map(({ batch }) => batch)
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return rows.length > limit && last !== undefined ? { rows: page, next: String(last.id) } : { rows: page }
    },
    batchCounts: (id) => {
      const rows = store.countBatchTasks({ batch: getBatch({ store }, id).batch.id })
      const kept = (of: 'tasks' | 'archived') =>
        Object.fromEntries(rows.flatMap((row) => (row[of] > 0 ? [[row.status, row[of]]] : [])))
      return {
        total: rows.reduce((sum, row) => sum + row.tasks, 0),
        byStatus: kept('tasks'),
        archived: kept('archived'),
      }
    },
    counts: (board) => {
      const none = Object.fromEntries(taskStatuses.map((status) => [status, 0]))
      const rows = store.countBoardTasks({ board: board ?? null })
      const listed = Object.fromEntries(rows.map(({ status, tasks, archived }) => [status, tasks - archived]))
      const archived = rows.reduce((sum, row) => sum + row.archived, 0)
      return { ...none, ...listed, archived } as ReturnType<Board['counts']>
    },
    comments: (task) => store.commentsOf(task),
    eventsAfter: (seq, limit, { task, batch } = {}) => {
      if (task !== undefined) return store.taskEventsAfter({ seq, limit, task })
      return batch === undefined ? store.eventsAfter({ seq, limit }) : store.batchEventsAfter({ seq, limit, batch })
    },
    yardEventsAfter: (seq, limit) => store.yardEventsAfter({ seq, limit }),
    lastSeq: () => store.lastSeq({})?.seq ?? 0,
    lastHubMs: () => store.lastHubTime({})?.at_ms ?? null,
    holds: () => store.listHolds(),
    explainTask: (id, hub) => {
      const [explanation] = explainTasks({ store, nowMs: clock.nowMs(), disk }, [id], hub)
      if (explanation === undefined) throw new Error(`the board had nothing to say of T${id}`)
      return explanation
    },
    explainTasks: (ids, hub) => explainTasks({ store, nowMs: clock.nowMs(), disk }, ids, hub),
    backup: async (file, actor) => {
      write(actor, 'normal', (work) => work.tell({ kind: 'store.backed_up', text: `the store is copied to ${file}` }))
      return { bytes: await writeWhole(file, (unfinished) => db.copySlowly(unfinished)) }
    },
    markRestored: (input, actor) => write(actor, 'full', (work) => markRestored(work, input)),
    onEvents: (signal, heard) => news.listen(signal, heard),
    findLoss: () => optional(db.findLoss(), (loss) => boardError('BOARD_REPLACED', { path, loss })),
    rescue: () => {
      writer.flush()
      const into = composeRescue(path, clock.nowMs())
      db.rescue(into)
      return into
    },
    close: () => {
      writer.flush()
      db.close()
    },
  }
  return board
}

const optional = <In, Out>(value: In | undefined, make: (value: In) => Out): Out | undefined =>
  value === undefined ? undefined : make(value)

function groupByTask<Row extends { readonly task: TaskId }, Out>(
  rows: readonly Row[],
  make: (row: Row) => Out,
): ReadonlyMap<TaskId, readonly Out[]> {
  const groups = new Map<TaskId, Out[]>()
  for (const row of rows) {
    const group = groups.get(row.task)
    if (group === undefined) groups.set(row.task, [make(row)])
    else group.push(make(row))
  }
  return groups
}

function whereIs(store: Store, run: RunId | undefined): Partial<NewEvent> {
  const task = run === undefined ? undefined : optional(store.readRun(run)?.task, (id) => store.readTask(id))
  return run === undefined || task === undefined ? {} : { run, task: task.id, board: task.board, batch: task.batch }
}

/** A gate's or batch's time that has passed was acted upon; a task's is still to be opened. */
function nextDueMs(store: Store, nowMs: number): number | null {
  const times = [store.nextDue({}), store.nextGateTime({ nowMs }), store.nextBatchStop({ nowMs })]
  const known = times.flatMap((row) => row?.at_ms ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

function parseBatchCursor(after: string | undefined): number {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^[1-9]\d{0,14}$/.test(after)) throw boardError('BOARD_BAD_CURSOR', { after })
  return Number(after)
}
