export { type AttachmentView, AttachQuery } from './attachments.ts'
export { BoardFileHeader, BoardFileTask, boardFileFormat } from './board-file.ts'
export { type BodyFault, firstFaults } from './body-fault.ts'
export type { ChangeView, StageView } from './change-view.ts'
export { CleanBody, type CleanedView, type CleanView } from './clean.ts'
export { defaultBoard } from './default-board.ts'
export { oneLine, taskFields } from './fields.ts'
export type { HealthView } from './health-view.ts'
export {
  ArchiveBody,
  type ArchivedView,
  BackupBody,
  type BackupView,
  ExportQuery,
  ImportBody,
  type ImportView,
  ReleaseBody,
} from './keep.ts'
export { notYet, strictObject } from './not-yet.ts'
export { type ParsedBody, parseBody, parseQuery } from './parse-body.ts'
export {
  BatchLimitsBody,
  BatchTaskBody,
  DefaultsBody,
  DownBody,
  EditTaskBody,
  EventsQuery,
  HoldBody,
  ListBatchesQuery,
  ListTasksQuery,
  LogQuery,
  NewBatchBody,
  NewTaskBody,
  TextBody,
} from './requests.ts'
export { apiBase, type TaskVerb, taskVerbs } from './routes.ts'
export {
  type RunAnswerView,
  RunBlockBody,
  RunCommentBody,
  type RunCommentView,
  RunCompleteBody,
  RunCreateBody,
  RunHeartbeatBody,
  RunLinkBody,
  RunNewsQuery,
  type RunNewsView,
  RunOwnQuery,
  type RunOwnView,
  RunReviewBody,
  RunTasksQuery,
  type RunTasksView,
  type RunTaskView,
  RunWaitBody,
  runCalls,
} from './run-calls.ts'
export { longestTitle, normaliseTitle, titleFrom } from './title.ts'
export type {
  BatchReportView,
  BatchView,
  CreatedTaskView,
  ErrorView,
  EventView,
  PageView,
  RunSummaryView,
  RunView,
  SettingView,
  SubmittedBatchView,
  TaskDetail,
  TaskView,
  WhyView,
} from './views.ts'
export { parseWallTime } from './wall-time.ts'
