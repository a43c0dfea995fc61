import { basename, dirname, join } from 'node:path'
import { cutAtWord, describeDuration, realPath } from '../../../kernel/index.ts'
import type { BackgroundLook, CommandDeskDeps, LeftCommand, OpenCommands } from './desk-deps.ts'

/** All commands of one worker: the tools `terminal` and `process` meet here, and whoever ends the worker closes it. */
export interface CommandDesk {
  /** How long a command may run where the model says nothing. */
  readonly commandTimeoutMs: number
  /** Real path of the folder with the whole of outputs that were cut; undefined before the first command. */
  outputs(): string | undefined
  load(): Promise<OpenCommands>
  /** Commands that run in the background at this moment. */
  inBackground(): readonly BackgroundLook[]
  /** Before the first call of a model: throws `WORKER_NO_SANDBOX` where a sandbox is asked for and cannot be had. */
  checkSandbox(): Promise<void>
  /** Ends what still runs, and says what that was. Safe to call at any time, more than once. */
  closeAll(): Promise<readonly LeftCommand[]>
  /** For a worker that must leave within this very moment: what can be reached gets KILL, nobody waits. */
  killNow(): void
}

/** A desk at which nothing was asked for yet. */
export function createCommandDesk(deps: CommandDeskDeps): CommandDesk {
  let outputs: string | undefined
  let opening: Promise<OpenCommands> | undefined
  let opened: OpenCommands | undefined
  const load = async () => {
    opening ??= import('./open-commands.ts').then(({ openCommands }) => {
      outputs = join(realPath(dirname(deps.spillFolder)), basename(deps.spillFolder))
      return openCommands({ ...deps, spillFolder: outputs })
    })
    opened = await opening
    return opened
  }
  return {
    commandTimeoutMs: deps.commandTimeoutMs,
    outputs: () => outputs,
    inBackground: () => opened?.inBackground() ?? [],
    load,
    async checkSandbox() {
      if (deps.sandbox !== undefined) await (await load()).checkSandbox()
    },
    async closeAll() {
      return opening === undefined ? [] : await (await opening).closeAll()
    },
    killNow() {
      opened?.killNow()
    },
  }
}

/** `P1: npm run dev: ended with the worker after 41s`, for the report and the log. */
export function sayLeft({ id, command, elapsedMs, end }: LeftCommand): string {
  const who = id === null ? 'left behind by a command' : id
  const says = end === 'ended' ? 'ended with the worker' : 'could not be ended'
  return `${who}: ${cutAtWord(command.replace(/\s+/g, ' ').trim(), 120)}: ${says} after ${describeDuration(elapsedMs)}`
}
