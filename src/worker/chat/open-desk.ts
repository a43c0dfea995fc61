import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock, Random } from '../../kernel/index.ts'
import { outputsFolder } from '../../runs/index.ts'
import { type CommandDesk, createCommandDesk } from '../tools/terminal/command-desk.ts'
import type { CommandSurroundings } from '../tools/terminal/command-environment.ts'
import { placesOfRun } from '../tools/terminal/sandbox/places-of-run.ts'
import type { ChatOptions } from './resolve-settings.ts'

interface DeskDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
}

interface DeskInput {
  readonly options: ChatOptions
  readonly workspace: string
  readonly surroundings: CommandSurroundings
  /** Folder of the files that were given with the card; undefined: there is none. */
  readonly given: string | undefined
}

/** Where the commands of one worker run, within the limits of its options. Starts nothing yet. */
export function openDesk(deps: DeskDeps, { options, workspace, surroundings, given }: DeskInput): CommandDesk {
  const { clock, log } = deps
  const { commandTimeoutMs, heartbeatMs, deniedCommands, approvalCommands } = options
  const outputs = placeOfOutputs(deps, options)
  return createCommandDesk({
    ...surroundings,
    clock,
    workspace,
    log,
    commandTimeoutMs,
    get spillFolder() {
      return outputs.folder()
    },
    spilled: outputs.spilled,
    heartbeatMs,
    deniedCommands,
    approvalCommands,
    sandbox: sandboxOf(options, given),
  })
}

/**
 * Outputs too long for the model: an attempt at a card keeps them in its run directory, a person's worker takes them away.
 * The name of its folder is drawn when it is first needed: chance takes a tenth of a start to load.
 */
function placeOfOutputs({ random }: DeskDeps, { board }: ChatOptions) {
  if (board !== undefined)
    return { folder: () => join(dirname(board.reportFile), outputsFolder), spilled: 'kept' } as const
  let drawn: string | undefined
  const draw = () => {
    drawn ??= join(tmpdir(), `yardmaster-chat-${random.hex(8)}`)
    return drawn
  }
  return { folder: draw, spilled: 'removed' } as const
}

/** Undefined: none is asked for. */
function sandboxOf({ sandbox, hidden, board }: ChatOptions, given: string | undefined) {
  if (sandbox === 'none') return undefined
  const ofRun = board === undefined ? [] : placesOfRun(board.reportFile)
  const network = sandbox === 'bwrap_offline' ? 'off' : 'on'
  return { network, hidden: [...hidden, ...ofRun], readable: given === undefined ? [] : [given] } as const
}
