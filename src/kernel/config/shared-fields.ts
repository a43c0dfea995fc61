import Type from 'typebox'
import { namePattern, sizePattern } from '../index.ts'
import { notYetKeyword } from './check-shape.ts'

// Fields that yardmaster.yaml, batch files and the API have in common: said once, so that they cannot drift apart.

/** Options of an object schema that refuses unknown fields, and those in `later` as not available yet. */
export const strict = (later: readonly string[] = []) => ({
  additionalProperties: false as const,
  ...(later.length === 0 ? {} : { [notYetKeyword]: later }),
})

/** As a pattern of JSON Schema: what `parseDuration` reads, and not 0. */
export const durationPattern = '^(?=.*[1-9])(\\d{1,9}(\\.\\d{1,3})?(ms|s|m|h|d))+$'

/** The system ends arguments, variables and paths at a NUL byte: what holds one cannot be started as written. */
export const noNul = { pattern: '^[^\\u0000]*$', description: 'text without NUL bytes' } as const

/** `30s`, `20m`, `5h`, `1h30m`; never 0. Parsed with `parseDuration` after the shape was checked. */
export const Duration = Type.String({
  pattern: durationPattern,
  maxLength: 40,
  description: 'a duration such as 30s, 20m or 5h, longer than nothing',
})

/** `5GiB`, `512MB`; never 0. Parsed with `parseSize` after the shape was checked. */
export const Size = Type.String({
  pattern: sizePattern,
  maxLength: 40,
  description: 'a size such as 5GiB or 512MB, more than nothing',
})

/** Of boards, lanes and accounts. */
export const Name = Type.String({
  pattern: namePattern,
  description: 'a name: lower case, digits, - and _, at most 64, no leading dash',
})

const Code = Type.Integer({ minimum: 0, maximum: 255 })

/** What an exit code, or a text in the last lines, means (files-and-cli section 1). */
export const ExitRule = Type.Object(
  {
    code: Type.Optional(Type.Union([Code, Type.Array(Code, { minItems: 1 })])),
    output: Type.Optional(
      Type.String({ minLength: 1, description: 'a text that the last lines of the output must contain' }),
    ),
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    then: Type.Enum(['done', 'retry', 'fail', 'later', 'wall', 'block']),
    why: Type.Optional(Type.String({ maxLength: 500 })),
  },
  {
    ...strict(),
    oneOf: [{ required: ['code'] }, { required: ['output'] }],
    description: 'what an exit code or a text in the output means; first match wins, then the built-in table',
  },
)
