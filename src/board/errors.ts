import {
  type BatchId,
  defineErrors,
  formatBatchId,
  formatRunId,
  formatTaskId,
  nameSome,
  type RunId,
  shellWord,
  suggestName,
  type TaskId,
} from '../kernel/index.ts'
import type { CallKind } from './run.ts'
import { sayStatus, type TaskStatus } from './status.ts'

/** A name that is not known, with those that are. */
type Named<What extends string> = Readonly<Record<What, string>> & { readonly known: readonly string[] }

/** At most five by name: thousands may wait. */
const someTasks = (ids: readonly TaskId[]): string => nameSome(ids.map(formatTaskId), 5)

/** Everything the board refuses, and everything its store can meet. A refused act has written nothing. */
export const boardError = defineErrors({
  BOARD_NO_TASK: {
    status: 404,
    says: ({ task }: { task: TaskId }) => `there is no task ${formatTaskId(task)}`,
    fix: 'look it up: yardmaster list --all',
  },
  BOARD_NO_BATCH: {
    status: 404,
    says: ({ batch }: { batch: BatchId | string }) =>
      `there is no batch ${typeof batch === 'number' ? formatBatchId(batch) : `"${batch}"`}`,
    fix: 'look it up: yardmaster list',
  },
  BOARD_NO_RUN: {
    status: 404,
    says: ({ run }: { run: RunId }) => `there is no attempt ${formatRunId(run)}`,
    fix: 'look it up: yardmaster show TASK',
  },
  BOARD_BAD_NAME: {
    status: 400,
    says: ({ what, name }: { what: string; name: string }) => `"${name}" cannot be the name of a ${what}`,
    fix: 'use lower case, digits, - and _, at most 64, no leading dash',
  },
  BOARD_BAD_PRIORITY: {
    status: 400,
    says: ({ priority }: { priority: number }) => `priority ${priority} is not a whole number from -9 to 9`,
    fix: 'use a whole number from -9 to 9; 0 is usual and higher starts first',
  },
  BOARD_BAD_CURSOR: {
    status: 400,
    says: ({ after }: { after: string }) => `"${after}" is no place in this list`,
    fix: 'pass `next` of the page before, as it was answered, or leave it out',
  },
  BOARD_NO_REPOSITORY: {
    status: 400,
    says: () => 'a worktree is of a git repository with a commit, and the folder of this task lies in none',
    fix: 'name one (workspace: { repo: PATH }, or --repo PATH), or write workspace: scratch',
  },
  BOARD_NEEDS_WORKTREE: {
    status: 400,
    says: ({ field, where }: { field: string; where: string }) =>
      `${field} is judged by what changed in a worktree, and this task works ${where}`,
    fix: ({ field }: { field: string }) => `write workspace: worktree, or take ${field} out`,
  },
  BOARD_DEPTH_OF_A_FOLDER: {
    status: 400,
    says: ({ repo }: { repo: string }) => `depth is for repositories that are fetched, and ${repo} is a folder`,
    fix: 'take depth out',
  },
  BOARD_TASK_EMPTY: {
    status: 400,
    says: ({ title }: { title: string }) => `task "${title}" has neither prompt nor run`,
    fix: 'say what it does: a prompt, or a command with run',
  },
  BOARD_TASK_DOUBLE: {
    status: 400,
    says: ({ title }: { title: string }) => `task "${title}" has both prompt and run`,
    fix: 'keep one of them; make two tasks where both are meant',
  },
  BOARD_TASK_UNTITLED: {
    status: 400,
    says: () => 'a task has no title',
    fix: 'give it a title of one line',
  },
  BOARD_UNKNOWN_LANE: {
    status: 400,
    says: ({ lane }: Named<'lane'>) => `there is no lane "${lane}"`,
    fix: ({ lane, known }: Named<'lane'>) => `${suggestName(lane, known)} Lanes are named in yardmaster.yaml`,
  },
  BOARD_UNKNOWN_ACCOUNT: {
    status: 400,
    says: ({ account }: Named<'account'>) => `there is no account "${account}"`,
    fix: ({ account, known }: Named<'account'>) =>
      `${suggestName(account, known)} Accounts are named in yardmaster.yaml`,
  },
  BOARD_UNKNOWN_ROW: {
    status: 400,
    says: ({ key, by }: Named<'key'> & { by: string }) => `${by} names "${key}", which is not in this file`,
    fix: ({ key, known }: Named<'key'>) => suggestName(key, known),
  },
  BOARD_ROW_KEY_MISSING: {
    status: 400,
    says: ({ title }: { title: string }) => `task "${title}" of the batch has no row key`,
    fix: 'give each task of a batch a key of its own',
  },
  BOARD_ROW_KEY_TWICE: {
    status: 400,
    says: ({ key }: { key: string }) => `two tasks have the row key "${key}"`,
    fix: 'give each task of a batch a key of its own',
  },
  BOARD_KEY_IN_BATCH: {
    status: 400,
    says: ({ key }: { key: string }) => `the duplicate guard "${key}" was set for a task of a batch`,
    fix: 'leave it out: in a batch the row key is the guard',
  },
  BOARD_KEY_TAKEN: {
    status: 409,
    says: ({ task, key, holder, status }: { task: TaskId; key: string; holder: TaskId; status: TaskStatus }) =>
      `${formatTaskId(task)} cannot open again: its key "${key}" is held by ${formatTaskId(holder)} (${sayStatus(status)})`,
    fix: ({ holder }: { holder: TaskId }) =>
      `use ${formatTaskId(holder)}, or end it first: yardmaster cancel ${formatTaskId(holder)}`,
  },
  BOARD_NEED_MET: {
    status: 409,
    says: ({ task }: { task: TaskId }) => `${formatTaskId(task)} is done, and this attempt began with its result`,
    fix: 'go on with that result, or say what else is missing',
  },
  BOARD_NEED_CYCLE: {
    status: 400,
    says: ({ cycle }: { cycle: readonly string[] }) => `these tasks need each other in a circle: ${cycle.join(' -> ')}`,
    fix: 'take one of these links away',
  },
  BOARD_NO_TASKS: {
    status: 400,
    says: ({ name }: { name: string }) => `batch "${name}" has no tasks`,
    fix: 'a batch needs at least one task; look at matrix and glob',
  },
  BOARD_BATCH_KEY_USED: {
    status: 409,
    says: ({ name, key, batch }: { name: string; key: string; batch: BatchId }) =>
      `key "${key}" of "${name}" is used by ${formatBatchId(batch)}`,
    fix: ({ batch }: { batch: BatchId }) => `leave out --new to go on with ${formatBatchId(batch)}, or use another key`,
  },
  BOARD_NOTHING_TO_RESUME: {
    status: 404,
    says: ({ name, key }: { name: string; key: string | null }) =>
      `there is no batch "${name}"${key === null ? '' : ` with key "${key}"`} to go on with`,
    fix: 'leave out --resume, --failed and --redo to start it',
  },
  BOARD_TASK_RUNNING: {
    status: 409,
    says: ({ task, run, act }: { task: TaskId; run: RunId; act: string }) =>
      `${formatTaskId(task)} cannot be ${act} while its attempt ${formatRunId(run)} runs`,
    fix: ({ task }: { task: TaskId }) => `wait for its end, or stop it first: yardmaster stop ${formatTaskId(task)}`,
  },
  BOARD_NOT_ASKED: {
    status: 409,
    says: ({ task, why }: { task: TaskId; why: string }) =>
      `${formatTaskId(task)} asked nothing; it needs you because: ${why}`,
    fix: ({ task }: { task: TaskId }) =>
      `let it go on: yardmaster unblock ${formatTaskId(task)}, or with a hint: yardmaster retry ${formatTaskId(task)} "…"`,
  },
  BOARD_TOO_MANY_REMARKS: {
    status: 409,
    says: ({ run, most }: { run: RunId; most: number }) =>
      `${formatRunId(run)} has made ${most} remarks, and no more are taken`,
    fix: 'write the rest into its output, or say it with its end',
  },
  BOARD_TOO_MANY_ACTS: {
    status: 409,
    says: ({ run, act, most }: { run: RunId; act: string; most: number }) =>
      `${formatRunId(run)} has done this ${most} times (${act}), and no more of it is taken`,
    fix: 'say the rest with its end',
  },
  BOARD_VERDICT_OF_AUTHOR: {
    status: 409,
    says: ({ run, code }: { run: RunId; code: string | null }) =>
      `${formatRunId(run)} does the work itself and cannot say of it: ${code}`,
    fix: 'complete without a code; whoever reviews it gives the verdict',
  },
  BOARD_VERDICT_MISSING: {
    status: 409,
    says: ({ run, said }: { run: RunId; said: CallKind }) =>
      `${formatRunId(run)} reviews the work of another attempt and must end with a verdict, not with ${said}`,
    fix: 'end the result with a line of its own, verdict: approve or verdict: reject, the latter after what must change; block, if only a person can say it',
  },
  BOARD_VERDICT_WITHOUT_TEXT: {
    status: 400,
    says: ({ run }: { run: RunId }) => `${formatRunId(run)} wants changes and does not say which`,
    fix: 'say what must change; the next attempt reads it',
  },
  BOARD_CHILDREN_WAIT: {
    status: 409,
    says: ({ task, children }: { task: TaskId; children: readonly TaskId[] }) =>
      `${formatTaskId(task)} did not end as ${someTasks(children)} ${children.length === 1 ? 'needs' : 'need'}, so somebody has to say what becomes of ${children.length === 1 ? 'it' : 'them'}`,
    fix: ({ task }: { task: TaskId }) =>
      `yardmaster archive ${formatTaskId(task)} --children release (they may start) | wait (they go on waiting) | archive (they are cancelled and archived too)`,
  },
  BOARD_MOVE_REFUSED: {
    status: 409,
    says: ({ task, status, act }: { task: TaskId; status: TaskStatus; act: string }) =>
      `${formatTaskId(task)} ${standing(status)} and cannot be ${act}`,
    fix: ({ task, may }: { task: TaskId; may: string }) =>
      may === '' ? `look at it: yardmaster show ${formatTaskId(task)}` : `possible now: ${may}`,
  },
  BOARD_BATCH_ENDED: {
    status: 409,
    says: ({ batch }: { batch: BatchId }) => `${formatBatchId(batch)} has ended and nothing of it is left`,
    fix: 'start it again from its file: yardmaster run FILE --resume',
  },
  BOARD_HOLD_UNNAMED: {
    status: 400,
    says: ({ scope }: { scope: string }) => `a hold on a ${scope} needs its name`,
    fix: ({ scope }: { scope: string }) => `say which: --${scope} NAME`,
  },
  BOARD_TOO_NEW: {
    status: 500,
    says: ({ path, file, known }: { path: string; file: number; known: number }) =>
      `${path} is of version ${file}; this program knows versions up to ${known}. The file was not touched`,
    fix: 'use the newer yardmaster that wrote it, or another home (YARDMASTER_HOME)',
  },
  BOARD_NOT_A_BOARD: {
    status: 500,
    says: ({ path }: { path: string }) => `${path} is not a board of yardmaster`,
    fix: 'move the file away, or use another home (YARDMASTER_HOME)',
  },
  BOARD_NOT_OPENED: {
    status: 500,
    says: ({ path }: { path: string }) => `${path} could not be opened`,
    fix: 'the folder must exist and be writable for this user',
  },
  BOARD_LOCKED: {
    status: 503,
    says: ({ path }: { path: string }) => `${path} stayed locked by another program`,
    fix: 'close the program that has the board file open and try again',
  },
  BOARD_DISK_FULL: {
    status: 507,
    says: ({ path }: { path: string }) => `the disk of ${path} is full; nothing of this was written`,
    fix: 'make space and try again',
  },
  BOARD_DAMAGED: {
    status: 500,
    says: ({ path, code }: { path: string; code: string }) => `${path} is damaged (${code})`,
    fix: 'stop the hub; its next start checks the file, sets it aside and says how to go on',
  },
  BOARD_SET_ASIDE: {
    status: 500,
    says: ({
      path,
      aside,
      found,
    }: {
      path: string
      aside: string
      found: string | null
      backup: string | undefined
    }) =>
      found === null
        ? `${path} is missing: it was damaged or taken away, and what it held is kept as ${aside}`
        : `${path} is damaged (${found}). It was set aside as ${aside}; nothing was written over`,
    fix: ({ aside, backup = 'FILE' }) =>
      aside.includes('.rescued-')
        ? `put it back: yardmaster restore ${shellWord(aside)}. To begin with an empty board instead, move it and the folder runs beside it to another folder`
        : `put a backup in its place: yardmaster restore ${shellWord(backup)}. To begin with an empty board instead, move ${aside} and the folder runs beside it to another folder`,
  },
  BOARD_REPLACED: {
    status: 500,
    says: ({ path, loss }: { path: string; loss: 'removed' | 'replaced' }) =>
      loss === 'removed'
        ? `${path} or its log was removed while it was in use; nothing more is written`
        : `${path} or its log was replaced by another file while it was in use; nothing was written into that one`,
    fix: 'start again: yardmaster up; what runs lives on. A lost file: yardmaster restore FILE',
  },
  BOARD_ON_NETWORK: {
    status: 500,
    says: ({ path, name }: { path: string; name: string }) =>
      `${path} lies on a network file system (${name}), where locks do not hold and a store is damaged sooner or later`,
    fix: 'use a home on a disk of this machine: YARDMASTER_HOME=/a/local/folder',
  },
  BOARD_ENGINE_BAD: {
    status: 500,
    says: ({ version, why }: { version: string; why: string }) =>
      `this program runs on SQLite ${version}, which ${why}`,
    fix: 'install it again with the better-sqlite3 that it names in its package.json, and without overrides',
  },
  BOARD_NOT_WRITTEN: {
    status: 500,
    says: ({ path, code }: { path: string; code: string }) => `${path} could not be read or written (${code})`,
    fix: 'look at the disk and the rights of the folder; nothing of this was written',
  },
})

/** A status as what a task does in a sentence. */
function standing(status: TaskStatus): string {
  if (status === 'review') return 'waits for a review'
  return status === 'blocked' ? 'needs you' : `is ${sayStatus(status)}`
}
