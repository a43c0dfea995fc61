import Type from 'typebox'
import { allGrants, chatApis, chatSandboxes, countPattern, reasoningWords, toolNames } from '../index.ts'
import { Duration, noNul, strict } from './shared-fields.ts'

// Fields of a lane that only our own agent knows.

const Text = Type.String({ minLength: 1, ...noNul, description: 'text' })

/** `500k`, `5M` or a whole number; never 0. Read with `parseCount` after the shape was checked. */
export const Count = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: countPattern, maxLength: 40, description: 'a number such as 500k or 5M' }),
  ],
  { description: 'a whole number of at least 1, or one such as 500k or 5M' },
)

/** Of one attempt. `off` takes away what a wider setting says. */
export const Budget = Type.Object(
  {
    tokens: Type.Optional(Type.Union([...Count.anyOf, Type.Literal('off')])),
    usd: Type.Optional(
      Type.Union([
        Type.Number({ minimum: 0.000001, maximum: 1_000_000, description: 'an amount of US dollars' }),
        Type.Literal('off'),
      ]),
    ),
  },
  { ...strict(), minProperties: 1, description: 'what one attempt may use' },
)

const Amount = Type.Number({ minimum: 0, maximum: 1_000_000 })

/** USD per million tokens, by model. */
export const Prices = Type.Record(
  Type.String({ pattern: '^[^\\u0000-\\u001f]+$' }),
  Type.Object(
    { in: Amount, out: Amount, cached: Type.Optional(Amount) },
    { ...strict(), description: 'USD per million tokens' },
  ),
  { additionalProperties: false, description: 'USD per million tokens, by model' },
)

const Commands = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\u0000-\\u001f]*[^\\u0000-\\u0020][^\\u0000-\\u001f]*$',
    description: 'a command on one line, * for any text',
  }),
  { maxItems: 200 },
)

const ToolNames = Type.Array(Type.Enum([...toolNames]))

export const chatFields = {
  model: Type.Optional(
    Type.Union([Text, Type.Array(Text, { minItems: 1 })], { description: 'a name, or a list of them' }),
  ),
  system: Type.Optional(
    Type.String({ minLength: 1, ...noNul, description: "file of the system prompt, from this file's folder" }),
  ),
  tools: Type.Optional(ToolNames),
  tools_off: Type.Optional(ToolNames),
  turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  timeouts: Type.Optional(
    Type.Object(
      {
        first_byte: Type.Optional(Duration),
        first_event: Type.Optional(Duration),
        idle: Type.Optional(Duration),
        call: Type.Optional(Duration),
      },
      { ...strict(), minProperties: 1, description: 'of one call of the model' },
    ),
  ),
  budget: Type.Optional(Budget),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  reasoning: Type.Optional(Type.Enum([...reasoningWords])),
  output_tokens: Type.Optional(Count),
  context_tokens: Type.Optional(Count),
  headers: Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
      Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]+$', description: 'text on one line' }),
      {
        additionalProperties: false,
        description: 'names of HTTP headers: letters, digits and -',
      },
    ),
  ),
  api: Type.Optional(Type.Enum([...chatApis])),
  sandbox: Type.Optional(Type.Enum([...chatSandboxes])),
  denied_commands: Type.Optional(Commands),
  approval_commands: Type.Optional(Commands),
  heartbeat: Type.Optional(Type.Union([Duration, Type.Literal('off')])),
  transcript: Type.Optional(Type.Enum(['on', 'off'])),
  grants: Type.Optional(Type.Array(Type.Enum([...allGrants]))),
  agents_may_start: Type.Optional(
    Type.Boolean({ description: 'true: cards that its agents make start at once; else they are drafts' }),
  ),
} as const
