import Type, { type Static } from 'typebox'
import { Duration, Name, noNul } from '../../kernel/config/index.ts'
import { oneLine, settingFields, taskFields, WallTime } from './fields.ts'
import { strictObject } from './not-yet.ts'

const When = Type.Enum(['done', 'always'])
const Folder = Type.String({
  pattern: '^/[^\\u0000]*$',
  maxLength: 4096,
  description: 'an absolute path of a folder',
})
/** What git found around `dir`, for cards that work in a worktree of it. */
const foundAround = {
  /** Top folder of the repository that `dir` lies in. */
  repo: Type.Optional(Folder),
  /** The branch that is checked out there now. */
  repo_branch: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, ...oneLine })),
} as const
/** A card is one or the other; plain JSON Schema, so that editors know it too. */
const promptOrRun = { oneOf: [{ required: ['prompt'] }, { required: ['run'] }] }
const notBoth = { not: { required: ['prompt', 'run'] } }

export const NewTaskBody = Type.Object(
  {
    ...taskFields,
    /** Absolute folder: what `here` means for this card. */
    dir: Folder,
    ...foundAround,
    board: Type.Optional(Name),
    /** Duplicate guard: at most one open task of the board holds it. */
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...oneLine })),
    draft: Type.Optional(Type.Boolean()),
    needs: Type.Optional(Type.Array(Type.Object({ task: Type.Integer({ minimum: 1 }), when: When }, strictObject()))),
  },
  { ...strictObject('task'), ...promptOrRun, $id: 'NewTask' },
)
export type NewTaskBody = Static<typeof NewTaskBody>

export const EditTaskBody = Type.Object(
  {
    ...taskFields,
    add_needs: Type.Optional(
      Type.Array(Type.Object({ task: Type.Integer({ minimum: 1 }), when: When }, strictObject())),
    ),
    remove_needs: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
  },
  { ...strictObject('task'), ...notBoth },
)
export type EditTaskBody = Static<typeof EditTaskBody>

/** One row of a batch: the matrix is expanded, files are read, globs are resolved. */
export const BatchTaskBody = Type.Object(
  {
    ...taskFields,
    key: Type.String({ minLength: 1, maxLength: 1000, ...oneLine }),
    needs: Type.Optional(
      Type.Array(
        Type.Object({ task: Type.String({ description: 'a row key of this batch' }), when: When }, strictObject()),
      ),
    ),
    matrix: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.String(noNul), {
        additionalProperties: false,
        description: 'matrix names: lower case, digits and _, a letter first',
      }),
    ),
  },
  { ...strictObject('task'), ...promptOrRun },
)
export type BatchTaskBody = Static<typeof BatchTaskBody>

/** More tasks than any batch has. */
const mostRows = 1_000_000
const HowMany = Type.Integer({ minimum: 1, maximum: mostRows })

export const BatchLimitsBody = Type.Object(
  {
    slots: Type.Optional(HowMany),
    timeout: Type.Optional(Duration),
    stop_at: Type.Optional(WallTime),
    halt: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 1, maximum: mostRows, description: 'a number of failed tasks' }),
        Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)%$', description: 'a share from 1% to 100%' }),
      ]),
    ),
    on_wall: Type.Optional(Type.Enum(['wait', 'stop'])),
    first: Type.Optional(HowMany),
  },
  strictObject('limits'),
)
export type BatchLimitsBody = Static<typeof BatchLimitsBody>

/** What a batch's `defaults` may set. */
export const DefaultsBody = Type.Object(settingFields, strictObject('task'))
export type DefaultsBody = Static<typeof DefaultsBody>

export const NewBatchBody = Type.Object(
  {
    board: Type.Optional(Name),
    name: Type.String({ minLength: 1, maxLength: 100, ...oneLine }),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...oneLine })),
    digest: Type.String(),
    file: Type.Union([Type.String(), Type.Null()]),
    /** Absolute folder of the file: what `here` means. */
    dir: Folder,
    ...foundAround,
    limits: BatchLimitsBody,
    defaults: DefaultsBody,
    tasks: Type.Array(BatchTaskBody, { minItems: 1 }),
    mode: Type.Enum(['auto', 'resume', 'failed', 'new']),
    redo: Type.Array(Type.String()),
  },
  { ...strictObject(), $id: 'NewBatch' },
)
export type NewBatchBody = Static<typeof NewBatchBody>

export const TextBody = Type.Object({ text: Type.Optional(Type.String({ maxLength: 65_536 })) }, strictObject())
export type TextBody = Static<typeof TextBody>

export const HoldBody = Type.Object(
  {
    scope: Type.Enum(['all', 'board', 'lane', 'account']),
    name: Type.Optional(Name),
    text: Type.Optional(Type.String({ maxLength: 500 })),
  },
  strictObject(),
)
export type HoldBody = Static<typeof HoldBody>

export const DownBody = Type.Object({ mode: Type.Enum(['drain', 'now', 'replace']) }, strictObject())
export type DownBody = Static<typeof DownBody>

/** Query strings: ids as plain numbers, lists with commas. */
export const ListTasksQuery = Type.Object(
  {
    board: Type.Optional(Name),
    batch: Type.Optional(Type.Integer({ minimum: 1 })),
    lane: Type.Optional(Name),
    label: Type.Optional(Type.String({ minLength: 1 })),
    /** Exact duplicate key or row key: how the command line finds the task behind a KEY target. */
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    /** Statuses, with commas. */
    status: Type.Optional(Type.String()),
    /** Archived tasks are left out unless asked for, and unless a key names them. */
    archived: Type.Optional(Type.Enum(['without', 'only', 'with'])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    after: Type.Optional(Type.String()),
  },
  strictObject(),
)
export type ListTasksQuery = Static<typeof ListTasksQuery>

export const ListBatchesQuery = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })), after: Type.Optional(Type.String()) },
  strictObject(),
)
export type ListBatchesQuery = Static<typeof ListBatchesQuery>

/** `after`: the last event that the caller has; 0 for all. */
export const EventsQuery = Type.Object(
  {
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
    task: Type.Optional(Type.Integer({ minimum: 1 })),
    batch: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  strictObject(),
)
export type EventsQuery = Static<typeof EventsQuery>

/** Bytes of the log; a negative `from` counts from its end. `stage`: of what ran beside the work, before or after it. */
export const LogQuery = Type.Object(
  {
    stage: Type.Optional(Type.Enum(['prepare', 'work', 'check'])),
    from: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_194_304 })),
  },
  strictObject(),
)
export type LogQuery = Static<typeof LogQuery>
