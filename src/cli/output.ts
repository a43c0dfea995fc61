import type { WriteStream } from 'node:tty'
import type { ByteOutput, CliDeps } from './command.ts'

/** Columns and lines of something that is no terminal: nothing is cut for a pipe. */
export const unbounded = 1_000

/** An output whose end can be waited for. */
export interface ProcessOutput extends ByteOutput {
  /** Resolves once all that was written has left for its reader, or the reader has gone. */
  written(): Promise<void>
}

/**
 * An `Output` over a stream of the process. A reader that went away (EPIPE) ends it quietly; any other fault, a full
 * disk under `> file` for one, is told to `onFault`, because an answer that was not written must not look like success.
 */
export function outputTo(
  stream: WriteStream | NodeJS.WritableStream,
  { env, onFault }: { readonly env: CliDeps['env']; readonly onFault: (fault: Error) => void },
): ProcessOutput {
  const closed = new AbortController()
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE' || fault.code === 'ERR_STREAM_DESTROYED') closed.abort()
    else onFault(fault)
  })
  const terminal = 'isTTY' in stream && stream.isTTY ? stream : undefined
  return {
    write(text) {
      if (!closed.signal.aborted) stream.write(text)
    },
    writeBytes: (bytes) =>
      new Promise((resolve) => {
        if (closed.signal.aborted) resolve()
        else stream.write(bytes, () => resolve())
      }),
    // A pipe takes 64 KiB and no more until its reader reads: the rest is in our memory, and an exit would lose it.
    written: () =>
      new Promise((resolve) => {
        if (closed.signal.aborted) resolve()
        else stream.write('', () => resolve())
      }),
    isTerminal: terminal !== undefined,
    width: () => positive(env.COLUMNS) ?? (terminal?.columns || unbounded),
    height: () => terminal?.rows || unbounded,
    closed: closed.signal,
  }
}

/** Whether answers are coloured: FORCE_COLOR, then NO_COLOR (no-color.org), then a terminal that is not dumb. */
export function wantsColour(env: CliDeps['env'], isTerminal: boolean): boolean {
  const forced = env.FORCE_COLOR
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return isTerminal && env.TERM !== 'dumb'
}

/** One JSON document on a line of its own: the whole answer of a verb, or one row of a stream. */
export function writeJson({ out }: Pick<CliDeps, 'out'>, value: unknown): void {
  // The log of a GitHub runner takes `##[` anywhere for a command. Escaped it is the same JSON.
  out.write(`${JSON.stringify(value).replaceAll('##[', '#\\u0023[')}\n`)
}

/** For a reading verb whose targets (`@failed`) are a group that is empty: silence would look like a fault. */
export function sayNoneOfThese({ err, flags }: Pick<CliDeps, 'err' | 'flags'>): void {
  if (!flags.json && !flags.quiet) err.write('No task of these.\n')
}

function positive(text: string | undefined): number | undefined {
  const n = Number(text)
  return Number.isInteger(n) && n > 0 ? n : undefined
}
