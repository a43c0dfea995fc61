import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemRandom } from '../../../kernel/index.ts'
import { readHostIdentity } from '../../../kernel/process/index.ts'
import { actOnProcess } from './act-on-process.ts'
import { BackgroundCommands } from './background-commands.ts'
import { buildCommandEnvironment } from './command-environment.ts'
import type { CommandDeskDeps, LeftCommand, OpenCommands } from './desk-deps.ts'
import { endCommands, findAlive, killCommandsNow, type StartedCommand } from './end-command.ts'
import { beatFor } from './heartbeat.ts'
import { CommandOutput } from './output/command-output.ts'
import { maskSpilled } from './output/mask-spilled.ts'
import { runInTerminal, shellProlog } from './run-in-terminal.ts'
import { type RunningCommand, startCommand } from './running-command.ts'
import { openSandbox } from './sandbox/open-sandbox.ts'

/** Of all commands together: a model that prints without end must not fill the disk. */
const mostSpilledBytes = 256 * 2 ** 20
/** A worker that is stopped has ten seconds in all before it gets KILL. */
const maskWithinMs = 3_000

/**
 * All that the tools `terminal` and `process` need, loaded at the first command. Every command that was ever started is
 * remembered by its marker, so that at the end also those are found that left their shell and its group.
 */
export function openCommands(deps: CommandDeskDeps): OpenCommands {
  const host = readHostIdentity()
  const background = new BackgroundCommands()
  const running = new Set<RunningCommand>()
  const records: CommandRecord[] = []
  const room = { leftBytes: mostSpilledBytes }
  const sandbox = deps.sandbox === undefined ? undefined : openSandbox(deps, deps.sandbox)
  let closing: Promise<readonly LeftCommand[]> | undefined

  const start = async ({ command, cwd }: { readonly command: string; readonly cwd: string }) => {
    if (closing !== undefined) return 'the worker ends'
    const commandMarker = `chat:${systemRandom.hex(8)}`
    const shell = ['bash', '-c', `${shellProlog}${command}`] as const
    const wrapped = await sandbox?.wrap(shell, { cwd })
    if (typeof wrapped === 'string') return wrapped
    const spillPath = join(deps.spillFolder, `command-${records.length + 1}.txt`)
    const started = await startCommand(
      { clock: deps.clock, host },
      {
        command,
        argv: wrapped ?? shell,
        leads: wrapped === undefined ? 'command' : 'sandbox',
        cwd,
        env: buildCommandEnvironment(deps, { commandMarker }),
        commandMarker,
        pipeFolder: deps.spillFolder,
        output: new CommandOutput({ knownSecrets: deps.knownSecrets, spillPath, room }),
      },
    )
    if (typeof started === 'string') return started
    running.add(started)
    records.push({ started: started.started, command, startedMs: deps.clock.monotonicMs() })
    void started.ended.then(() => running.delete(started))
    beatFor(deps, started)
    return started
  }

  const close = async (): Promise<readonly LeftCommand[]> => {
    const alive = [...running]
    const elapsed = new Map(alive.map((one) => [one.started, one.elapsedMs]))
    const started = records.map((record) => record.started)
    const left = [...new Set([...elapsed.keys(), ...findAlive(host, started)])]
    const ending = endCommands({ clock: deps.clock, host }, left, 'closed')
    for (const one of alive) one.cut('closed', ending)
    await Promise.all([ending, ...alive.map(({ ended }) => ended)])
    const survivors = findAlive(host, left)
    await sandbox?.close()
    if (deps.spilled === 'removed') rmSync(deps.spillFolder, { recursive: true, force: true })
    else await maskSpilled(deps, { folder: deps.spillFolder, withinMs: maskWithinMs })
    const ids = new Map(background.all().map(({ id, running }) => [running.started, id]))
    return records
      .filter((record) => left.includes(record.started))
      .map((record) => ({
        id: ids.get(record.started) ?? null,
        command: record.command,
        elapsedMs: elapsed.get(record.started) ?? deps.clock.monotonicMs() - record.startedMs,
        end: survivors.includes(record.started) ? 'survived' : 'ended',
      }))
  }

  return {
    runInTerminal: (args, order) => runInTerminal({ ...deps, background, start }, args, order),
    actOnProcess: (args, order) => actOnProcess({ clock: deps.clock, background }, args, order),
    inBackground: () =>
      background
        .all()
        .filter(({ running }) => running.end === undefined)
        .map(({ id, running }) => ({ id, command: running.command, elapsedMs: running.elapsedMs })),
    checkSandbox: async () => await sandbox?.check(),
    closeAll: () => {
      closing ??= close()
      return closing
    },
    killNow() {
      const started = records.map((record) => record.started)
      killCommandsNow(host, started, 'closed')
    },
  }
}

/** A command that was started, whatever has become of it. */
interface CommandRecord {
  readonly started: StartedCommand
  readonly command: string
  readonly startedMs: number
}
