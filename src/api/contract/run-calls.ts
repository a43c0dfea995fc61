import Type, { type Static } from 'typebox'
import { Name } from '../../kernel/config/index.ts'
import { taskFields } from './fields.ts'
import { strictObject } from './not-yet.ts'

/**
 * What an attempt calls in its own name, with `Authorization: Bearer ymr_…` (its token). It is the only thing that such a
 * token opens; the attempt is the one of the token, so no address names it. Everything that is not 2xx is an `ErrorView`:
 * `API_RUN_OVER` once it has ended, `API_RUN_HAS_CALLED` after its one terminal call, `API_RUN_STOPPING` when it is ended.
 *
 *   GET    /run?after=N               RunOwnQuery            → RunOwnView
 *   GET    /run/news?after=N&wait=S   RunNewsQuery           → RunNewsView       answered when there are some, or after S seconds
 *   POST   /run/heartbeat             RunHeartbeatBody       → RunAnswerView
 *   POST   /run/comment               RunCommentBody         → RunAnswerView     on another task: grant `comment`
 *   POST   /run/attach?name=F         the bytes              → 201 AttachmentView  a file that it hands back, at most 25 MiB
 *   GET    /run/tasks                 RunTasksQuery          → RunTasksView      of its own board
 *   POST   /run/create                RunCreateBody          → 201 RunTaskView   mostly a draft: grant `create`; of another lane also `any_lane`
 *   POST   /run/link                  RunLinkBody            → RunAnswerView     between two tasks of its board: grant `link`
 *   POST   /run/complete              RunCompleteBody        → RunAnswerView     terminal
 *   POST   /run/block                 RunBlockBody           → RunAnswerView     terminal
 *   POST   /run/review                RunReviewBody          → RunAnswerView     terminal
 *   POST   /run/wait                  RunWaitBody            → RunAnswerView     terminal
 */
export const runCalls = [
  'GET /run',
  'GET /run/news',
  'POST /run/heartbeat',
  'POST /run/comment',
  'POST /run/attach',
  'GET /run/tasks',
  'POST /run/create',
  'POST /run/link',
  'POST /run/complete',
  'POST /run/block',
  'POST /run/review',
  'POST /run/wait',
] as const

/** Characters of one text: the result of a report may be as long. */
const longestRunText = 65_536

const Text = Type.String({
  minLength: 1,
  maxLength: longestRunText,
  description: `text of 1 to ${longestRunText} characters`,
})
const Data = Type.Optional(Type.Unknown({ description: 'any JSON of at most 256 KiB, at most 100 levels deep' }))

/** `after`: the number of the last comment that it has; without it those that came since it was claimed. */
export const RunOwnQuery = Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0 })) }, strictObject())
export type RunOwnQuery = Static<typeof RunOwnQuery>

/** Longest time that a question for news is held back. */
const mostNewsWaitSeconds = 60

/** `after`: the number of the last comment that it has. `wait`: for how many seconds the answer may be held back. */
export const RunNewsQuery = Type.Object(
  {
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    wait: Type.Optional(Type.Integer({ minimum: 0, maximum: mostNewsWaitSeconds })),
  },
  strictObject(),
)
export type RunNewsQuery = Static<typeof RunNewsQuery>

const longestNote = 500

/** `note`: how far it has come, for people. */
export const RunHeartbeatBody = Type.Object(
  { note: Type.Optional(Type.String({ minLength: 1, maxLength: longestNote })) },
  strictObject(),
)
export type RunHeartbeatBody = Static<typeof RunHeartbeatBody>

const Task = Type.Integer({ minimum: 1 })

/** `task`: another one of its board. */
export const RunCommentBody = Type.Object({ text: Text, task: Type.Optional(Task) }, strictObject())
export type RunCommentBody = Static<typeof RunCommentBody>

