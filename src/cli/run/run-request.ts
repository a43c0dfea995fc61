import type { BatchRequest } from '../batch-file/index.ts'
import { cliError } from '../errors.ts'

/** The flags of `run`, as commander gives them. */
export interface RunOptions {
  readonly slots?: string
  readonly dryRun?: true
  readonly detach?: true
  readonly resume?: true
  readonly failed?: true
  readonly new?: true
  readonly redo?: readonly string[]
  readonly key?: string
  readonly set?: readonly string[]
  readonly matrix?: readonly string[]
  readonly timeout?: string
  readonly report?: string
  readonly orphans?: string
}

/** What `run` is asked to do. */
export interface RunRequest {
  readonly batch: BatchRequest
  readonly how: 'dry_run' | 'detach' | 'follow'
  /** As typed. */
  readonly reportDir: string | undefined
  /** What becomes of workers when this process is killed; undefined where it was not said. */
  readonly orphans: 'adopt' | 'die' | undefined
}

/** Reads the flags together. Throws `CLI_BAD_USE` for values and pairs that cannot be. */
export function parseRunRequest(file: string, options: RunOptions, board: string | undefined): RunRequest {
  if (options.dryRun && options.detach) throw badUse('--dry-run and --detach do not go together', 'take one out')
  return {
    batch: {
      file,
      board,
      key: options.key,
      slots: slotsOf(options.slots),
      timeout: options.timeout,
      set: options.set ?? [],
      matrix: options.matrix ?? [],
      mode: modeOf(options),
      redo: options.redo ?? [],
    },
    how: options.dryRun ? 'dry_run' : options.detach ? 'detach' : 'follow',
    reportDir: options.report,
    orphans: orphansOf(options.orphans),
  }
}

function modeOf({ resume, failed, new: isNew, redo }: RunOptions): BatchRequest['mode'] {
  const asked = [
    ...(resume ? (['resume'] as const) : []),
    ...(failed ? (['failed'] as const) : []),
    ...(isNew ? (['new'] as const) : []),
  ]
  const [mode = 'auto', other] = asked
  if (other !== undefined) throw badUse(`--${mode} and --${other} do not go together`, 'take one out')
  if (mode === 'new' && redo !== undefined)
    throw badUse('--redo goes on with a batch, and --new makes one', 'take one out')
  return mode
}

function slotsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const slots = Number(text)
  if (Number.isInteger(slots) && slots >= 1 && slots <= 1_000) return slots
  throw badUse(`-j ${text} is no number of workers`, '-j 4')
}

function orphansOf(text: string | undefined): RunRequest['orphans'] {
  if (text === undefined || text === 'adopt' || text === 'die') return text
  throw badUse(`--orphans ${text} is neither adopt nor die`, '--orphans die')
}

const badUse = (says: string, fix: string) => cliError('CLI_BAD_USE', { says, fix })
