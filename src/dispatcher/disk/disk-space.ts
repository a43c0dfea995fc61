import { statfsSync } from 'node:fs'

export interface DiskSpace {
  /** What is left for this user. */
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Space on the file system of a folder, in microseconds; undefined where it cannot be asked. */
export function readDiskSpace(path: string): DiskSpace | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return undefined // a folder that is gone is noticed by whoever works in it
  }
}

const mostBuiltIn = 2 ** 30

/**
 * Free bytes below which nothing new starts: what `disk_free` says, else 1 GiB, else a twentieth of a file system that is
 * smaller than 20 GiB. A fixed 5 GiB, as in the example of the file, would let a small virtual machine or a container's
 * volume never start anything; a store needs some megabytes and a run a few more to end well.
 */
export function neededDiskBytes(configured: number | null, { totalBytes }: DiskSpace): number {
  return configured ?? Math.min(mostBuiltIn, Math.floor(totalBytes / 20))
}