/** Tasks of its board, those that are archived left out. `status`: one or more, with commas. */
export const RunTasksQuery = Type.Object(
  {
    status: Type.Optional(Type.String()),
    lane: Type.Optional(Name),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    after: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  strictObject(),
)
export type RunTasksQuery = Static<typeof RunTasksQuery>

/** A task of its own board, to work where its own does. A person says whether it may start, where the lane does not say `agents_may_start`. Without `lane` it is of its own lane. */
export const RunCreateBody = Type.Object(
  {
    prompt: Text,
    title: taskFields.title,
    lane: taskFields.lane,
    priority: taskFields.priority,
    labels: taskFields.labels,
    needs: Type.Optional(Type.Array(Task, { maxItems: 100 })),
  },
  strictObject(),
)
export type RunCreateBody = Static<typeof RunCreateBody>

/** `task` waits until `needs` is done; with `when: always` until it has ended. */
export const RunLinkBody = Type.Object(
  { task: Task, needs: Task, when: Type.Optional(Type.Enum(['done', 'always'])) },
  strictObject(),
)
export type RunLinkBody = Static<typeof RunLinkBody>

/**
 * The work is done. `artifacts`: files that it has made, by path, absolute or from the folder that it works in; they are
 * looked at and stored before the call counts. One that is missing, empty, outside or too large refuses it
 * (`API_BAD_ARTIFACTS`), nothing is recorded of it but an event, and the attempt goes on and may mend it. The same with
 * `created`, ids of tasks that it has made, and a list `tasks` in `data`: one that it did not make, or that there is not,
 * refuses it (`API_BAD_TASKS`). An attempt that reviews ends its result with a line `verdict: approve` or `verdict: reject`.
 */
export const RunCompleteBody = Type.Object(
  {
    result: Type.Optional(Type.String({ maxLength: longestRunText })),
    data: Data,
    artifacts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), { maxItems: 100 })),
    created: Type.Optional(Type.Array(Task, { maxItems: 100 })),
  },
  strictObject(),
)
export type RunCompleteBody = Static<typeof RunCompleteBody>

/** It cannot go on without a person. `code`: what it needs, `needs_input` where it does not say. */
export const RunBlockBody = Type.Object(
  {
    text: Text,
    code: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        description: 'a code: lower case, digits and _, a letter first',
      }),
    ),
    data: Data,
  },
  strictObject(),
)
export type RunBlockBody = Static<typeof RunBlockBody>

/** The work is done, and a person must look at it. */
export const RunReviewBody = Type.Object({ text: Text, data: Data }, strictObject())
export type RunReviewBody = Static<typeof RunReviewBody>

/** Another task must be done first: the card waits for it, and is started again then. */
export const RunWaitBody = Type.Object(
  { task: Type.Integer({ minimum: 1 }), text: Type.Optional(Text) },
  strictObject(),
)
export type RunWaitBody = Static<typeof RunWaitBody>

/** Why it is being ended, or is to be. */
interface RunStopView {
  readonly kind: string
  readonly text: string
}

export interface RunAnswerView {
  readonly run: number
  /** Its terminal call, once it has made one. */
  readonly call: string | null
  /** Somebody asks it to end. */
  readonly stop: RunStopView | null
}

/** What an attempt may know of itself. */
export interface RunOwnView extends RunAnswerView {
  readonly attempt: number
  readonly task: {
    readonly id: number
    readonly board: string
    readonly title: string
    readonly kind: 'prompt' | 'run'
    readonly lane: string
    readonly priority: number
    readonly labels: readonly string[]
    readonly prompt: string | null
    readonly run: string | readonly string[] | null
  }
  /** What came before it, at most 100 of them, with what they left. */
  readonly needs: readonly {
    readonly task: number
    readonly key: string | null
    readonly title: string
    readonly status: string
    readonly outcome: string | null
    readonly result: string | null
    readonly data: unknown
  }[]
  readonly needs_not_shown: number
  /** The newest 100 of those asked for, oldest first. */
  readonly comments: readonly RunCommentView[]
}

export interface RunCommentView {
  /** Counts from 1 in each task. */
  readonly n: number
  readonly at: string
  readonly by: string
  readonly text: string
}

/** What has happened to its task: remarks that are not its own, and whether it is to end. */
export interface RunNewsView extends RunAnswerView {
  /** For `after` of the next question. */
  readonly last: number
  readonly comments: readonly RunCommentView[]
}

/** A task as an attempt at another one sees it. */
export interface RunTaskView {
  readonly id: number
  readonly title: string
  readonly status: string
  readonly lane: string
  readonly priority: number
  /** How many of those that it waits for are not done. */
  readonly open_needs: number
  /** It was made by this attempt. */
  readonly own: boolean
}

export interface RunTasksView {
  readonly rows: readonly RunTaskView[]
  /** For `after`; null on the last page. */
  readonly next: string | null
}
