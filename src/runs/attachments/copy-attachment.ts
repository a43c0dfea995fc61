import { constants } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { runsError } from '../errors.ts'
import { attachmentPath } from './attachment-paths.ts'

/**
 * Gives a file of the store a place elsewhere, where nothing stands yet, as a copy of its own that nobody writes to by
 * accident (0400): the bytes in the store are reached by no link. Costs no room where the disk can share it. Throws
 * `RUNS_ATTACHMENT_GONE` where the store does not have it, and the system's error.
 */
export async function copyAttachment(
  home: string,
  { sha256, name, to }: { readonly sha256: string; readonly name: string; readonly to: string },
): Promise<void> {
  try {
    await copyFile(attachmentPath(home, sha256), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw runsError('RUNS_ATTACHMENT_GONE', { name, sha256 }, cause)
  }
  await chmod(to, 0o400)
}
