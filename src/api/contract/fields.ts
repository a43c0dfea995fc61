import Type from 'typebox'
import {
  Budget,
  Check,
  Duration,
  ExitRule,
  Expect,
  MayChange,
  Name,
  noNul,
  Repo,
  Size,
  WorkspaceWord,
  worktreeFields,
} from '../../kernel/config/index.ts'
import { strictObject } from './not-yet.ts'
import { longestTitle } from './title.ts'
import { wallTimePattern } from './wall-time.ts'

/** A local wall-clock time (`07:30`: the next one) or an ISO date and time. Parsed with `parseWallTime`. */
export const WallTime = Type.String({
  pattern: wallTimePattern,
  description: 'a time: 07:30 (the next one), or a date such as 2026-11-30T07:30',
})
/** Keys and labels are shown in tables and typed in shells, so they are one line. */
export const oneLinePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$'
export const oneLine = { pattern: oneLinePattern, description: 'one line without control characters' } as const

const Folder = Type.String({ minLength: 1, maxLength: 4096, ...noNul })

/** Where a task works: a word, a folder of the user's, or a worktree of a repository. */
export const Workspace = Type.Union(
  [
    WorkspaceWord,
    Type.Object(
      {
        dir: Folder,
        shared: Type.Optional(Type.Boolean({ description: 'true: several tasks may work there at a time' })),
      },
      strictObject(),
    ),
    Type.Object({ repo: Type.Optional(Repo), ...worktreeFields }, { ...strictObject(), minProperties: 1 }),
  ],
  {
    description:
      'where it works. Built in: a worktree for a prompt inside a git repository, an empty folder for another, here for a command',
  },
)

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
  env: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      Type.String({ maxLength: 131_072, ...noNul }),
      // Without it JSON Schema lets names through that do not match the pattern.
      { additionalProperties: false, description: 'variables: letters, digits and _, no leading digit' },
    ),
  ),
  workspace: Type.Optional(Workspace),
  check: Type.Optional(Check),
  may_change: Type.Optional(MayChange),
  expect: Type.Optional(Expect),
  review: Type.Optional(
    Type.String({ ...Name, description: 'who says whether the work counts: none, person, or a lane for prompts' }),
  ),
  budget: Type.Optional(Budget),
  exits: Type.Optional(Type.Array(ExitRule)),
  keeps: Type.Optional(
    Type.Boolean({
      description:
        'processes that it starts in a session of their own (setsid) may outlive it, its limits and restarts, and only those; a stop or cancel by a person ends them, too',
    }),
  ),
  grace: Type.Optional(Duration),
  memory: Type.Optional(Type.Union([Size, Type.Literal('off')])),
  log_limit: Type.Optional(Size),
  priority: Type.Optional(Type.Integer({ minimum: -9, maximum: 9 })),
  labels: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 64,
        ...oneLine,
      }),
    ),
  ),
} as const

/** Fields of one card, as the API takes it (the batch file adds `matrix` and files, which the CLI resolves first). */
export const taskFields = {
  ...settingFields,
  title: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: longestTitle,
      description: 'one line; where absent made from the prompt or command, of rows of one shell text from their keys',
    }),
  ),
  prompt: Type.Optional(Type.String({ minLength: 1, description: 'some text' })),
  run: Type.Optional(
    Type.Union([Type.String({ minLength: 1, ...noNul }), Type.Array(Type.String(noNul), { minItems: 1 })]),
  ),
  start_after: Type.Optional(WallTime),
} as const
