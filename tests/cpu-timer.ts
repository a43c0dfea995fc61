/**
 * Starts to count, and answers how many milliseconds of the processor this process has used since: other work on the
 * machine makes everything take longer, and says nothing of what is tested.
 */
export function cpuTimer(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
