import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes `path` and what is missing above it, each with `mode` (default 0777 less the umask); a folder that is there stays as it is.
 * Throws the system's error. Node's own `recursive` is not used: where the system answers ENOENT for a name below a
 * folder that exists (as in /proc) it asks again for ever, at full speed (seen on Node 20.20).
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (isFolder(path)) return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path || isFolder(above)) throw fault
    makeFolder(above, mode)
    makeFolder(path, mode)
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
