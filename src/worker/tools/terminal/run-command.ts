import { once } from 'node:events'
import { execa } from 'execa'
import { type Clock, systemRandom } from '../../../kernel/index.ts'
import { captureFingerprint, longestArgumentBytes, readHostIdentity } from '../../../kernel/process/index.ts'
import { buildCommandEnvironment, type CommandSurroundings } from './command-environment.ts'
import { endCommand } from './end-command.ts'
import { OutputWindow } from './output-window.ts'

/** What every command is started with. */
export interface CommandDeps extends CommandSurroundings {
  readonly clock: Clock
  /** Real path of the folder that it starts in. */
  readonly workspace: string
}

/** How a command ended. A time-out is our own flag, never the number 124: a command may exit with that by itself. */
export type CommandEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'not_started'; readonly says: string }

export interface CommandRun {
  readonly end: CommandEnd
  readonly output: string
  readonly outputBytes: number
  readonly elapsedMs: number
  /** Something that it started still runs and holds its output open. */
  readonly leftRunning: boolean
}

const outputBytes = 30_000
/** How long after the end of the shell its output may still come from what it started. */
const drainMs = 2_000

/**
 * Runs one command of the model in a process group of its own, stdin at end-of-file. This file and what it imports are
 * loaded at the first command, since a worker that runs none should not pay for them.
 */
export async function runCommand(
  deps: CommandDeps,
  order: { readonly command: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CommandRun> {
  const bytes = Buffer.byteLength(order.command)
  if (bytes > longestArgumentBytes) {
    return notStarted(`it has ${bytes} bytes, more than ${longestArgumentBytes}: write it to a file and run that`)
  }
  const { clock } = deps
  const startedMs = clock.monotonicMs()
  const host = readHostIdentity()
  const commandMarker = `chat:${systemRandom.hex(8)}`
  const child = execa('bash', ['-c', order.command], {
    cwd: deps.workspace,
    env: buildCommandEnvironment(deps, { commandMarker }),
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    detached: true,
  })
  const settled = child.catch((fault: unknown) => fault) // with `reject: false` only our own mistakes land here
  if (child.pid === undefined) return notStarted(describeSpawnFault(await settled))
  const leader = captureFingerprint(host, child.pid)
  const window = new OutputWindow({ bytes: outputBytes })
  const streams = [child.stdout, child.stderr]
  for (const stream of streams) stream.on('data', (chunk: Buffer) => window.add(chunk))
  const closed = Promise.all(streams.map((stream) => (stream.closed ? undefined : once(stream, 'close'))))

  const over = new AbortController()
  let cutBy: 'timed_out' | 'interrupted' | undefined
  let ended: Promise<void> | undefined
  const cut = (by: 'timed_out' | 'interrupted') => {
    cutBy ??= by
    if (leader !== undefined) ended ??= endCommand({ clock, host }, { leader, commandMarker }, by)
  }
  const onStop = () => cut('interrupted')
  clock.after(order.timeoutMs, over.signal, () => cut('timed_out'))
  order.signal.addEventListener('abort', onStop, { once: true })
  if (order.signal.aborted) onStop()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  over.abort()
  order.signal.removeEventListener('abort', onStop)
  await ended
  const drained = await Promise.race([closed.then(() => true), clock.sleep(drainMs).then(() => false)])
  if (!drained) for (const stream of streams) letGo(stream)
  return {
    end: cutBy === undefined ? naturalEnd(child) : { kind: cutBy },
    output: window.text(),
    outputBytes: window.totalBytes,
    elapsedMs: clock.monotonicMs() - startedMs,
    leftRunning: !drained,
  }
}

function naturalEnd(child: { readonly exitCode: number | null; readonly signalCode: string | null }): CommandEnd {
  return child.signalCode === null
    ? { kind: 'code', code: child.exitCode ?? 0 }
    : { kind: 'signal', signal: child.signalCode }
}

/** Goes on reading, so that what was left running is not killed by a closed pipe, but keeps nothing and holds up nobody. */
function letGo(stream: NodeJS.ReadableStream): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {})
  ;(stream as NodeJS.ReadableStream & { unref?: () => void }).unref?.()
}

function describeSpawnFault(fault: unknown): string {
  const { code, message } = fault as { code?: unknown; message?: string }
  if (code === 'ENOENT') return 'bash was not found on the PATH, or the workspace is gone'
  return `the system refused to start it (${typeof code === 'string' ? code : (message ?? 'unknown reason')})`
}

function notStarted(says: string): CommandRun {
  return { end: { kind: 'not_started', says }, output: '', outputBytes: 0, elapsedMs: 0, leftRunning: false }
}
