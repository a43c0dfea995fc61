export type { Attachment, NewAttachment } from './attachment.ts'
export type { Batch, BatchLimits } from './batch.ts'
export type {
  Actor,
  Board,
  TaskPatch,
  YardLimits,
} from './board.ts'
export type { CopiedRun, CopiedTask } from './board-copy.ts'
export type { BoardReader, TaskFilter } from './board-reader.ts'
export type { Change } from './change.ts'
export { checkStore } from './check-store.ts'
export type { BoardEvent, EventKind } from './events.ts'
export type { Explanation, HubPresence } from './explain.ts'
export type { Gate } from './gate.ts'
export type { Hold } from './hold.ts'
export type { HubIdentity, HubStart } from './hub-start.ts'
export type { NewBatch, NewTask, SubmittedBatch } from './new-tasks.ts'
export { openBoard, openBoardCopy } from './open-board.ts'
export { type Outcome, outcomes } from './outcome.ts'
export { type NeedLeft, readNeed } from './read-need.ts'
export { refuseBadBackup } from './refuse-bad-backup.ts'
export { refuseUnknownStore } from './refuse-unknown-store.ts'
export { type Resolved, type ResolvedSettings, resolveSettings, settingsOf } from './resolve-settings.ts'
export { type Restored, restoreStore } from './restore-store.ts'
export type { KeptFile, KeptPlace, KeptRun } from './retention.ts'
export {
  type CallKind,
  type HardStopKind,
  isHardStop,
  isImported,
  type Refusal,
  type Run,
  type RunSummary,
  type StopKind,
  type StopReason,
  type TerminalCall,
} from './run.ts'
export type {
  CallAnswer,
  NewCall,
  TokenHolder,
} from './run-calls.ts'
export type {
  Claim,
  ClaimedAs,
  EndTally,
  Exited,
  Move,
  Prepare,
  PreparedClaim,
  Settled,
  StageOver,
  Started,
} from './run-steps.ts'
export { runTokenPrefix } from './run-token.ts'
export type { BoardSettings, LaneSettings, SettingSources } from './setting-sources.ts'
export { refuseNetwork } from './sqlite/file-system.ts'
export { findNewestBackup, findSetAside } from './sqlite/set-aside.ts'
export { type Stage, type StageKind, stageKinds } from './stage.ts'
export { isSettled, type TaskStatus, taskStatuses } from './status.ts'
export {
  builtInStageMs,
  type ExitRule,
  type Rerun,
  type ReviewSpec,
  type SetupSpec,
  type StageSpec,
  type Task,
  type TaskSettings,
  type TaskSpec,
  type WorkspaceSpec,
  type WorktreeSpec,
} from './task.ts'
export { whyImpossible } from './why-impossible.ts'
export { whyUncounted } from './why-uncounted.ts'
