import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { Colors } from 'picocolors/types.js'
import type { Client } from '../api/client/index.ts'
import type { YardConfig } from '../kernel/config/index.ts'
import type { Clock } from '../kernel/index.ts'
import type {
  applyPatches,
  examineYard,
  findHub,
  findReplay,
  lookAround,
  openStore,
  readStore,
  restoreHome,
  startHub,
  startRehearsal,
} from '../main.ts'
import type { GithubRunner } from './github/github-runner.ts'

/**
 * How a command of the command line is made.
 *
 * A file under `commands/` exports one `registerX(program, commands)`: it declares the verb, its arguments and its
 * own options on commander and gives its body to `commands.answer`. The body gets everything it may touch and answers
 * the exit code. What it throws is printed by `main` with its fix (as JSON with `--json`): a `YardError` of the
 * caller's (4xx) ends with 2, any other error with 1.
 *
 *   export function registerWait(program: Command, commands: Commands): void {
 *     program
 *       .command('wait')
 *       .argument('<batch>', 'its id or name')
 *       .description('wait for the end of a batch and answer with its exit code')
 *       .action(commands.answer<{ timeout?: string }>(async (deps, { args: [batch], options }) => { …; return 0 }))
 *   }
 *
 * The flags of every verb (`--json -q -y -b --config`) are the program's, stand anywhere on the line, and arrive in
 * `deps.flags`. Verbs must not declare options of those names.
 */
export interface Commands {
  answer<Options = object>(body: CommandBody<Options>): (...commanderGives: unknown[]) => Promise<void>
}

/**
 * `args`: the operands as typed, those after `--` included, flags taken out. `rest`: only what stands after `--`
 * (`add … -- CMD`). `options`: the verb's own, as commander names them.
 */
export type CommandBody<Options> = (
  deps: CliDeps,
  input: { readonly args: readonly string[]; readonly rest: readonly string[]; readonly options: Options },
) => Promise<number>

export type RegisterCommand = (program: Command, commands: Commands) => void

/** Everything that a command may touch. Nothing under `src/cli` but `main.ts` reads `process`. */
export interface CliDeps {
  /** Answers. With `--json`: one document or one per line, and nothing else. */
  readonly out: Output
  /** Progress, remarks and errors: what a program that reads `out` should not get. */
  readonly err: Output
  /** `out` for what a program takes byte for byte (a patch): under GitHub, too, nothing is made harmless in it. */
  readonly bytes: ByteOutput
  /** The GitHub runner that we work under, and where it takes commands; undefined anywhere else. */
  readonly github: { readonly runner: GithubRunner; readonly commands: Output } | undefined
  readonly stdin: Input
  /** Colours of answers on `out`; each gives the text back unchanged where colour is off. */
  readonly paint: Colors
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly cwd: string
  /** Of this process. */
  readonly pid: number
  readonly clock: Clock
  readonly version: string
  /** Program and first arguments that start this program again, for detached hubs and chat workers. */
  readonly self: readonly string[]
  /** The home to work in, absolute: `$YARDMASTER_HOME`, else below the XDG state folder. It may not exist yet. */
  readonly home: string
  readonly flags: CliFlags
  readonly signals: Signals
  /** Finds, reads and checks `yardmaster.yaml` once; all its faults at once, as `YardError` (exit 2). */
  readonly loadConfig: () => Promise<YardConfig>
  /** The yard of `home`: its hub when one is up, else its store opened in this process. See `Yard`. */
  readonly openYard: (how?: OpenHow) => Promise<Yard>
  /** The composition root, for the verbs that start something themselves (`up`, `run`, `dev`). */
  readonly main: {
    readonly startHub: typeof startHub
    readonly findHub: typeof findHub
    readonly lookAround: typeof lookAround
    readonly openStore: typeof openStore
    readonly readStore: typeof readStore
    readonly startRehearsal: typeof startRehearsal
    readonly findReplay: typeof findReplay
    readonly examineYard: typeof examineYard
    readonly restoreHome: typeof restoreHome
    readonly applyPatches: typeof applyPatches
  }
}

/** One that takes bytes as they are, too. */
export interface ByteOutput extends Output {
  /** Resolves when there is room for more, so that a reader that is slow does not fill our memory. */
  writeBytes(bytes: Uint8Array): Promise<void>
}

/** A stream that text is written to. After its reader has gone (EPIPE) writing is allowed and does nothing. */
export interface Output {
  write(text: string): void
  readonly isTerminal: boolean
  /** Columns now: `$COLUMNS`, else of the terminal; 1,000 where neither is known, so that nothing is cut for a pipe. */
  width(): number
  /** Lines now, of the terminal; 1,000 where there is none. */
  height(): number
  /** Fires when nobody reads any more: streams (`log -f`, `watch`) end then, work (`run`) goes on. */
  readonly closed: AbortSignal
}

export interface Input {
  readonly isTerminal: boolean
  /** All of it, as UTF-8 text. */
  readAll(): Promise<string>
  /** For reading single keys while a batch runs; raw mode must be switched off again by whoever switched it on. */
  readonly stream: Readable & { setRawMode?(mode: boolean): unknown }
}

export interface CliFlags {
  readonly json: boolean
  readonly quiet: boolean
  /** Do not ask. */
  readonly yes: boolean
  /** `-b BOARD`, where it was given. */
  readonly board: string | undefined
  /** `--config FILE`, absolute, where it was given. */
  readonly config: string | undefined
}

export const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
export type Interrupt = (typeof interrupts)[number]

/** Our own signals. Until a command takes them, the first one fires `interrupted` and the program exits with 130 or 128 + n. */
export interface Signals {
  readonly interrupted: AbortSignal
  /** From now on signals only go to `listener`; the returned function gives them back. */
  take(listener: (name: Interrupt) => void): () => void
}

export interface OpenHow {
  /**
   * must_exist: `CLI_NO_YARD` where the home has no store yet. read: the same for a verb that changes nothing, which then works
   * on a full or read-only disk, too. make (the default): an empty one is made.
   */
  readonly store: 'make' | 'must_exist' | 'read'
}

/** An open yard. `hub: 'none'`: reads and edits work, what may touch a process is refused by the API with the fix. */
export interface Yard {
  readonly client: Client
  readonly hub: 'up' | 'none'
  /** Of the hub's process, for messages. */
  readonly pid: number | undefined
  close(): Promise<void>
}

/** Exit codes that every verb shares; `run` and `wait` add those of a batch's verdict. */
export const exitCode = { ok: 0, ours: 1, badInput: 2, needsPerson: 5, tryLater: 75, interrupted: 130 } as const
