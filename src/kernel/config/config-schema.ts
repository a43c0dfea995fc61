import Type, { type Static } from 'typebox'
import { namePattern } from '../index.ts'
import { Budget, chatFields, Prices } from './chat-fields.ts'
import { notYetKeyword, secretKeyword } from './check-shape.ts'
import { Check, Repo, Setup, WorkspaceWord, worktreeFields } from './code-fields.ts'
import { Duration, ExitRule, Name, noNul, Size, strict } from './shared-fields.ts'

/** Keys of yardmaster.yaml that later parts bring (files-and-cli section 1): refused by name, never ignored. */
const notYet = {
  yard: ['pools', 'notify'],
  account: ['budget'],
  uses: ['claude', 'codex'],
  lane: ['args', 'takes', 'check'],
} as const

const ByName = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Record(Type.String({ pattern: namePattern }), value, {
    additionalProperties: false,
    description: `${description}; names: lower case, digits, - and _, at most 64, no leading dash`,
  })
const Text = Type.String({ minLength: 1, ...noNul, description: 'text' })
const Slots = Type.Integer({ minimum: 1, maximum: 1000, description: 'workers at once' })

const secretPlaces = [
  Type.Object({ env: Text }, strict()),
  Type.Object({ file: Text }, strict()),
  Type.Object({ command: Type.Array(Type.String(noNul), { minItems: 1 }) }, strict()),
] as const

const SecretRef = Type.Union([Type.Literal('none'), ...secretPlaces], {
  [secretKeyword]: true,
  description: 'where the key comes from: { env: NAME }, { file: PATH }, { command: [pass, show, openai] } or none',
})

/** A value, or where a secret comes from: it is read at each start and never stored. */
const EnvValue = Type.Union([Type.String({ ...noNul }), ...secretPlaces], {
  [secretKeyword]: true,
  description: 'text, or where a secret comes from: { env: NAME }, { file: PATH } or { command: [pass, show, x] }',
})

const Account = Type.Object(
  {
    base_url: Type.Optional(Type.String({ pattern: '^https?://[^\\s]+$', description: 'an http or https address' })),
    key: Type.Optional(SecretRef),
    slots: Type.Optional(Slots),
    prices: Type.Optional(Prices),
  },
  { ...strict(notYet.account), description: 'who pays: a provider and its credential' },
)

const Lane = Type.Object(
  {
    uses: Type.Optional(Type.Enum(['chat', 'command'], { [notYetKeyword]: notYet.uses })),
    account: Type.Optional(Name),
    ...chatFields,
    command: Type.Optional(
      Type.Array(Type.String(noNul), { minItems: 1, description: 'program and arguments for prompts' }),
    ),
    slots: Type.Optional(Slots),
    timeout: Type.Optional(Duration),
    stall: Type.Optional(Type.Union([Duration, Type.Literal('off')])),
    grace: Type.Optional(Duration),
    memory: Type.Optional(Type.Union([Size, Type.Literal('off')])),
    log_limit: Type.Optional(Size),
    log: Type.Optional(
      Type.Enum(['file', 'piped'], {
        description: 'who writes the log: the worker itself, or a small writer of ours that keeps log_limit exactly',
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), EnvValue, {
        additionalProperties: false,
        description: 'variables: letters, digits and _, no leading digit',
      }),
    ),
    pass_env: Type.Optional(
      Type.Array(
        Type.String({ pattern: '^[A-Za-z_*][A-Za-z0-9_*]*$', description: 'a variable name, * for any letters' }),
      ),
    ),
    exits: Type.Optional(Type.Array(ExitRule)),
    sysexits: Type.Optional(Type.Boolean({ description: '64 65 66 77 78 end the task for a person, without a retry' })),
  },
  { ...strict(notYet.lane), description: 'how a task is run' },
)

/** 0 is refused: it could mean "at once" to one reader and "never" to another, and a wrong guess deletes (C107). */
const KeepFor = Type.String({
  pattern: '^(forever|(?=.*[1-9])(\\d{1,9}(\\.\\d{1,3})?(ms|s|m|h|d))+)$',
  maxLength: 40,
  description: 'a duration such as 3d or 12h, or forever; never 0',
})

const Keep = Type.Object(
  { done: Type.Optional(KeepFor), failed: Type.Optional(KeepFor) },
  { ...strict(), description: 'how long logs and scratch folders of ended tasks are kept' },
)

const Board = Type.Object(
  {
    repo: Type.Optional(Repo),
    lane: Type.Optional(Name),
    check: Type.Optional(Check),
    setup: Type.Optional(Setup),
    budget: Type.Optional(Budget),
    workspace: Type.Optional(
      Type.Union([
        WorkspaceWord,
        Type.Object(worktreeFields, { ...strict(), minProperties: 1, description: 'a worktree of repo' }),
      ]),
    ),
  },
  { ...strict(), description: 'one project; repo, check and setup are for its prompts and worktrees' },
)

/** `yardmaster.yaml` as people write it; also the JSON Schema that editors complete and underline with. */
export const ConfigSchema = Type.Object(
  {
    slots: Type.Optional(Slots),
    keep: Type.Optional(Keep),
    disk_free: Type.Optional(Size),
    accounts: Type.Optional(ByName(Account, 'who pays')),
    lanes: Type.Optional(ByName(Lane, 'how tasks are run; chat and command exist unwritten')),
    boards: Type.Optional(ByName(Board, 'one per project')),
  },
  { ...strict(notYet.yard), title: 'yardmaster.yaml' },
)
export type WrittenConfig = Static<typeof ConfigSchema>
export type WrittenLane = Static<typeof Lane>
export type WrittenAccount = Static<typeof Account>
export type WrittenBoard = Static<typeof Board>
export type WrittenBudget = Static<typeof Budget>
