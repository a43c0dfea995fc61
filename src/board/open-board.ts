import { renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, type CrashPoint, formatRunId, type Random, type RunId, syncToDisk } from '../kernel/index.ts'
import { answerTask, approveTask, rejectTask } from './acts/answers.ts'
import { applyLimits, areInForce } from './acts/apply-limits.ts'
import { archiveTask, unarchiveTask } from './acts/archive.ts'
import { cancelBatch, cutBatch, endBatchIfOver, getBatch } from './acts/batches.ts'
import { cancelTask } from './acts/cancel-task.ts'
import { claim } from './acts/claim.ts'
import { addAttachment, recordChange } from './acts/code.ts'
import { createTasks } from './acts/create-tasks.ts'
import { editTask } from './acts/edit-task.ts'
import { closeGate, openGate, parkGate } from './acts/gates.ts'
import { getTask } from './acts/get-task.ts'
import { liftHold, setHold } from './acts/holds.ts'
import { importTasks } from './acts/import-tasks.ts'
import { markRestored } from './acts/mark-restored.ts'
import { blockTask, comment, readyTask, retryTask, stopTask, unblockTask } from './acts/people.ts'
import { keptFiles, keptRuns, pruneEvents } from './acts/prune.ts'
import { releaseRun } from './acts/release.ts'
import { recordAct, recordRefusal } from './acts/run-acts.ts'
import { recordCall, recordHeartbeat, recordRemark, tellLate } from './acts/run-calls.ts'
import { recordExited, recordSettled, recordSignalled, recordStop, recordUnstarted } from './acts/runs.ts'
import { claimOf, recordStageOver, recordStarted } from './acts/stages.ts'
import { submitBatch } from './acts/submit-batch.ts'
import { tellDisk } from './acts/tell-disk.ts'
import { writeWhole } from './backup-file.ts'
import type { Actor, Board } from './board.ts'
import { buildReader } from './build-reader.ts'
import { copyBoard } from './copy-board.ts'
import type { DiskLow } from './disk-low.ts'
import { boardError } from './errors.ts'
import { buildNews } from './news.ts'
import type { Caller } from './run-calls.ts'
import { checkQuickly } from './sqlite/check-integrity.ts'
import { copyForReading } from './sqlite/copy-for-reading.ts'
import type { Database, Durability } from './sqlite/database.ts'
import { openStoreFile } from './sqlite/open-store-file.ts'
import { composeRescue } from './sqlite/set-aside.ts'
import { buildStore, type Store } from './sqlite/store.ts'
import { publicTask, type StoredTask } from './stored-task.ts'
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

/**
 * The board as it stands on a disk that takes nothing: a copy of it in a private folder, which goes with `close`. Only for
 * reading: an act of it throws. Throws what `openBoard` throws, and `BOARD_NOT_OPENED` where there is no room for a copy.
 */
