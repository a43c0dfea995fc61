import { basename, dirname } from 'node:path'
import { realPath } from '../kernel/index.ts'

/**
 * The homes that are not a task's to work in, by their real paths: the yard's own and, where that is one which `run` has made for a
 * batch (`<home>/run/<name>-<12 hex>`), the one that it lies in.
 */
export function ownHomes(home: string): readonly string[] {
  const own = realPath(home)
  const isOfABatch = basename(dirname(own)) === 'run' && /-[0-9a-f]{12}$/.test(basename(own))
  return isOfABatch ? [own, dirname(dirname(own))] : [own]
}
