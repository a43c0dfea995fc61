import { once } from 'node:events'
import { statSync } from 'node:fs'
import { execa } from 'execa'
import type { Clock } from '../../../kernel/index.ts'
import { captureFingerprint, type HostIdentity } from '../../../kernel/process/index.ts'
import { endCommands, type StartedCommand } from './end-command.ts'
import type { CommandOutput } from './output/command-output.ts'
import { type OutputPipe, openPipe } from './output/open-pipe.ts'

/** How a command ended. A time-out is our own flag, never the number 124: a command may exit with that by itself. */
export type CommandEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: CutReason }

/** Why a command was ended by us. */
export type CutReason = 'timed_out' | 'interrupted' | 'out_of_time' | 'killed' | 'closed'

/** What is started, and how it is found again. */
export interface CommandStart {
  readonly command: string
  /** Program and arguments: the shell, or what puts it into its sandbox. */
  readonly argv: readonly [string, ...string[]]
  readonly leads: StartedCommand['leads']
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly commandMarker: string
  readonly output: CommandOutput
  /** Where a pipe is made for its output. */
  readonly pipeFolder: string
}

/** How long after the end of the shell its output may still come from what it started. */
const drainMs = 2_000

/**
 * Starts a command in a process group of its own, stdin at end-of-file; every descriptor of ours but its two outputs is
 * closed in it. A sentence where it could not be started.
 */
export async function startCommand(
  { clock, host }: { readonly clock: Clock; readonly host: HostIdentity },
  start: CommandStart,
): Promise<RunningCommand | string> {
  const [program, ...args] = start.argv
  const pipe = await openPipe({ folder: start.pipeFolder, env: start.env })
  const output = (pipe?.writer ?? 'pipe') as 'pipe' // its types know no descriptor in this place
  const child = execa(program, args, {
    cwd: start.cwd,
    env: start.env,
    extendEnv: false,
    stdin: 'ignore',
    stdout: output,
    stderr: output,
    buffer: false,
    reject: false,
    detached: true,
  })
  pipe?.closeWriter()
  const settled = child.catch((fault: unknown) => fault) // with `reject: false` only our own mistakes land here
  if (child.pid === undefined) {
    pipe?.reader.destroy()
    return describeSpawnFault(await settled, start)
  }
  const leader = captureFingerprint(host, child.pid)
  const watched = { child: child as unknown as WatchedChild, leader, outputs: outputsOf(child, pipe) }
  return new RunningCommand({ clock, host }, start, watched)
}

/** What of a child process is watched. */
interface WatchedChild extends NodeJS.EventEmitter {
  readonly exitCode: number | null
  readonly signalCode: string | null
}

type Outputs = readonly (readonly ['stdout' | 'stderr', NodeJS.ReadableStream])[]

/** Through a pipe of ours both come together, in the order in which they were written. */
function outputsOf(
  child: { readonly stdout: unknown; readonly stderr: unknown },
  pipe: OutputPipe | undefined,
): Outputs {
  if (pipe !== undefined) return [['stdout', pipe.reader]]
  return (['stdout', 'stderr'] as const).map((name) => [name, child[name] as NodeJS.ReadableStream])
}

/**
 * One command from its start to its end: running, then for at most two seconds draining, then ended. The first reason to
 * cut it is the one that is told.
 */
export class RunningCommand {
  readonly command: string
  readonly started: StartedCommand
  readonly output: CommandOutput
  /** Resolves when it has ended and its output is complete, or as complete as it gets. */
  readonly ended: Promise<CommandEnd>
  readonly #clock: Clock
  readonly #host: HostIdentity
  readonly #startedMs: number
  #endedMs: number | undefined
  #end: CommandEnd | undefined
  #cutBy: CutReason | undefined
  #ending: Promise<unknown> | undefined
  #limit = new AbortController()
  #leftRunning = false

  constructor(
    deps: { readonly clock: Clock; readonly host: HostIdentity },
    { command, leads, commandMarker, output }: CommandStart,
    {
      child,
      leader,
      outputs,
    }: { readonly child: WatchedChild; readonly leader: StartedCommand['leader']; readonly outputs: Outputs },
  ) {
    this.command = command
    this.started = { leader, commandMarker, leads }
    this.output = output
    this.#clock = deps.clock
    this.#host = deps.host
    this.#startedMs = deps.clock.monotonicMs()
    this.ended = this.#watch(child, outputs)
  }

  /** Undefined while it runs. */
  get end(): CommandEnd | undefined {
    return this.#end
  }

  get elapsedMs(): number {
    return (this.#endedMs ?? this.#clock.monotonicMs()) - this.#startedMs
  }

  /** Something that it started still runs and holds its output open. */
  get leftRunning(): boolean {
    return this.#leftRunning
  }

  /** From now on it may run so long since its start; undefined: as long as it likes. */
  limitTo(limitMs: number | undefined): void {
    this.#limit.abort()
    this.#limit = new AbortController()
    if (limitMs === undefined || this.#endedMs !== undefined) return
    this.#clock.after(limitMs - this.elapsedMs, this.#limit.signal, () => this.cut('timed_out'))
  }

  /**
   * Ends it with everything that it has started. Ordinary when it has ended already. `ending`: somebody sees to that for
   * several at once.
   */
  cut(by: CutReason, ending?: Promise<unknown>): void {
    if (this.#end !== undefined) return
    this.#cutBy ??= by
    this.#ending ??= ending ?? endCommands({ clock: this.#clock, host: this.#host }, [this.started], by)
  }

  async #watch(child: WatchedChild, outputs: Outputs): Promise<CommandEnd> {
    for (const [name, stream] of outputs) stream.on('data', (chunk: Buffer) => this.output.add(name, chunk))
    const closed = Promise.all(outputs.map(([, stream]) => once(stream, 'close')))
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    this.#endedMs = this.#clock.monotonicMs()
    this.#limit.abort() // it has kept it
    const over = new AbortController()
    const late = this.#clock.sleep(drainMs, over.signal).then(
      () => 'late' as const,
      () => 'drained' as const, // everything was there before
    )
    const drained = await Promise.race([closed.then(() => 'drained' as const), late])
    over.abort()
    await this.#ending
    if (drained === 'late') {
      this.#leftRunning = this.#cutBy === undefined
      for (const [, stream] of outputs) letGo(stream)
    }
    this.output.end()
    this.#end = this.#cutBy === undefined ? naturalEnd(child) : { kind: this.#cutBy }
    return this.#end
  }
}

function naturalEnd({ exitCode, signalCode }: WatchedChild): CommandEnd {
  return signalCode === null ? { kind: 'code', code: exitCode ?? 0 } : { kind: 'signal', signal: signalCode }
}

/** Goes on reading, so that what was left running is not killed by a closed pipe, but keeps nothing and holds up nobody. */
function letGo(stream: NodeJS.ReadableStream): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {})
  ;(stream as NodeJS.ReadableStream & { unref?: () => void }).unref?.()
}

function describeSpawnFault(fault: unknown, { argv, cwd }: CommandStart): string {
  const { code, message } = fault as { code?: unknown; message?: string }
  const isThere = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return isThere ? `${argv[0]} was not found on the PATH` : `the folder ${cwd} is gone`
  }
  return `the system refused to start it (${typeof code === 'string' ? code : (message ?? 'unknown reason')})`
}
