export type { Batch, BatchCounts, BatchCut, BatchLimits, BatchVerdict } from './batch.ts'
export type {
  Actor,
  Board,
  Claim,
  CreatedTask,
  EndTally,
  Exited,
  Gate,
  Hold,
  Move,
  NewBatch,
  NewTask,
  Page,
  Prepare,
  PreparedClaim,
  Settled,
  Started,
  SubmittedBatch,
  TaskFilter,
  TaskPatch,
  YardLimits,
} from './board.ts'
export { boardError } from './errors.ts'
export { type BoardEvent, type EventKind, eventKinds } from './events.ts'
export { type Explanation, type WhyCode, whyCodes } from './explain.ts'
export { type Act, movesFrom } from './moves.ts'
export { type OpenBoardOptions, openBoard } from './open-board.ts'
export { type Outcome, outcomes } from './outcome.ts'
export {
  type LaneSettings,
  type Resolved,
  type ResolvedSettings,
  resolveSettings,
  type SettingOrigin,
  type SettingSources,
  settingsOf,
} from './resolve-settings.ts'
export { type Run, type RunPhase, runPhases, type StopKind, type StopReason, stopKinds, type Usage } from './run.ts'
export { isSettled, type SettledStatus, settledStatuses, type TaskStatus, taskStatuses } from './status.ts'
export type { ExitRule, Need, Rerun, Task, TaskSettings, TaskSpec, WorkspaceSpec } from './task.ts'
