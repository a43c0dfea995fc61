import { type RunId, runId, type TaskId, taskId } from '../../kernel/index.ts'
import type { Attachment, NewAttachment } from '../attachment.ts'
import type { Change, ChangedFile } from '../change.ts'
import type { Stage, StageKind } from '../stage.ts'
import type { TaskStatus } from '../status.ts'
import type { Database } from './database.ts'
import { maybe } from './maybe.ts'
import attachmentsOfSql from './statements/attachments-of.sql'
import changesOfSql from './statements/changes-of.sql'
import closeStageSql from './statements/close-stage.sql'
import endStageSql from './statements/end-stage.sql'
import forgetFileSql from './statements/forget-file.sql'
import insertAttachmentSql from './statements/insert-attachment.sql'
import insertChangeSql from './statements/insert-change.sql'
import insertStageSql from './statements/insert-stage.sql'
import isFileUsedSql from './statements/is-file-used.sql'
import keptFilesSql from './statements/kept-files.sql'
import lastChangeOfSql from './statements/last-change-of.sql'
import readAttachmentSql from './statements/read-attachment.sql'
import stagesOfSql from './statements/stages-of.sql'
import startStageSql from './statements/start-stage.sql'

type OfRun = { run: RunId; fence: number }

interface StageRow {
  run: number
  kind: string
  command: string
  started_at_ms: number
  ended_at_ms: number | null
  exit_code: number | null
  signal: string | null
  reason: string | null
  output_tail: string | null
}

interface ChangeRow {
  run: number
  repo: string
  branch: string
  base_ref: string | null
  base_commit: string
  head_commit: string
  commits: number
  file_count: number
  insertions: number
  deletions: number
  files: string
  left_overs: number
  outside: string
  patch_sha256: string | null
  patch_bytes: number | null
  notes: string
}

interface AttachmentRow {
  id: number
  task: number
  run: number | null
  name: string
  media_type: string
  bytes: number
  sha256: string
  by: string
  at_ms: number
}

interface KeptFileRow {
  id: number
  status: TaskStatus
  archived_at_ms: number | null
}

/** One typed function for each statement about stages, changes and attachments. */
export function codeStatements(db: Database) {
  const stagesOf = db.many<{ run: RunId }, StageRow>(stagesOfSql)
  const changesOf = db.many<{ runs: string }, ChangeRow>(changesOfSql)
  const lastChangeOf = db.one<{ task: TaskId }, ChangeRow>(lastChangeOfSql)
  const insertChange = db.change<OfRun & ReturnType<typeof changeColumns>>(insertChangeSql)
  const insertAttachment = db.one<NewAttachment & { by: string; nowMs: number }, { id: number }>(insertAttachmentSql)
  const attachmentsOf = db.many<{ task: TaskId }, AttachmentRow>(attachmentsOfSql)
  const readAttachment = db.one<{ attachment: number }, AttachmentRow>(readAttachmentSql)
  const isFileUsed = db.one<{ sha256: string }, { used: 0 | 1 }>(isFileUsedSql)

  return {
    /** 1 when the process of the next stage may go. */
    startStage: db.change<OfRun & { stage: StageKind; pid: number; fingerprint: string; startedMonotonic: string }>(
      startStageSql,
    ),
    insertStage: db.insert<{ run: RunId; kind: Stage['kind']; command: string; nowMs: number }>(insertStageSql),
    /** 1 when the run was in that stage. */
    endStage: db.change<OfRun & { stage: StageKind; judged: string | null }>(endStageSql),
    closeStage: db.change<{
      run: RunId
      exitCode: number | null
      signal: string | null
      reason: string
      outputTail: string | null
      nowMs: number
    }>(closeStageSql),
    stagesOf: (run: RunId): readonly Stage[] => stagesOf({ run }).map(parseStageRow),
    /** 1 when it is the first of a run that is not settled. */
    insertChange: ({ fence, ...change }: Change & { readonly fence: number }): number =>
      insertChange({ run: change.run, fence, ...changeColumns(change) }),
    changesOf: (runs: readonly RunId[]): readonly Change[] =>
      changesOf({ runs: JSON.stringify(runs) }).map(parseChangeRow),
    lastChangeOf: (task: TaskId): Change | undefined => {
      const row = lastChangeOf({ task })
      return row === undefined ? undefined : parseChangeRow(row)
    },
    /** Its id. */
    insertAttachment: (of: NewAttachment & { readonly by: string; readonly nowMs: number }): number =>
      insertAttachment(of)?.id ?? 0,
    attachmentsOf: (task: TaskId): readonly Attachment[] => attachmentsOf({ task }).map(parseAttachmentRow),
    readAttachment: (attachment: number): Attachment | undefined => {
      const row = readAttachment({ attachment })
      return row === undefined ? undefined : parseAttachmentRow(row)
    },
    keptFiles: db.many<{ after: number; limit: number }, KeptFileRow>(keptFilesSql),
    forgetFile: db.change<{ attachment: number }>(forgetFileSql),
    isFileUsed: (sha256: string): boolean => isFileUsed({ sha256 })?.used === 1,
  }
}

const parseStageRow = (row: StageRow): Stage => ({
  run: runId(row.run),
  kind: row.kind as Stage['kind'],
  command: row.command,
  startedAtMs: row.started_at_ms,
  endedAtMs: row.ended_at_ms,
  exitCode: row.exit_code,
  signal: row.signal,
  reason: row.reason,
  outputTail: row.output_tail,
})

const changeColumns = ({ run, files, leftOvers, outside, patch, notes, ...plain }: Change) => ({
  ...plain,
  files: JSON.stringify(files),
  leftOvers: leftOvers ? (1 as const) : (0 as const),
  outside: JSON.stringify(outside),
  patchSha256: patch?.sha256 ?? null,
  patchBytes: patch?.bytes ?? null,
  notes: JSON.stringify(notes),
})

const parseChangeRow = (row: ChangeRow): Change => ({
  run: runId(row.run),
  repo: row.repo,
  branch: row.branch,
  baseRef: row.base_ref,
  baseCommit: row.base_commit,
  headCommit: row.head_commit,
  commits: row.commits,
  fileCount: row.file_count,
  insertions: row.insertions,
  deletions: row.deletions,
  files: JSON.parse(row.files) as readonly ChangedFile[],
  leftOvers: row.left_overs === 1,
  outside: JSON.parse(row.outside) as readonly string[],
  patch:
    row.patch_sha256 === null || row.patch_bytes === null ? null : { sha256: row.patch_sha256, bytes: row.patch_bytes },
  notes: JSON.parse(row.notes) as readonly string[],
})

const parseAttachmentRow = (row: AttachmentRow): Attachment => ({
  id: row.id,
  task: taskId(row.task),
  run: maybe(row.run, runId),
  name: row.name,
  mediaType: row.media_type,
  bytes: row.bytes,
  sha256: row.sha256,
  by: row.by,
  atMs: row.at_ms,
})
