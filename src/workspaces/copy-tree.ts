import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, opendir, readlink, symlink, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isInside } from './resolve-workspace.ts'

/** Files copied at once: a disk has work with that, and the loop keeps breathing. */
const atOnce = 8

export interface CopiedTree {
  readonly files: number
  /** What was left out, and why: below `from`. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[]
}

/**
 * Copies `paths` below the folder `from` to the same places below `to`, folders with all in them: by reference where the disk
 * can, with their modes, and never over something that is there. A link is copied as a link where it stays inside; one that
 * leads out is left out, and so are sockets, pipes and devices. Throws what the system says.
 */
export async function copyTree({
  from,
  to,
  paths,
  signal,
}: {
  readonly from: string
  readonly to: string
  readonly paths: readonly string[]
  readonly signal: AbortSignal
}): Promise<CopiedTree> {
  const leftOut: { path: string; why: string }[] = []
  let files = 0
  const queue = [...paths]
  const closed: { path: string; mode: number; atime: Date; mtime: Date }[] = []
  const copyOne = async (path: string): Promise<void> => {
    const source = join(from, path)
    const target = join(to, path)
    const stat = await lstat(source)
    if (stat.isDirectory()) {
      await mkdir(target, { mode: 0o700 }).catch(ifThere)
      if (!(await lstat(target)).isDirectory()) return void leftOut.push({ path, why: 'something else is there' })
      closed.push({ path: target, mode: stat.mode & 0o7777, atime: stat.atime, mtime: stat.mtime })
      for await (const { name } of await opendir(source)) queue.push(join(path, name))
      return
    }
    if (stat.isSymbolicLink()) {
      const leads = await readlink(source)
      const isOut = isAbsolute(leads) || !isInside(from, resolve(dirname(source), leads))
      if (isOut) return void leftOut.push({ path, why: 'it is a link that leads out' })
      await symlink(leads, target).catch(ifThere)
    } else if (stat.isFile()) {
      const copied = await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(
        () => true,
        ifThere,
      )
      if (copied !== true) return void leftOut.push({ path, why: 'it is there already' })
      await utimes(target, stat.atime, stat.mtime)
    } else return void leftOut.push({ path, why: 'it is no file' })
    files += 1
  }
  while (queue.length > 0) {
    signal.throwIfAborted()
    await Promise.all(queue.splice(0, atOnce).map(copyOne))
  }
  // Deepest first, and last: a folder may forbid writing.
  for (const { path, mode, atime, mtime } of closed.toReversed()) {
    await chmod(path, mode)
    await utimes(path, atime, mtime)
  }
  return { files, leftOut }
}

function ifThere(fault: NodeJS.ErrnoException): void {
  if (fault.code !== 'EEXIST') throw fault
}
