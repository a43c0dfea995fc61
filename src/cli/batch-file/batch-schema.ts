import Type, { type Static } from 'typebox'
import { BatchLimitsBody, DefaultsBody, oneLine, strictObject, taskFields } from '../../api/contract/index.ts'
import { Name } from '../../kernel/config/index.ts'

const Needs = Type.Union(
  [
    Type.String({ minLength: 1, description: 'a task of this file' }),
    Type.Array(
      Type.Union([
        Type.String({ minLength: 1, description: 'a task of this file' }),
        Type.Object(
          { task: Type.String({ minLength: 1 }), when: Type.Optional(Type.Enum(['done', 'always'])) },
          strictObject(),
        ),
      ]),
    ),
  ],
  { description: 'tasks that must be done first; { task, when: always } for whatever their end' },
)

const Patterns = Type.Union([
  Type.String({ minLength: 1, description: 'a pattern such as src/**/*.ts' }),
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
])

/** One value of an axis: a text, or a row of named columns. */
const AxisEntry = Type.Union([
  Type.String({ description: 'a text' }),
  Type.Record(Type.String(), Type.String(), { minProperties: 1 }),
])

const Axis = Type.Union([
  Type.Array(AxisEntry, { minItems: 1 }),
  Type.Object({ glob: Patterns, not: Type.Optional(Patterns) }, strictObject()),
  Type.Object(
    { from: Type.String({ minLength: 1, description: 'a file (lines, CSV, JSON, JSONL) or -' }) },
    strictObject(),
  ),
])

/** `include` would read as an axis and do something else than people know it for, so it is no name of one. */
const axisName = '^(?!include$|exclude$)[a-z][a-z0-9_]*$'

const Matrix = Type.Object(
  { exclude: Type.Optional(Type.Array(Type.Record(Type.String(), Type.String()))) },
  {
    ...strictObject(),
    patternProperties: { [axisName]: Axis },
    description: 'axes: lower case, digits and _, a letter first; and exclude',
  },
)

const { prompt, ...fields } = taskFields

export const BatchTask = Type.Object(
  {
    ...fields,
    prompt: Type.Optional(
      Type.Union([
        Type.String({ minLength: 1, description: 'text' }),
        Type.Object({ file: Type.String({ minLength: 1 }) }, strictObject()),
      ]),
    ),
    needs: Type.Optional(Needs),
    matrix: Type.Optional(Matrix),
  },
  { ...strictObject('task'), oneOf: [{ required: ['prompt'] }, { required: ['run'] }] },
)

/** A batch file as people write it (files-and-cli section 2); also the JSON Schema for editors. */
export const BatchFileSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, ...oneLine })),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...oneLine })),
    board: Type.Optional(Name),
    limits: Type.Optional(BatchLimitsBody),
    defaults: Type.Optional(DefaultsBody),
    tasks: Type.Record(Type.String(), BatchTask, { description: 'keys of tasks: one line each' }),
  },
  { ...strictObject(), title: 'Yardmaster batch' },
)

export type WrittenBatch = Static<typeof BatchFileSchema>
export type WrittenTask = Static<typeof BatchTask>
export type WrittenAxis = Static<typeof Axis>
/** A matrix without its `exclude`: axes by name. */
export type WrittenMatrix = Readonly<Record<string, WrittenAxis>> & {
  readonly exclude?: readonly Readonly<Record<string, string>>[]
}
