/** What the system says of a path that was named wrong, or that may not be used: another path is the answer. */
const ofThePath: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
])

/** Whether a fault of the system is about the path that was asked for, and not about the machine or its disk. */
export function refusesPath(fault: unknown): boolean {
  const code = (fault as NodeJS.ErrnoException | null)?.code
  return code !== undefined && ofThePath.has(code)
}

/**
 * `ENOENT: no such file or directory`: what the system says, without the path that Node adds to it. That may be the one of
 * a file beside the one that was asked for, which says nothing to whoever named the other.
 */
export function saySystemFault(fault: unknown): string {
  const { message, syscall } = fault as NodeJS.ErrnoException
  return syscall === undefined ? message : message.replace(/, \w+ '.*$/s, '')
}
