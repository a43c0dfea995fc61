import { join } from 'node:path'

/** Below a home. The first two digits of the name make a folder, so that none holds more than a part of a year's files. */
export function attachmentPath(home: string, sha256: string): string {
  if (!isSha256(sha256)) throw new Error(`${JSON.stringify(sha256)} is no SHA-256 in lower-case hex`)
  return join(attachmentsFolder(home), sha256.slice(0, 2), sha256)
}

export const attachmentsFolder = (home: string): string => join(home, 'attachments')

/** What is being written: its name is known when all of it has been read. On the same disk, for the rename. */
export const unfinishedFolder = (home: string): string => join(attachmentsFolder(home), 'unfinished')

export const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
