import Type, { type Static } from 'typebox'
import { Name, noNul } from '../../kernel/config/index.ts'
import { statusWords } from '../../kernel/index.ts'
import { oneLinePattern, settingFields } from './fields.ts'
import { strictObject } from './not-yet.ts'
import { longestTitle } from './title.ts'

// A board as a file: JSON Lines, a header and then one line for each task, in the order of their numbers. Fields are those
// of the API and of batch files; the rest is a task's history.

/** Of this form of file; one of a greater number is refused. */
export const boardFileFormat = 1

export const BoardFileHeader = Type.Object(
  {
    yardmaster: Type.Literal('board'),
    format: Type.Integer({ minimum: 1 }),
    board: Name,
    exported_at: Type.String(),
    /** How many lines follow. */
    tasks: Type.Integer({ minimum: 1 }),
  },
  strictObject(),
)
export type BoardFileHeader = Static<typeof BoardFileHeader>

const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z$',
  description: 'a moment such as 2026-11-29T18:00:00.000Z',
})
const MaybeMoment = Type.Union([Moment, Type.Null()])
const Words = Type.String({ description: 'some text' })
const MaybeText = Type.Union([Words, Type.Null()])
/** Larger ones are not exact, and no column takes the largest. */
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Ordinal = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** The next attempt counts on from here. */
const Attempt = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
/** Of a process, or what another system calls one: 32 bits. */
const ExitCode = Type.Integer({ minimum: -2_147_483_648, maximum: 4_294_967_295 })

const Folder = Type.String({
  pattern: '^/[^\\u0000]*$',
  maxLength: 4096,
  description: 'an absolute path of a folder',
})

/** The statuses of tasks are the words that people read, by their codes. */
const statuses = Object.keys(statusWords) as (keyof typeof statusWords)[]

/** An ended attempt. */
const RunLine = Type.Object(
  {
    attempt: Attempt,
    lane: Name,
    account: MaybeText,
    /** As the API names it. */
    outcome: Words,
    reason: Words,
    exit_code: Type.Union([ExitCode, Type.Null()]),
    signal: MaybeText,
    output_tail: MaybeText,
    result: MaybeText,
    data: Type.Unknown(),
    /** What it said of its own end; a wait is not told, since the task that it names has another number elsewhere. */
    call: Type.Optional(
      Type.Union([
        Type.Object(
          { kind: Type.Enum(['complete', 'block', 'review']), code: MaybeText, text: Words, at: Moment },
          strictObject(),
        ),
        Type.Null(),
      ]),
    ),
    /** Of our own agent; absent in files of before. */
    spent: Type.Optional(
      Type.Union([
        Type.Object(
          {
            model: MaybeText,
            cost_usd: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
            counts: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), Count, {
              additionalProperties: false,
            }),
            compactions: Count,
            refusal: Type.Optional(
              Type.Object(
                {
                  ...{ class: Words, reason: Words, provider: MaybeText, code: MaybeText, request_id: MaybeText },
                  status: Type.Union([Type.Number(), Type.Null()]),
                },
                strictObject(),
              ),
            ),
          },
          strictObject(),
        ),
        Type.Null(),
      ]),
    ),
    usage: Type.Union([
      Type.Object({ input_tokens: Count, cached_tokens: Count, output_tokens: Count, calls: Count }, strictObject()),
      Type.Null(),
    ]),
    claimed_at: Moment,
    exited_at: Moment,
    settled_at: Moment,
    peak_rss_bytes: Type.Union([Count, Type.Null()]),
    cpu_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
    released_by: MaybeText,
  },
  strictObject(),
)

export const BoardFileTask = Type.Object(
  {
    ...settingFields,
    lane: Name,
    /** Its number there; it gets another one. */
    task: Ordinal,
    title: Type.String({ minLength: 1, maxLength: longestTitle, pattern: oneLinePattern, description: 'one line' }),
    prompt: Type.Optional(Type.String({ minLength: 1, description: 'some text' })),
    run: Type.Optional(
      Type.Union([Type.String({ minLength: 1, ...noNul }), Type.Array(Type.String(noNul), { minItems: 1 })]),
    ),
    dir: Folder,
    /** What was found around it when the card was made. */
    repo: Type.Optional(Folder),
    repo_branch: Type.Optional(Words),
    matrix: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.String(noNul), {
        additionalProperties: false,
        description: 'matrix names: lower case, digits and _, a letter first',
      }),
    ),
    status: Type.Enum(statuses),
    key: Type.Union([
      Type.String({ minLength: 1, maxLength: 200, pattern: oneLinePattern, description: 'one line' }),
      Type.Null(),
    ]),
    /** Of the batch that it belonged to, for reading: it arrives as a task of its own. */
    batch: MaybeText,
    row_key: MaybeText,
    failures: Count,
    hold: Type.Union([Type.Object({ code: Words, text: MaybeText, by: MaybeText }, strictObject()), Type.Null()]),
    not_before: MaybeMoment,
    created_by: Words,
    created_at: Moment,
    settled_at: MaybeMoment,
    archived_at: MaybeMoment,
    archived_by: MaybeText,
    /** `outside`: on another board, which is not in this file. `met`: satisfied when the file was made. */
    needs: Type.Array(
      Type.Object(
        { task: Ordinal, when: Type.Enum(['done', 'always']), outside: Type.Boolean(), met: Type.Boolean() },
        strictObject(),
      ),
    ),
    comments: Type.Array(Type.Object({ at: Moment, by: Words, text: Words }, strictObject())),
    runs: Type.Array(RunLine),
    /** Secrets that were not written into the file: `env.API_KEY`. */
    left_out: Type.Array(Words),
  },
  { ...strictObject('task'), oneOf: [{ required: ['prompt'] }, { required: ['run'] }] },
)
export type BoardFileTask = Static<typeof BoardFileTask>
