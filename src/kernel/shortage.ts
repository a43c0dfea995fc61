/** The machine is out of something for now: open files, processes, memory. The same call may work a moment later. */
const shortages: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** Whether a system error says nothing about what was asked for, so that asking again is the answer. */
export function isShortage(fault: unknown): boolean {
  return shortages.has((fault as NodeJS.ErrnoException | undefined)?.code ?? '')
}
