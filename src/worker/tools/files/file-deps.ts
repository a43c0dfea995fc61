import type { Clock, Redactor } from '../../../kernel/index.ts'
import type { CommandSurroundings } from '../terminal/command-environment.ts'
import type { FileRegister } from './file-register.ts'

/** What the tools that change files work with. */
export interface ChangeDeps {
  readonly workspace: string
  readonly register: FileRegister
  readonly maskKnown: Redactor
}

export interface ReadDeps extends ChangeDeps {
  /** Real path of the folder with files that people gave. */
  readonly given: string | undefined
  /** Real path of the folder with outputs of commands that were too long to be told whole, once there is one. */
  readonly outputs?: (() => string | undefined) | undefined
}

export interface SearchDeps extends CommandSurroundings {
  readonly clock: Clock
  readonly workspace: string
  readonly given: string | undefined
  readonly outputs?: (() => string | undefined) | undefined
  readonly maskKnown: Redactor
  /** How long a search may take; undefined: 20 s. */
  readonly searchDeadlineMs?: number | undefined
}

/** As many lines as one read gives. */
export const mostReadLines = 2_000
/** Larger files are looked at in parts, in the terminal. */
export const largestReadBytes = 16 * 1024 * 1024
