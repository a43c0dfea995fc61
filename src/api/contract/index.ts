export { Duration, ExitRule, Name, settingFields, taskFields, WallTime, Workspace } from './fields.ts'
export {
  BatchLimitsBody,
  BatchTaskBody,
  DownBody,
  EditTaskBody,
  HoldBody,
  ListTasksQuery,
  NewBatchBody,
  NewTaskBody,
  TextBody,
} from './requests.ts'
export { apiBase, type TaskVerb, taskVerbs } from './routes.ts'
export type {
  BatchReportView,
  BatchView,
  CreatedTaskView,
  ErrorView,
  EventView,
  HealthView,
  PageView,
  RunView,
  SettingView,
  SubmittedBatchView,
  TaskDetail,
  TaskView,
  WhyView,
} from './views.ts'
