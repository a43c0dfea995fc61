import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Git holds the lock of a ref for moments; one that is older belongs to a git that was killed. */
const staleMs = 30_000

/** Removes locks that a killed fetch has left in a mirror, in which the next one would fail for ever. Those of branches are not ours. */
export function removeStaleLocks(gitDir: string, nowMs: number): void {
  const found = [
    ...locksIn(gitDir, 'here'),
    ...locksIn(join(gitDir, 'refs', 'remotes'), 'below'),
    ...locksIn(join(gitDir, 'refs', 'tags'), 'below'),
  ]
  for (const lock of found) {
    const stat = lstatSync(lock, { throwIfNoEntry: false })
    if (stat !== undefined && nowMs - stat.mtimeMs > staleMs) rmSync(lock, { force: true })
  }
}

function locksIn(folder: string, where: 'here' | 'below'): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return where === 'below' ? locksIn(path, where) : []
    return entry.isFile() && entry.name.endsWith('.lock') ? [path] : []
  })
}
