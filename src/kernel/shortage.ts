/** The machine is out of something for now: open files, processes, memory, room on the disk. */
const shortages: ReadonlySet<string> = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'])

/** Whether this errno name says nothing about what was asked for, so that asking again later is the answer. */
export function isShortage(code: string | undefined): boolean {
  return code !== undefined && shortages.has(code)
}
