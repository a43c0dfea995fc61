import { isShortage } from '../kernel/index.ts'
import { isDiskFull, isShortOfElse, lastWords } from './explain-git.ts'
import type { GitFailed } from './git.ts'

/**
 * Why the end of an attempt could not be recorded. gone: worktree and branch are both not there any more. short: the machine is out
 * of disk, quota, memory, processes or files, so ask again later; nothing was lost. machine: anything else, with what git says.
 */
export type HarvestFaultKind = 'gone' | 'short' | 'machine'

/** Ends a harvest from wherever it is; never leaves this folder. */
export class HarvestFault extends Error {
  readonly fault: HarvestFaultKind

  constructor(fault: HarvestFaultKind, why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause })
    this.name = 'HarvestFault'
    this.fault = fault
  }
}

/** Filters of the repository fail or hang, and git gives up with them: it has to be asked again without these. */
export class BrokenFilters extends HarvestFault {
  readonly filters: readonly string[]

  constructor(filters: readonly string[], why: string) {
    super('machine', why)
    this.filters = filters
  }
}

/** What a git that failed makes of a harvest. */
export function faultOfGit(what: string, failed: GitFailed): HarvestFault {
  const filter = /(?:clean|smudge) filter '([^']+)' failed/.exec(failed.stderr)?.[1]
  if (filter !== undefined) return new BrokenFilters([filter], `git ${what} ${sayEnd(failed)}`)
  if (isFull(failed))
    return new HarvestFault('short', `the disk or the quota is full: git ${what}: ${lastWords(failed)}`)
  return new HarvestFault(isShortOfElse(failed.stderr) ? 'short' : 'machine', `git ${what} ${sayEnd(failed)}`)
}

/** The disk or the quota of git was full. Some of its messages name no reason; they come when standard output cannot be written. */
export function isFull({ stderr }: GitFailed): boolean {
  return isDiskFull(stderr) || /File too large|write failure on|unable to write|write error/i.test(stderr)
}

/** A fault of the system as one of a harvest: a full disk can be waited for. */
export function faultOfSystem(fault: unknown): HarvestFault {
  if (fault instanceof HarvestFault) return fault
  const { code, message } = fault as NodeJS.ErrnoException
  const isShort = isShortage(code) || code === 'EFBIG'
  return new HarvestFault(isShort ? 'short' : 'machine', message, fault)
}

function sayEnd(failed: GitFailed): string {
  const { missing, aborted, timedOut, tooLong, exitCode, signal, stderr } = failed
  if (missing) return 'could not be started: there is no git on this machine'
  if (aborted) return 'was ended: we are leaving'
  if (timedOut) return 'took too long'
  if (tooLong) return 'printed too much'
  const end = signal === null ? `ended with ${exitCode}` : `was ended by ${signal}`
  return stderr.trim() === '' ? end : `${end}: ${lastWords(failed)}`
}
