import { type ChildUse, readCgroupCpuSeconds, readOomKills } from '../../kernel/process/index.ts'
import type { ExitFacts } from './contract.ts'
import { cpuSeconds, type WatchedRun } from './watched-run.ts'

/**
 * What the tree of a run has used, from all who counted: our looks (nothing of what ran in between), the kernel's counts of
 * the shim and all that its line had waited for, and those of its control group. Each is a floor, so the largest is
 * the best of them; null where nobody counted.
 */
export function readTreeUse(
  { usage, cgroup }: Pick<WatchedRun, 'usage' | 'cgroup'>,
  used: ChildUse | undefined,
): Pick<ExitFacts, 'oom' | 'peakRssBytes' | 'cpuSeconds'> {
  const wasSampled = usage.looks > 0
  const oomKills = cgroup === undefined ? null : readOomKills(cgroup)
  const cgroupCpu = cgroup === undefined ? null : readCgroupCpuSeconds(cgroup)
  return {
    oom: oomKills !== null && oomKills > 0,
    peakRssBytes: largest([wasSampled ? usage.peakRssBytes : null, provenPeak(used)]),
    cpuSeconds: largest([wasSampled ? cpuSeconds(usage) : null, used?.cpuSeconds ?? null, cgroupCpu]),
  }
}

/**
 * The kernel counts the memory of this program to a child that it was spawned from, until that child has a program of its
 * own. So its figure says something of the run only where it is larger than our own ever was.
 */
function provenPeak(used: ChildUse | undefined): number | null {
  // Our own largest figure never falls: who is not above the last one is not above this one, and need not be asked for.
  if (used === undefined || used.peakRssBytes <= ownPeakBytes) return null
  ownPeakBytes = process.resourceUsage().maxRSS * 1_024
  return used.peakRssBytes > ownPeakBytes ? used.peakRssBytes : null
}

let ownPeakBytes = 0

function largest(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : Math.max(...known)
}
