import type { Clock } from '../../../kernel/index.ts'
import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { CommandSurroundings } from './command-environment.ts'

/** What the commands of one worker are started with, and within which limits. */
export interface CommandDeskDeps extends CommandSurroundings {
  readonly clock: Clock
  /** Real path of the folder that commands start in. */
  readonly workspace: string
  /** One line for people; masked by the one who writes it. */
  readonly log: (line: string) => void
  /** How long a command may run where the model says nothing. */
  readonly commandTimeoutMs: number
  /** Folder for outputs that are too long to be read at once, one file each. It is made at the first of them. */
  readonly spillFolder: string
  /** Whether the spilled outputs outlive the worker, then masked: in a run directory they do, in a folder of its own they do not. */
  readonly spilled: 'kept' | 'removed'
  /** How often the log tells of a command that runs; 0: never. Less than a minute counts as a minute. */
  readonly heartbeatMs: number
  /** Called with each heartbeat, for whoever tells others that the worker is alive. */
  readonly onBeat?: ((beat: CommandBeat) => void) | undefined
  /** Absent: commands see what the worker sees. */
  readonly sandbox?: SandboxOrder | undefined
  /** Commands that the operator forbids; `*` stands for any text: `git push*`. */
  readonly deniedCommands?: readonly string[] | undefined
  /** Commands that a person has to allow first. A worker cannot ask for that, so they are not run. */
  readonly approvalCommands?: readonly string[] | undefined
  /** Further looks at a command before it is started. One that does not answer in time, or breaks, is a no. */
  readonly guards?: readonly CommandGuard[] | undefined
}

export interface CommandBeat {
  readonly command: string
  readonly elapsedMs: number
  readonly outputBytes: number
  /** Whether it has printed anything since the beat before. */
  readonly grew: boolean
}

/** Looks at a command before it is started. */
export type CommandGuard = (command: string, signal: AbortSignal) => Promise<GuardAnswer>

export type GuardAnswer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly says: string }
  | { readonly kind: 'needs_approval'; readonly says: string }

/** Commands that see a read-only system, their workspace and little else. */
export interface SandboxOrder {
  readonly network: 'on' | 'off'
  /** Files and folders that commands must not see, besides the home: run directory, yard home, files with keys. */
  readonly hidden: readonly string[]
  /** Files and folders that they may read although they lie in something that is hidden. */
  readonly readable: readonly string[]
}

/** A command that runs in the background now. */
export interface BackgroundLook {
  readonly id: string
  readonly command: string
  readonly elapsedMs: number
}

/** A command that was still there when the worker ended. */
export interface LeftCommand {
  /** Null: it was not sent into the background, its shell has ended, and something that it started was still there. */
  readonly id: string | null
  readonly command: string
  readonly elapsedMs: number
  /** ended: nothing of it is left. survived: something of it could not be ended. */
  readonly end: 'ended' | 'survived'
}

/** What is loaded at the first command, since a worker that runs none should not pay for it. */
export interface OpenCommands {
  runInTerminal(args: ToolArguments, order: ToolOrder): Promise<ToolResult>
  actOnProcess(args: ToolArguments, order: ToolOrder): Promise<ToolResult>
  inBackground(): readonly BackgroundLook[]
  checkSandbox(): Promise<void>
  closeAll(): Promise<readonly LeftCommand[]>
  killNow(): void
}
