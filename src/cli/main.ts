import { fstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { createColors } from 'picocolors'
import { loadYardConfig } from '../kernel/config/index.ts'
import { systemClock } from '../kernel/index.ts'
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
} from '../main.ts'
import type { Input } from './command.ts'
import { findHome } from './home.ts'
import { readAllOf } from './input.ts'
import { outputTo, wantsColour } from './output.ts'
import { runCli } from './run-cli.ts'
import { hearSignals } from './signals.ts'

declare const __VERSION__: string

// The entry of the command line: the only file under src/cli that reads `process`. It hands in streams, environment,
// folder, clock and signals, and turns the answer into the exit code.
const { env } = process
// pidusage asks getconf for the size of a page and goes on without an answer, but prints a stack trace for it: on a
// system that has none, and when Ctrl-C in the terminal ends that child too.
env.PIDUSAGE_SILENT = '1'
const userHome = env.HOME ?? homedir()
const signals = hearSignals({
  source: process,
  leave: (code) => process.exit(code),
  after: (ms, beat) => systemClock.after(ms, new AbortController().signal, beat),
})
const out = outputTo(process.stdout, { env, onFault: answerNotWritten })
const err = outputTo(process.stderr, { env, onFault: () => process.exit(1) })

const code = runCli(
  {
    out,
    err,
    intoFile: { out: isFile(1), err: isFile(2) },
    stdin: standardInput(),
    paint: createColors(wantsColour(env, out.isTerminal)),
    paintErrors: createColors(wantsColour(env, err.isTerminal)),
    env,
    cwd: process.cwd(),
    pid: process.pid,
    clock: systemClock,
    version: __VERSION__,
    self: [process.execPath, process.argv[1] ?? ''],
    home: findHome({ env, cwd: process.cwd(), userHome }),
    signals,
    loadConfig: async (explicit) => loadYardConfig({ explicit, env, cwd: process.cwd(), home: userHome }),
    main: {
      applyPatches,
      startHub,
      findHub,
      lookAround,
      openStore,
      readStore,
      startRehearsal,
      findReplay,
      examineYard,
      restoreHome,
    },
  },
  process.argv.slice(2),
)
// A slow reader gets all of it, and a write that fails says so a turn later (`onFault`). After that the program leaves,
// whatever a verb left open: a keep-alive socket must not keep the shell waiting.
code.then(async (answered) => {
  await Promise.all([out.written(), err.written()])
  await systemClock.sleep(0)
  process.exit(signals.exitCode() ?? answered)
})

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false // closed by whoever started us
  }
}

function standardInput(): Input {
  return {
    isTerminal: isatty(0),
    readAll: () => readAllOf(process.stdin),
    // Touching process.stdin opens it: only for the verb that reads it.
    get stream() {
      return process.stdin
    },
  }
}

function answerNotWritten(fault: Error): void {
  process.stderr.write(
    `error: the answer could not be written: ${fault.message}\n  fix: free the disk, or read it in a terminal\n`,
  )
  process.exit(1)
}
