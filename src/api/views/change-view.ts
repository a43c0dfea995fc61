import type { Change, Stage } from '../../board/index.ts'
import type { ChangeView, StageView } from '../contract/index.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

/** What an attempt changed, for people: the patch is a size here, its bytes have a route of their own. */
export function viewChange(change: Change): ChangeView {
  return {
    repo: withoutLogin(change.repo),
    branch: change.branch,
    base_ref: change.baseRef,
    base_commit: change.baseCommit,
    head_commit: change.headCommit,
    commits: change.commits,
    file_count: change.fileCount,
    files: change.files,
    insertions: change.insertions,
    deletions: change.deletions,
    left_overs: change.leftOvers,
    outside: change.outside,
    patch_bytes: change.patch?.bytes ?? null,
    notes: change.notes,
  }
}

export function viewStage(stage: Stage): StageView {
  return {
    kind: stage.kind,
    command: stage.command,
    exit_code: stage.exitCode,
    signal: stage.signal,
    reason: stage.reason,
    started_at: isoTime(stage.startedAtMs),
    ended_at: isoTimeOrNull(stage.endedAtMs),
    output_tail: stage.outputTail,
  }
}

/** An address may carry who logs in and with what: `https://user:token@host/…`. */
const withoutLogin = (repo: string): string => repo.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
