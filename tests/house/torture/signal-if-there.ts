/** Signals a process; false when it has ended in the meantime, which is nobody's fault. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw fault
  }
}
