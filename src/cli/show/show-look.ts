import type { CliDeps } from '../command.ts'

/** How an answer of `show` and `why` is laid out. */
export interface ShowLook {
  readonly width: number
  readonly nowMs: number
  readonly paint: CliDeps['paint']
}
