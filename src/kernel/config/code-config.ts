import { parseDuration } from '../index.ts'

/** A command of ours beside the work. Text is for `bash -euo pipefail -c`; a list is run as it is, no shell. */
export interface StageConfig {
  readonly run: string | readonly string[]
  readonly timeoutMs?: number
}

export interface SetupConfig extends StageConfig {
  /** Files whose contents decide whether the setup of another worktree may be copied instead. */
  readonly key?: readonly string[]
}

type Words = string | readonly string[]
export type WrittenCheck = Words | { readonly run: Words; readonly timeout?: string } | null
export type WrittenSetup =
  | Words
  | { readonly run: Words; readonly timeout?: string; readonly key?: readonly string[] }
  | null

/** A check of the right shape; null: none, whatever a wider setting says. A duration that cannot be counted is told before. */
export function readCheck(written: WrittenCheck): StageConfig | null {
  return written === null || written === 'none' ? null : readStage(written)
}

/** The same of a setup. */
export function readSetup(written: WrittenSetup): SetupConfig | null {
  if (written === null || written === 'none') return null
  const key = isMap(written) ? written.key : undefined
  return { ...readStage(written), ...(key === undefined ? {} : { key }) }
}

function readStage(written: NonNullable<WrittenCheck | WrittenSetup>): StageConfig {
  if (!isMap(written)) return { run: written }
  const timeoutMs = written.timeout === undefined ? undefined : parseDuration(written.timeout)
  return { run: written.run, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

const isMap = <Map extends object>(written: Words | Map): written is Exclude<Map, readonly string[]> =>
  typeof written === 'object' && !Array.isArray(written)
