import {
  defineErrors,
  describeSize,
  formatRunId,
  formatTaskId,
  type Grant,
  type RunId,
  sayActor,
  type TaskId,
  taskId,
} from '../kernel/index.ts'
import { type BadArtifact, sayBadArtifacts } from '../runs/index.ts'
import { type BodyFault, runCalls } from './contract/index.ts'

/** What the API refuses, and what can be wrong with its own start. */
export const apiError = defineErrors({
  API_BAD_REQUEST: {
    status: 400,
    says: ({ faults }: { faults: readonly BodyFault[] }) => describeFaults(faults),
    fix: ({ faults }: { faults: readonly BodyFault[] }) => faults[0]?.fix ?? 'see docs/options.md',
  },
  API_NOT_JSON: {
    status: 400,
    says: ({ why }: { why: string }) => `the body could not be read as JSON: ${why}`,
    fix: 'send one JSON value with content-type: application/json',
  },
  API_BODY_TOO_LARGE: {
    status: 413,
    says: ({ mostBytes }: { mostBytes: number }) => `the body is larger than ${mostBytes} bytes`,
    fix: 'submit the tasks in several batches, or keep long texts in files and name those; a larger board moves by yardmaster backup and restore',
  },
  API_ATTACHMENT_TOO_LARGE: {
    status: 413,
    says: ({ name, mostBytes }: { name: string; mostBytes: number }) =>
      `artifact too large: ${JSON.stringify(name)} has more than ${describeSize(mostBytes)}; nothing of it is kept`,
    fix: 'put it where the task can reach it, and give its path or address; or send it in parts',
  },
  API_ATTACHMENT_CUT: {
    status: 400,
    says: ({ name }: { name: string }) =>
      `the connection ended before all of ${JSON.stringify(name)} had come; nothing of it is kept`,
    fix: 'send it again',
  },
  API_TOO_MANY_ATTACHMENTS: {
    status: 409,
    says: ({ most }: { most: number }) => `there are ${most} files already, and more are not taken`,
    fix: 'put several files into one, such as a .tar.gz; a file of a name that is there takes its place',
  },
  API_ATTACHMENT_GONE: {
    status: 410,
    says: ({ name }: { id: number; name: string }) =>
      `the bytes of ${JSON.stringify(name)} are not in the store of the home any more`,
    fix: 'send it again; a copy of the home’s folder attachments brings back all of them',
  },
  API_NO_PATCH: {
    status: 404,
    says: ({ run, why }: { run: RunId; why: string }) => `there is no patch of ${formatRunId(run)}: ${why}`,
    fix: ({ run }: { run: RunId; why: string }) =>
      `yardmaster show ${formatRunId(run)} says how it ended and where it worked`,
  },
  API_PATCH_GONE: {
    status: 410,
    says: ({ run }: { run: RunId; branch: string }) =>
      `the patch of ${formatRunId(run)} is not in the store of the home any more`,
    fix: ({ branch }: { run: RunId; branch: string }) =>
      `its commits are on ${branch}: git diff, or git merge ${branch}`,
  },
  API_NO_ROOM: {
    status: 507,
    says: ({ name }: { name: string }) =>
      `there was no room for ${JSON.stringify(name)} on the disk of the home; nothing of it is kept`,
    fix: 'make space and send it again',
  },
  API_BAD_ARTIFACTS: {
    status: 422,
    says: ({ run, bad }: { run: RunId; bad: readonly BadArtifact[] }) =>
      `${formatRunId(run)} is not done yet: ${sayBadArtifacts(bad)}`,
    fix: 'make these files and complete again, or complete without them',
  },
  API_BAD_TASKS: {
    status: 422,
    says: ({ run, bad }: { run: RunId; bad: readonly (readonly [number, string])[] }) =>
      `${formatRunId(run)} is not done yet: it names tasks that are not there: ${sayBadTasks(bad)}`,
    fix: 'name only tasks that were really made, or none, and complete again',
  },
  API_NOT_GRANTED: {
    status: 403,
    says: ({ run, act, lane }: { run: RunId; act: string; grant: Grant; lane: string }) =>
      `${formatRunId(run)} may not ${act}: lane ${lane} does not grant it`,
    fix: ({ grant, lane }: { run: RunId; act: string; grant: Grant; lane: string }) =>
      `leave it to a person, who may let it by grants: [${grant}] of lane ${lane} in yardmaster.yaml`,
  },
  API_NO_TOKEN: {
    status: 401,
    says: () => 'the request carries no valid token',
    fix: "send Authorization: Bearer TOKEN with the text of the home's file `token`",
  },
  API_BAD_RUN_TOKEN: {
    status: 401,
    says: () => 'the token has the form of an attempt’s, and is that of none in this home',
    fix: 'an attempt gets its token at its start, and talks to the hub that started it',
  },
  API_NOT_FOR_RUNS: {
    status: 403,
    says: ({ method, path, run }: { method: string; path: string; run: RunId }) =>
      `${method} ${path} is not open to the token of ${formatRunId(run)}`,
    fix: `an attempt may call, under /api/v1: ${runCalls.join(', ')}`,
  },
  API_ONLY_FOR_RUNS: {
    status: 403,
    says: ({ method, path }: { method: string; path: string }) =>
      `${method} ${path} is what an attempt calls with its own token`,
    fix: 'a person has approve, reject, answer, block, comment and cancel, under tasks/ID',
  },
  API_RUN_OVER: {
    status: 409,
    says: ({ run, outcome }: { run: RunId; outcome: string | null }) =>
      `${formatRunId(run)} is over${outcome === null ? '' : ` (${outcome})`}; nothing that it says changes its end`,
    fix: 'end now: the task goes on without this attempt',
  },
  API_RUN_HAS_CALLED: {
    status: 409,
    says: ({ run, before }: { run: RunId; before: string }) =>
      `${formatRunId(run)} has said already how it ends (${before}), and that is said once`,
    fix: 'end now; the first word counts',
  },
  API_RUN_STOPPING: {
    status: 409,
    says: ({ run, kind, by, text }: { run: RunId; kind: string; by: string; text: string }) =>
      `${formatRunId(run)} is being ended (${kind}, by ${sayActor(by)}${text === '' ? '' : `: ${text}`}), so it cannot say any more how it ends`,
    fix: 'end now',
  },
  API_WRONG_HOST: {
    status: 403,
    says: ({ host }: { host: string }) => `the request was sent to ${host}, which is not this hub's address`,
    fix: 'use http://127.0.0.1 with the port of the hub',
  },
  API_WRONG_ORIGIN: {
    status: 403,
    says: ({ origin }: { origin: string }) => `a page of ${origin} may not talk to the hub`,
    fix: 'call the API from a program, or from a page that the hub itself serves',
  },
  API_NO_ROUTE: {
    status: 404,
    says: ({ method, path }: { method: string; path: string }) => `there is no ${method} ${path}`,
    fix: 'under /api/v1 are health, tasks, attachments, runs, batches, events, backup, export, import, pause, resume, drain and down; a task takes ready, block, unblock, answer, approve, reject, retry, stop, cancel, comment, archive, unarchive and release; what a later version brings is not available yet',
  },
  API_NOT_FOUND: {
    status: 404,
    says: ({ what }: { what: string }) => `there is no ${what}`,
    fix: 'yardmaster list --all shows what there is',
  },
  API_UNKNOWN_LANE: {
    status: 400,
    says: ({ lane, where }: { lane: string; where: string; suggestion: string }) => `${where}: no lane "${lane}"`,
    fix: ({ suggestion }: { suggestion: string }) => suggestion,
  },
  API_LANE_DOES_NOT_FIT: {
    status: 400,
    says: ({ lane, kind, where }: { lane: string; kind: 'prompt' | 'run'; where: string }) =>
      kind === 'run'
        ? `${where}: lane "${lane}" is for prompts, this task has a command to run`
        : `${where}: lane "${lane}" runs commands, and names no program that takes a prompt`,
    fix: ({ kind }: { kind: 'prompt' | 'run' }) =>
      kind === 'run'
        ? 'leave lane out, or name one that uses command'
        : 'name an agent lane, or give that lane a command',
  },
  API_RUN_MAY_BE_ALIVE: {
    status: 409,
    says: ({ run }: { run: RunId }) => `${formatRunId(run)} may be alive, and no hub is up that could end it`,
    fix: 'start `yardmaster up`, it will adopt it',
  },
  API_NOT_ITS_ATTEMPT: {
    status: 409,
    says: ({ task, run, open }: { task: TaskId; run: RunId; open: RunId | null }) =>
      open === null
        ? `${formatTaskId(task)} has no open attempt, so ${formatRunId(run)} keeps it from nothing`
        : `the open attempt of ${formatTaskId(task)} is ${formatRunId(open)}, not ${formatRunId(run)}`,
    fix: ({ task, open }: { task: TaskId; open: RunId | null }) =>
      open === null ? `yardmaster why ${formatTaskId(task)}` : `look at it first: yardmaster why ${formatTaskId(task)}`,
  },
  API_RUN_ALIVE: {
    status: 409,
    says: ({ run }: { task: TaskId; run: RunId }) => `${formatRunId(run)} is alive, and it can be ended`,
    fix: ({ task }: { task: TaskId }) =>
      `yardmaster stop ${formatTaskId(task)}, or for good: yardmaster cancel ${formatTaskId(task)}`,
  },
  API_RUN_NOT_HELD: {
    status: 409,
    says: ({ run }: { task: TaskId; run: RunId }) =>
      `${formatRunId(run)} is being started or ended right now, and nothing keeps that from coming to its end`,
    fix: ({ task }: { task: TaskId }) => `wait for it: yardmaster why ${formatTaskId(task)}`,
  },
  API_LOG_PRUNED: {
    status: 410,
    says: ({ run, at }: { run: RunId; at: string }) =>
      `the log and files of ${formatRunId(run)} are not kept any more (since ${at})`,
    fix: ({ run }: { run: RunId }) =>
      `its last words are on record: yardmaster show ${formatRunId(run)}; how long logs are kept: keep in yardmaster.yaml`,
  },
  API_LOG_ELSEWHERE: {
    status: 410,
    says: ({ run }: { run: RunId }) =>
      `${formatRunId(run)} came with an imported board; its log and files stayed in the home where it ran`,
    fix: ({ run }: { run: RunId }) => `its last words are on record here: yardmaster show ${formatRunId(run)}`,
  },
  API_BOARD_FILE_TOO_NEW: {
    status: 400,
    says: ({ format, known }: { format: number; known: number }) =>
      `the file is of form ${format}; this program knows forms up to ${known}. Nothing was imported`,
    fix: 'import it with the newer yardmaster that wrote it',
  },
  API_NO_HUB: {
    status: 409,
    says: ({ what }: { what: string }) => `no hub is up, so there is nothing to ${what}`,
    fix: 'yardmaster up',
  },
  API_EVENT_AHEAD: {
    status: 409,
    says: ({ after, last }: { after: number; last: number }) =>
      `event ${after} was asked for, but the newest one is ${last}: this is another store`,
    fix: 'read again from event 0',
  },
  API_SURPRISE: {
    status: 500,
    says: ({ reference }: { reference: string }) => `something went wrong in the hub (reference ${reference})`,
    fix: "look for the reference in the home's log/hub.log",
  },
})

const mostShown = 5

/** One sentence for all faults; the list itself travels beside it. */
function describeFaults(faults: readonly BodyFault[]): string {
  const placed = faults.filter(({ left }) => left === undefined)
  const shown = placed.slice(0, mostShown).map(({ path, says }) => `${path === '' ? 'the request' : path} ${says}`)
  const more = placed.length - shown.length + (faults.at(-1)?.left ?? 0)
  return `${shown.join(' · ')}${more === 0 ? '' : ` (and ${more} more)`}`
}

/** `T99 (there is none), T5 (this attempt did not make it)`; at most ten of them. */
function sayBadTasks(bad: readonly (readonly [number, string])[]): string {
  const shown = bad.slice(0, 10).map(([id, why]) => `${formatTaskId(taskId(id))} (${why})`)
  return [...shown, ...(bad.length > shown.length ? [`${bad.length - shown.length} more`] : [])].join(', ')
}
