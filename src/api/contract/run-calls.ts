import Type, { type Static } from 'typebox'
import { strictObject } from './not-yet.ts'

/**
 * What an attempt calls in its own name, with `Authorization: Bearer ymr_…` (its token). It is the only thing that such a
 * token opens; the attempt is the one of the token, so no address names it. Everything that is not 2xx is an `ErrorView`:
 * `API_RUN_OVER` once it has ended, `API_RUN_HAS_CALLED` after its one terminal call, `API_RUN_STOPPING` when it is ended.
 *
 *   GET    /run?after=N               RunOwnQuery            → RunOwnView
 *   POST   /run/heartbeat             RunHeartbeatBody       → RunAnswerView
 *   POST   /run/comment               RunCommentBody         → RunAnswerView
 *   POST   /run/attach?name=F         the bytes              → 201 AttachmentView  a file that it hands back, at most 25 MiB
 *   POST   /run/complete              RunCompleteBody        → RunAnswerView     terminal
 *   POST   /run/block                 RunBlockBody           → RunAnswerView     terminal
 *   POST   /run/review                RunReviewBody          → RunAnswerView     terminal
 *   POST   /run/wait                  RunWaitBody            → RunAnswerView     terminal
 */
export const runCalls = [
  'GET /run',
  'POST /run/heartbeat',
  'POST /run/comment',
  'POST /run/attach',
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

export const RunHeartbeatBody = Type.Object({}, strictObject())

export const RunCommentBody = Type.Object({ text: Text }, strictObject())
export type RunCommentBody = Static<typeof RunCommentBody>

/**
 * The work is done. `artifacts`: files that it has made, by path, absolute or from the folder that it works in; they are
 * looked at and stored before the call counts. One that is missing, empty, outside or too large refuses it
 * (`API_BAD_ARTIFACTS`), nothing is recorded of it but an event, and the attempt goes on and may mend it.
 */
export const RunCompleteBody = Type.Object(
  {
    result: Type.Optional(Type.String({ maxLength: longestRunText })),
    data: Data,
    artifacts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), { maxItems: 100 })),
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
  /** The newest 100 of those asked for, oldest first. `n` counts from 1 in each task. */
  readonly comments: readonly { readonly n: number; readonly at: string; readonly by: string; readonly text: string }[]
}
