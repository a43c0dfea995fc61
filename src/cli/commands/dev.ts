import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { registerReplay } from './dev-replay.ts'

interface RehearsalOptions {
  readonly port?: string
}

/** `dev rehearsal FILE`: an OpenAI-compatible server that plays a scenario; it serves until Ctrl-C. `dev replay`: see there. */
export function registerDev(program: Command, commands: Commands): void {
  const dev = program.command('dev').description('tools for trying things out')
  dev
    .command('rehearsal')
    .argument('<file>', 'the scenario')
    .option('--port <port>', 'listen here; without it on a free one')
    .description('play a scripted provider, so that nothing costs anything')
    .action(commands.answer<RehearsalOptions>((deps, { args: [file = ''], options }) => rehearse(deps, file, options)))
  registerReplay(dev, commands)
}

async function rehearse(deps: CliDeps, file: string, options: RehearsalOptions): Promise<number> {
  const { startRehearsal } = deps.main
  const server = await startRehearsal({ file: resolve(deps.cwd, file), port: portOf(options.port) })
  try {
    const baseUrl = `http://127.0.0.1:${server.port}/v1`
    if (deps.flags.json) writeJson(deps, { base_url: baseUrl, port: server.port })
    else deps.out.write(`Rehearsal of ${file} on ${baseUrl}. Ctrl-C ends it.\n`)
    await aborted(deps.signals.interrupted)
    return exitCode.interrupted
  } finally {
    await server.stop()
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw cliError('CLI_BAD_USE', { says: `"${text}" is no port`, fix: '--port 8123, or leave it out' })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
