import type { NewBatchBody } from '../../api/contract/index.ts'
import type { LaneOption } from './lane-of.ts'

/** What was typed: the file and everything that changes what it says. */
export interface BatchRequest {
  /** As typed; `-` is standard input. */
  readonly file: string
  readonly board: string | undefined
  /** `--key`. */
  readonly key: string | undefined
  /** `-j`. */
  readonly slots: number | undefined
  /** `--timeout`. */
  readonly timeout: string | undefined
  /** Each `k=v` of `--set`. */
  readonly set: readonly string[]
  /** Each `k=FILE` of `--matrix`. */
  readonly matrix: readonly string[]
  readonly mode: NewBatchBody['mode']
  readonly redo: readonly string[]
}

export interface ReadDeps {
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readAll(): Promise<string> }
  /** Lanes of the yard that will work the batch. */
  readonly lanes: readonly LaneOption[]
  /** The board's own lane, where it has one. */
  readonly boardLane: string | undefined
}
