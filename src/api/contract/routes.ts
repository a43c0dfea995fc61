/**
 * The routes, by name: what `client` calls and `routes` serves. Paths are under `/api/v1`; every request
 * carries `Authorization: Bearer TOKEN` (the home's `token` file) except `GET /health/live`, and may say who acts in
 * `X-Yardmaster-By` (percent-encoded; `admin` without it). Ids are numbers, with or without their letter (`T5`).
 * Everything that is not 2xx is an `ErrorView`; so is the event `fault`, with which a stream ends that cannot go on.
 *
 *   GET    /health                    HealthView
 *   GET    /health/live               204, no token
 *   POST   /tasks                     NewTaskBody            → CreatedTaskView (201 created, 200 existing)
 *   GET    /tasks                     ListTasksQuery         → PageView<TaskView>
 *   GET    /tasks/:id                                        → TaskDetail
 *   PATCH  /tasks/:id                 EditTaskBody           → TaskView
 *   GET    /tasks/:id/why                                    → WhyView
 *   GET    /tasks/:id/settings                               → SettingView[]
 *   POST   /tasks/:id/:verb           TextBody               → TaskView     verb: see taskVerbs
 *   POST   /tasks/:id/attachments?name=F  the bytes, of any content type, at most 25 MiB → 201 AttachmentView
 *   GET    /tasks/:id/attachments                            → AttachmentView[]
 *   GET    /attachments/:id                                  → the bytes, as a file to be saved
 *   POST   /tasks/:id/archive         ArchiveBody            → ArchivedView
 *   POST   /tasks/:id/unarchive                              → TaskView
 *   POST   /tasks/:id/release         ReleaseBody            → TaskView
 *   POST   /backup                    BackupBody             → BackupView
 *   POST   /clean                     CleanBody              → CleanView
 *   GET    /export?board=NAME                                → SSE: `lines` events with {at, lines}, closed by `end`
 *   POST   /import                    ImportBody             → 201 ImportView
 *   GET    /runs/:id                                         → RunView
 *   GET    /runs/:id/log?stage=S&from=N&limit=N  (stage: prepare, work or check; negative: from the end) → text/plain; headers x-log-from, x-log-next, x-log-size, x-log-open, x-log-gone
 *   GET    /runs/:id/log/follow?stage=S&from=N                       → SSE: `data` events with {text, next, gone}, closed by `end` when the run is settled, or that stage over
 *   GET    /runs/:id/patch                                   → application/octet-stream: what it changed, for `git apply`; 404 where nothing
 *   POST   /batches                   NewBatchBody           → SubmittedBatchView (201, 200)
 *   GET    /batches                                          → PageView<BatchView>
 *   GET    /batches/:ref              number or name         → BatchView
 *   GET    /batches/:ref/report                              → BatchReportView
 *   POST   /batches/:ref/cancel       TextBody               → BatchView
 *   GET    /events?after=N&task=&batch=                      → SSE of EventView, `id:` is seq, resumes by Last-Event-ID
 *   GET    /events/page?after=N&limit=N&task=&batch=         → EventView[]
 *   POST   /pause | /resume | /drain  HoldBody               → HealthView
 *   POST   /down                      DownBody               → 202 HealthView
 *
 * What an attempt calls with its own token stands in run-calls.ts.
 */
export const taskVerbs = [
  'ready',
  'block',
  'unblock',
  'answer',
  'approve',
  'reject',
  'retry',
  'stop',
  'cancel',
  'comment',
] as const
export type TaskVerb = (typeof taskVerbs)[number]

export const apiBase = '/api/v1'
