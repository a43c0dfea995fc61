import Type, { type Static } from 'typebox'
import { Duration, Name, settingFields, taskFields, WallTime } from './fields.ts'

const strict = { additionalProperties: false } as const
const When = Type.Enum(['done', 'always'])

export const NewTaskBody = Type.Object(
  {
    ...taskFields,
    /** Absolute folder: what `here` means for this card. */
    dir: Type.String({ pattern: '^/' }),
    board: Type.Optional(Name),
    /** Duplicate guard: at most one open task of the board holds it. */
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    draft: Type.Optional(Type.Boolean()),
    needs: Type.Optional(Type.Array(Type.Object({ task: Type.Integer({ minimum: 1 }), when: When }, strict))),
  },
  { ...strict, $id: 'NewTask' },
)
export type NewTaskBody = Static<typeof NewTaskBody>

export const EditTaskBody = Type.Object(
  {
    ...taskFields,
    add_needs: Type.Optional(Type.Array(Type.Object({ task: Type.Integer({ minimum: 1 }), when: When }, strict))),
    remove_needs: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
  },
  strict,
)
export type EditTaskBody = Static<typeof EditTaskBody>

/** One row of a batch: the matrix is expanded, files are read, globs are resolved. */
export const BatchTaskBody = Type.Object(
  {
    ...taskFields,
    key: Type.String({ minLength: 1, maxLength: 1000 }),
    needs: Type.Optional(
      Type.Array(Type.Object({ task: Type.String({ description: 'a row key of this batch' }), when: When }, strict)),
    ),
    matrix: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  strict,
)
export type BatchTaskBody = Static<typeof BatchTaskBody>

export const BatchLimitsBody = Type.Object(
  {
    slots: Type.Optional(Type.Integer({ minimum: 1 })),
    timeout: Type.Optional(Duration),
    stop_at: Type.Optional(WallTime),
    halt: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)%$' })]),
    ),
    on_wall: Type.Optional(Type.Enum(['wait', 'stop'])),
    first: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  strict,
)
export type BatchLimitsBody = Static<typeof BatchLimitsBody>

export const NewBatchBody = Type.Object(
  {
    board: Type.Optional(Name),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    digest: Type.String(),
    file: Type.Union([Type.String(), Type.Null()]),
    /** Absolute folder of the file: what `here` means. */
    dir: Type.String({ pattern: '^/' }),
    limits: BatchLimitsBody,
    defaults: Type.Object(settingFields, strict),
    tasks: Type.Array(BatchTaskBody, { minItems: 1 }),
    mode: Type.Enum(['auto', 'resume', 'failed', 'new']),
    redo: Type.Array(Type.String()),
  },
  { ...strict, $id: 'NewBatch' },
)
export type NewBatchBody = Static<typeof NewBatchBody>

export const TextBody = Type.Object({ text: Type.Optional(Type.String({ maxLength: 65_536 })) }, strict)
export type TextBody = Static<typeof TextBody>

export const HoldBody = Type.Object(
  {
    scope: Type.Enum(['all', 'board', 'lane', 'account']),
    name: Type.Optional(Name),
    text: Type.Optional(Type.String()),
  },
  strict,
)
export type HoldBody = Static<typeof HoldBody>

export const DownBody = Type.Object({ mode: Type.Enum(['drain', 'now']) }, strict)
export type DownBody = Static<typeof DownBody>

/** Query strings: ids as plain numbers, lists with commas. */
export const ListTasksQuery = Type.Object(
  {
    board: Type.Optional(Name),
    batch: Type.Optional(Type.Integer({ minimum: 1 })),
    lane: Type.Optional(Name),
    label: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    after: Type.Optional(Type.String()),
  },
  strict,
)
export type ListTasksQuery = Static<typeof ListTasksQuery>
