import Type from 'typebox'
import { Duration, noNul, strict } from './shared-fields.ts'

// Fields of the code that a task works on, which yardmaster.yaml, batch files and the API have in common.

/** Not only blanks, and no NUL byte. */
const commandPattern = '^(?=\\s*\\S)[^\\u0000]*$'
const CommandText = Type.String({ pattern: commandPattern, description: 'text for bash -euo pipefail -c' })
const CommandList = Type.Array(Type.String(noNul), {
  minItems: 1,
  description: 'a list of program and arguments, which meets no shell',
})
const Command = Type.Union([CommandText, CommandList], {
  description: 'the command: text for bash -euo pipefail -c, or a list, which meets no shell',
})

/** Of the top folder of the repository, downwards. */
const pathPattern = '^(?!/)(?!(?:[^/]*/)*\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f]+$'

/** A path or a glob below the top folder of a repository. */
export const RepoGlob = Type.String({
  pattern: pathPattern,
  maxLength: 4096,
  description: "a path or glob from the repository's top folder, such as src/**; no leading /, no ..",
})
const RepoGlobs = Type.Array(RepoGlob, { minItems: 1 })

/** A command of ours beside the work, in its three forms; `none` and null switch off what a wider setting says. */
export const Check = Type.Union(
  [
    Command.anyOf[0],
    Command.anyOf[1],
    Type.Object({ run: Command, timeout: Type.Optional(Duration) }, strict()),
    Type.Null({ description: 'none' }),
  ],
  {
    description:
      'run by us when the work is done, in its folder: done means that it exits with 0. none: no check, whatever a wider setting says',
  },
)

export const Setup = Type.Union(
  [
    Command.anyOf[0],
    Command.anyOf[1],
    Type.Object(
      {
        run: Command,
        timeout: Type.Optional(Duration),
        key: Type.Optional(
          Type.Array(RepoGlob, {
            minItems: 1,
            description: 'files whose contents decide whether the setup of another worktree is copied instead',
          }),
        ),
      },
      strict(),
    ),
    Type.Null({ description: 'none' }),
  ],
  {
    description: 'run once in a new worktree, before the first attempt. none: no setup, whatever a wider setting says',
  },
)

const text = { minLength: 1, maxLength: 4096, ...noNul } as const

/** A repository: a path, or what git fetches from. Read with `readRepoAddress` after the shape was checked. */
export const Repo = Type.String({ ...text, description: 'the path of a git repository, or a URL without a password' })

/** What a worktree may say besides its repository; a board says these, and its repository apart. */
export const worktreeFields = {
  ref: Type.Optional(
    Type.String({
      ...text,
      description: 'branch, tag or commit to begin from. Built in: what is checked out when the card is made',
    }),
  ),
  setup: Type.Optional(Setup),
  copy: Type.Optional(
    Type.Array(RepoGlob, { minItems: 1, description: 'ignored files to bring along, such as .env.test' }),
  ),
  fresh: Type.Optional(
    Type.Boolean({
      description: 'true: every attempt begins at the base again; what the one before left is stored as a patch first',
    }),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'of a URL: how many commits are fetched. Built in: all',
    }),
  ),
} as const

const anyOfThem = 'here: the folder of the card. scratch: an empty folder. worktree: a checkout on a branch of its own'
export const WorkspaceWord = Type.Enum(['here', 'scratch', 'worktree'], { description: anyOfThem })

export const MayChange = Type.Union([RepoGlob, RepoGlobs], {
  description: 'what the work may change, as globs; anything else is check_failed, and the files are named',
})

export const Expect = Type.Enum(['any', 'change'], {
  description: 'change: done without a change is incomplete',
})
