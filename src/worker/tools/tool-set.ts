import type { Clock, Redactor } from '../../kernel/index.ts'
import { createReadTool } from './files/read-file.ts'
import { createWriteTool } from './files/write-file.ts'
import { createHandBackTool } from './hand-back.ts'
import { createTerminalTool } from './terminal/terminal.ts'
import type { Tool } from './tool.ts'

/** What all tools together work with. */
export interface ToolSetDeps {
  readonly clock: Clock
  /** Real path of the folder that the worker may change. */
  readonly workspace: string
  /** Real path of the folder with files that people gave; readable, too. Undefined where there are none. */
  readonly given: string | undefined
  /** Real paths of what was handed back so far; undefined where nobody takes files. */
  readonly handedBack: string[] | undefined
  /** The worker's own environment, keys already taken out of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A worker of a board: its environment was made for it by name. A person's own is not passed on. */
  readonly boardWorker: boolean
  readonly knownSecrets: readonly string[]
  /** Masks known values only: a model that sees masked fixtures would repair them. */
  readonly maskKnown: Redactor
  readonly commandTimeoutMs: number
}

/** The tools that a worker has, in the order in which the model is told of them. */
export function createTools(deps: ToolSetDeps): readonly Tool[] {
  const { handedBack, workspace } = deps
  return [
    createTerminalTool(deps),
    createReadTool(deps),
    createWriteTool(deps),
    ...(handedBack === undefined ? [] : [createHandBackTool({ workspace, handedBack })]),
  ]
}
