import { constants, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { attachmentPath } from './attachment-paths.ts'

/** A file of the store for reading, to be closed by whoever asked; undefined where the store does not have it. */
export async function openAttachment(home: string, sha256: string): Promise<FileHandle | undefined> {
  try {
    return await open(attachmentPath(home, sha256), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
}

/** Whoever reads it still may finish. One that is not there is no error. */
export function removeAttachment(home: string, sha256: string): void {
  rmSync(attachmentPath(home, sha256), { force: true })
}