export function openBoardCopy({ path, clock, random }: OpenBoardOptions): Board {
  const copy = copyForReading(path)
  try {
    const db = openStoreFile({ clock, random }, copy.path)
    const found = checkQuickly(db)
    if (found !== undefined) throw boardError('BOARD_DAMAGED', { path, code: found })
    db.script('pragma query_only = on')
    const board = buildBoard({ path: copy.path, db, clock, random })
    return {
      ...board,
      close() {
        board.close()
        copy.remove()
      },
    }
  } catch (fault) {
    copy.remove()
    throw fault
  }
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
    addAttachment: (file, actor) => write(actor, 'full', (work) => addAttachment(work, file)),
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
    claimOf: (run) => write(dispatcher, 'full', (work) => claimOf(work, run)),
    recordStarted: (started) =>
      write(dispatcher, 'normal', (work) => recordStarted(work, started), 'identity.committed'),
    recordStop: (run, stop) => write({ by: stop.by }, 'full', (work) => recordStop(work, run, stop), 'stop.committed'),
    recordRung: (climbed) => write(dispatcher, 'normal', (work) => void work.store.climbRun(climbed)),
    recordSignalled: (signalled) => write(dispatcher, 'normal', (work) => recordSignalled(work, signalled)),
    recordStageOver: (ends) => write(dispatcher, 'full', (work) => recordStageOver(work, ends)),
    recordChange: (change) => write(dispatcher, 'full', (work) => recordChange(work, change)),
    recordExited: (exited) => write(dispatcher, 'full', (work) => recordExited(work, exited), 'exit.committed'),
    recordSettled: (settled) => write(dispatcher, 'full', (work) => recordSettled(work, settled), 'settle.committed'),
    recordUnstarted: (ends) => write(dispatcher, 'full', (work) => recordUnstarted(work, ends), 'settle.committed'),
    verifyToken: (token) => verifyRunToken({ store }, token),
    recordHeartbeat: (caller) => write(ofRun(caller), 'normal', (work) => recordHeartbeat(work, caller)),
    recordRemark: (caller, text) => write(ofRun(caller), 'full', (work) => recordRemark(work, caller, text)),
    recordAct: (caller, act) => write(ofRun(caller), 'full', (work) => recordAct(work, caller, act)),
    recordRefusal: (caller, refused) => write(ofRun(caller), 'full', (work) => recordRefusal(work, caller, refused)),
    recordLateCall: (caller, act) => write(ofRun(caller), 'normal', (work) => void tellLate(work, caller, act)),
    recordCall: (caller, call) => write(ofRun(caller), 'full', (work) => recordCall(work, caller, call)),
    releaseRun: (settled, actor) =>
      optional(
        write(actor, 'full', (work) => releaseRun(work, settled), 'release.committed'),
        publicTask,
      ),
    keptRuns: (asked) => keptRuns({ store }, asked),
    recordPruned: (runs) =>
      write(dispatcher, 'normal', (work) => {
        for (const run of runs) work.store.pruneRun({ run, nowMs: work.nowMs })
      }),
    keptFiles: (asked) => keptFiles({ store }, asked),
    // Before their bytes go, it must be on the disk that nothing has them.
    forgetFiles: (ids) =>
      write(dispatcher, 'full', (work) => {
        for (const attachment of ids) work.store.forgetFile({ attachment })
      }),
    pruneEvents: (asked) => write(dispatcher, 'normal', (work) => pruneEvents(work, asked)),
    tally: (id) => {
      const { failures, reviewFailures, resetRun } = getTask({ store }, id)
      return { failures, reviewFailures, ends: store.endsOf({ task: id, after: resetRun, limit: mostEnds }) }
    },
    openRuns: () => store.openRuns(),
    openDue: () => {
      const atMs = store.nextDue({})?.at_ms ?? null
      // Asked at every turn of the loop, so that nothing is written where nothing is due.
      if (atMs === null || atMs > clock.nowMs()) return 0
      return write(dispatcher, 'normal', ({ nowMs }) => store.openDue({ nowMs, limit: mostDue }))
    },
    nextDueMs: (afterMs = clock.nowMs()) => nextDueMs(store, afterMs),
    shortenWaits: ({ latestMs }) =>
      write(
        dispatcher,
        'normal',
        ({ store: { replanGates, shortenWaits }, nowMs }) => replanGates({ nowMs }) + shortenWaits({ latestMs }),
      ),
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
    openBatches: () => store.openBatches().map(({ batch }) => batch),
    diskLow: () => disk,
    setDiskLow: (low) => {
      const before = disk
      disk = low === null ? null : { ...low, sinceMs: before?.sinceMs ?? clock.nowMs() }
      if ((before === null) !== (disk === null)) write(dispatcher, 'normal', (work) => tellDisk(work, disk))
    },
    recordAdopted: (runs) =>
      write(dispatcher, 'normal', (work) => {
        for (const run of runs) {
          const text = `${formatRunId(run)} goes on under this hub`
          work.tell({ kind: 'run.adopted', text, data: {}, ...whereIs(store, run) })
        }
      }),
    record: ({ kind, run, text, data = {} }, actor) =>
      write(actor, 'normal', (work) => work.tell({ kind, text, data, ...whereIs(store, run) })),

    ...buildReader({ store, clock, disk: () => disk }),
    snapshot: () => {
      writer.flush()
      const looked = db.snapshot()
      return { ...buildReader({ store: buildStore(looked), clock, disk: () => disk }), close: () => looked.close() }
    },
    backup: async (file, actor) => {
      write(actor, 'normal', (work) => work.tell({ kind: 'store.backed_up', text: `the store is copied to ${file}` }))
      return { bytes: await writeWhole(file, (unfinished) => db.copySlowly(unfinished)) }
    },
    copyBoard: (name) => {
      writer.flush()
      const snapshot = db.snapshot()
      return copyBoard(buildStore(snapshot), name, () => snapshot.close())
    },
    importTasks: (input, actor) => write(actor, 'full', (work) => importTasks(work, input)),
    markRestored: (input, actor) => write(actor, 'full', (work) => markRestored(work, input)),
    onEvents: (signal, heard) => news.listen(signal, heard),
    findLoss: () => optional(db.findLoss(), (loss) => boardError('BOARD_REPLACED', { path, loss })),
    rescue: () => {
      writer.flush()
      const into = composeRescue(path, clock.nowMs())
      // Whole or not there: a start that is refused names it as all that the store held.
      db.rescue(`${into}.unfinished`)
      renameSync(`${into}.unfinished`, into)
      syncToDisk(dirname(into))
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

function whereIs(store: Store, run: RunId | undefined): Partial<NewEvent> {
  const place = run === undefined ? undefined : store.placeOfRun({ run })
  return run === undefined || place === undefined ? {} : { run, ...place }
}

function nextDueMs(store: Store, afterMs: number): number | null {
  const times = [store.nextDue({}), store.nextGateTime({ nowMs: afterMs }), store.nextBatchStop({ nowMs: afterMs })]
  const later = times.flatMap((row) => row?.at_ms ?? []).filter((atMs) => atMs > afterMs)
  return later.length === 0 ? null : Math.min(...later)
}
