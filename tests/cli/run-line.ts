import { Readable } from 'node:stream'
import picocolors from 'picocolors'
import type { ByteOutput, CliDeps, Interrupt } from '../../src/cli/command.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { loadYardConfig } from '../../src/kernel/config/index.ts'
import { type Clock, systemClock } from '../../src/kernel/index.ts'
import {
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
} from '../../src/main.ts'

export interface LineOptions {
  readonly home: string
  readonly cwd?: string
  readonly env?: CliDeps['env']
  readonly stdin?: string
  /** What a person types, at a terminal that standard input is then. */
  readonly types?: string
  /** Both streams are a terminal of that many columns. */
  readonly terminal?: number
  readonly clock?: Clock
  readonly self?: readonly string[]
  /** Hears what is written on `out` as it comes. */
  readonly onOut?: (text: string) => void
  readonly onErr?: (text: string) => void
  /** Stands in for parts of the composition root, to break them. */
  readonly main?: Partial<CliDeps['main']>
  /** Ends the line as Ctrl-C does. */
  readonly interrupt?: AbortSignal
}

export interface LineAnswer {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Types one command line in this process, over the real composition root, and answers what a person would see. */
export async function runLine(argv: readonly string[], options: LineOptions): Promise<LineAnswer> {
  const out = recorded(options, options.onOut)
  const err = recorded(options, options.onErr)
  const env = options.env ?? {}
  const cwd = options.cwd ?? options.home
  const typed = options.types ?? options.stdin
  const stream = Readable.from(typed === undefined ? [] : [typed])
  const code = await runCli(
    {
      out: out.output,
      err: err.output,
      stdin: { isTerminal: options.types !== undefined, readAll: async () => options.stdin ?? '', stream },
      paint: picocolors.createColors(false),
      paintErrors: picocolors.createColors(false),
      env,
      cwd,
      pid: process.pid,
      clock: options.clock ?? systemClock,
      version: '1.2.3',
      self: options.self ?? [process.execPath, 'bin.cjs'],
      home: options.home,
      signals: { interrupted: options.interrupt ?? new AbortController().signal, take: takeFrom(options.interrupt) },
      loadConfig: async (explicit) => loadYardConfig({ explicit, env, cwd, home: options.home }),
      main: {
        startHub,
        findHub,
        lookAround,
        openStore,
        readStore,
        applyPatches,
        startRehearsal,
        findReplay,
        examineYard,
        restoreHome,
        ...options.main,
      },
    },
    argv,
  )
  return { code, out: out.text(), err: err.text() }
}

function takeFrom(interrupt: AbortSignal | undefined) {
  return (listener: (name: Interrupt) => void) => {
    const heard = () => listener('SIGINT')
    interrupt?.addEventListener('abort', heard)
    return () => interrupt?.removeEventListener('abort', heard)
  }
}

function recorded({ terminal }: LineOptions, heard?: (text: string) => void) {
  let written = ''
  const output: ByteOutput = {
    write(text) {
      written += text
      heard?.(text)
    },
    async writeBytes(bytes) {
      written += Buffer.from(bytes).toString('latin1')
    },
    isTerminal: terminal !== undefined,
    width: () => terminal ?? 1_000,
    height: () => 40,
    closed: new AbortController().signal,
  }
  return { output, text: () => written }
}
