import type { Clock, Redactor } from '../../kernel/index.ts'
import { createFileRegister } from './files/file-register.ts'
import { createPatchTool } from './files/patch-tool.ts'
import { createReadTool } from './files/read-file.ts'
import { createSearchTool } from './files/search-tool.ts'
import { createWriteTool } from './files/write-file.ts'
import type { CommandDesk } from './terminal/command-desk.ts'
import type { CommandSurroundings } from './terminal/command-environment.ts'
import { createProcessTool } from './terminal/process.ts'
import { createTerminalTool } from './terminal/terminal.ts'
import type { Tool } from './tool.ts'

/** What all tools together work with. */
export interface ToolSetDeps {
  readonly clock: Clock
  /** Real path of the folder that the worker may change. */
  readonly workspace: string
  /** Real path of the folder with files that people gave; readable, too. Undefined where there are none. */
  readonly given: string | undefined
  /** Where commands are run; closed by whoever ends the worker. */
  readonly commands: CommandDesk
  /** What the environment of programs that search is made of: the same as that of commands. */
  readonly surroundings: CommandSurroundings
  readonly knownSecrets: readonly string[]
  /** Masks known values only: a model that sees masked fixtures would repair them. */
  readonly maskKnown: Redactor
}

/** The tools that a worker has, in the order in which the model is told of them. */
export function createTools(deps: ToolSetDeps): readonly Tool[] {
  const { commands, surroundings } = deps
  const { outputs } = commands
  const files = { ...deps, outputs, register: createFileRegister() } // what one tool has read the others know
  return [
    createTerminalTool(commands),
    createProcessTool(commands),
    createReadTool(files),
    createWriteTool(files),
    createPatchTool(files),
    createSearchTool({ ...deps, ...surroundings, outputs }),
  ]
}
