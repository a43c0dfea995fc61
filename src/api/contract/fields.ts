import Type from 'typebox'
import { namePattern } from '../../kernel/index.ts'

/** `30s`, `20m`, `5h`, `1h30m`. Parsed with `parseDuration` after the shape was checked. */
export const Duration = Type.String({
  pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$',
  description: 'a duration such as 30s, 20m or 5h',
})
export const Name = Type.String({
  pattern: namePattern,
  description: 'lower case, digits, - and _, at most 64, no leading dash',
})
/** A local wall-clock time (`07:30`: the next one) or an ISO date and time. */
export const WallTime = Type.String({
  minLength: 4,
  maxLength: 40,
  description: '"07:30" (the next one) or an ISO date and time',
})

const strict = { additionalProperties: false } as const

export const ExitRule = Type.Object(
  {
    code: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 255 }),
        Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 1 }),
      ]),
    ),
    output: Type.Optional(
      Type.String({ minLength: 1, description: 'a text that the last lines of the output must contain' }),
    ),
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    then: Type.Enum(['done', 'retry', 'fail', 'later', 'wall', 'block']),
    why: Type.Optional(Type.String()),
  },
  {
    ...strict,
    description: 'what an exit code or a text in the output means; first match wins, then the built-in table',
  },
)

/** Without `workspace.repo` and what belongs to it: that comes with a later part and is refused by name. */
export const Workspace = Type.Union([
  Type.Enum(['here', 'scratch']),
  Type.Object({ dir: Type.String({ minLength: 1 }), shared: Type.Optional(Type.Boolean()) }, strict),
])

/** Fields that a task and a batch's `defaults` may both set. */
export const settingFields = {
  lane: Type.Optional(Name),
  timeout: Type.Optional(Duration),
  stall: Type.Optional(Type.Union([Duration, Type.Literal('off')])),
  attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'how often it may fail. Built in: 2 with prompt, 1 with run',
    }),
  ),
  rerun: Type.Optional(Type.Enum(['auto', 'ask'], { description: 'what to do after a reboot or an unknowable end' })),
  env: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String())),
  workspace: Type.Optional(Workspace),
  exits: Type.Optional(Type.Array(ExitRule)),
  keeps: Type.Optional(Type.Boolean({ description: 'processes it leaves may live on' })),
  grace: Type.Optional(Duration),
  priority: Type.Optional(Type.Integer({ minimum: -9, maximum: 9 })),
  labels: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }))),
} as const

/** Fields of one card, as the API takes it (the batch file adds `matrix` and files, which the CLI resolves first). */
export const taskFields = {
  ...settingFields,
  title: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'one line; made from the prompt or command where absent',
    }),
  ),
  prompt: Type.Optional(Type.String({ minLength: 1 })),
  run: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { minItems: 1 })])),
  start_after: Type.Optional(WallTime),
} as const
