import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { formatRunId, makeFolder } from '../../kernel/index.ts'
import type { OpenRun } from '../open-runs.ts'

/**
 * Where a patch of an attempt is written: into its run directory. That is not made again for a worker that has removed it, and what
 * it changed is recorded all the same: then the patch lies with those that are on their way into the store.
 */
export function placeForDiff({ home }: { readonly home: string }, { id, runDir }: OpenRun, name: string): string {
  if (lstatSync(runDir, { throwIfNoEntry: false })?.isDirectory() === true) return join(runDir, name)
  const folder = join(home, 'cache', 'left')
  makeFolder(folder, 0o700)
  return join(folder, `${formatRunId(id)}-${name}`)
}
