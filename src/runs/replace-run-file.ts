import { closeSync, constants, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { withRunDirectory } from './open-run-file.ts'

/**
 * Puts a file of ours into a run directory (0600), whole or not at all: `fill` writes it beside its place, and a rename puts
 * it there. Answers what `fill` answers. Throws where the directory is gone (it is not made again), and what `fill` throws.
 *
 * The worker may write there too. What it has laid in the way is taken away first and never opened: a pipe would have us
 * wait for its other end for ever, a link would lead us elsewhere.
 */
export function replaceRunFile<T>(path: string, fill: (descriptor: number) => T): T {
  return withRunDirectory(dirname(path), (directory) => {
    const place = `${directory}/${basename(path)}`
    const beside = `${place}.new`
    rmSync(beside, { force: true })
    try {
      const answer = fillNew(beside, fill)
      renameSync(beside, place)
      return answer
    } catch (fault) {
      rmSync(beside, { force: true })
      throw fault
    }
  })
}

function fillNew<T>(path: string, fill: (descriptor: number) => T): T {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    return fill(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
