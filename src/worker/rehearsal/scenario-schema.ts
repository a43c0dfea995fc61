import Type, { type Static } from 'typebox'
import { Duration } from '../../kernel/config/index.ts'

const strict = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const Count = Type.Integer({ minimum: 0 })
const Times = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('always')], {
  description: 'how many calls it is played for; default 1',
})

/** What can go wrong on the wire. Which fields belong to which kind stands in docs/rehearsal.md. */
export const faultKinds = [
  'status',
  'no_headers',
  'stall',
  'drip',
  'cut',
  'unfinished',
  'malformed',
  'error_event',
  'json',
  'empty',
] as const

const FaultSchema = Type.Object(
  {
    kind: Type.Enum([...faultKinds]),
    times: Type.Optional(Times),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    retry_after: Type.Optional(
      Type.Union([Type.Number({ minimum: -1 }), Text], { description: 'the header Retry-After' }),
    ),
    headers: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]+$' }), Type.String())),
    error: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'what stands under `error`' })),
    body: Type.Optional(Type.String({ description: 'the whole body, byte for byte, instead of `error`' })),
    after: Type.Optional(
      Type.Integer({ minimum: 0, description: 'events of the reply that are sent before it happens; default 1' }),
    ),
  },
  strict,
)

const CallSchema = Type.Object(
  {
    tool: Text,
    with: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: 'the arguments; a text is sent as it is, also when it is no JSON',
    }),
  },
  strict,
)

const TurnSchema = Type.Object(
  {
    say: Type.Optional(Type.String()),
    silent: Type.Optional(
      Type.Boolean({ description: 'the text is sent as one, although the tool complete is offered' }),
    ),
    think: Type.Optional(Text),
    call: Type.Optional(Type.Array(CallSchema, { minItems: 1 })),
    refuse: Type.Optional(Text),
    finish: Type.Optional(Text),
    usage: Type.Optional(
      Type.Union([
        Type.Literal('none'),
        Type.Object({ input: Count, cached: Type.Optional(Count), output: Count }, strict),
      ]),
    ),
    pace: Type.Optional(Duration),
    faults: Type.Optional(Type.Array(FaultSchema, { minItems: 1 })),
  },
  strict,
)

const PlaySchema = Type.Object(
  {
    when: Type.Optional(
      Type.Union([Text, Type.Array(Text, { minItems: 1 })], {
        description: 'texts that the prompt must hold, all of them; without it the play fits every prompt',
      }),
    ),
    again: Type.Optional(Type.Boolean({ description: 'after the last turn the first comes again' })),
    turns: Type.Array(TurnSchema, { minItems: 1 }),
  },
  strict,
)

/** A scenario file of `yardmaster dev rehearsal`. */
export const ScenarioSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1, description: 'the only model that is known; default: any' })),
    key: Type.Optional(Type.String({ minLength: 1, description: 'the only API key that is accepted; default: any' })),
    plays: Type.Array(PlaySchema, { minItems: 1 }),
  },
  { ...strict, title: 'Yardmaster rehearsal scenario' },
)

export type Scenario = Static<typeof ScenarioSchema>
export type Play = Static<typeof PlaySchema>
export type Turn = Static<typeof TurnSchema>
export type WireFault = Static<typeof FaultSchema>
