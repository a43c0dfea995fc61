import type { FoundAround } from '../../main.ts'
import type { CliDeps } from '../command.ts'
import { onOneLine } from '../render/visible.ts'

export type NotFound = Exclude<FoundAround, { kind: 'found' }>

/** Tells of a repository around the folder that nothing can be checked out from, so that nobody wonders why there is no worktree. */
export function sayLeftAlone({ err, flags }: Pick<CliDeps, 'err' | 'flags'>, found: NotFound): void {
  if (found.kind === 'none' || flags.json || flags.quiet) return
  const why = found.kind === 'closed' ? found.error.message : `the git repository ${found.repo} has no commit yet`
  err.write(`${onOneLine(why)}: it is left alone.\n`)
}
