import { describeSize } from '../../kernel/index.ts'
import type { DiskLow } from '../disk-low.ts'
import type { Work } from '../work.ts'

/** Puts on record that new starts wait for room on the disk, or that they go on. */
export function tellDisk(work: Work, low: DiskLow | null): void {
  if (low === null) {
    work.tell({ kind: 'disk.enough', text: 'there is room on the disk again: new work starts' })
    return
  }
  const { freeBytes, neededBytes } = low
  const room = `${describeSize(freeBytes)} free, ${describeSize(neededBytes)} needed`
  work.tell({
    kind: 'disk.low',
    text: `nothing new starts: the disk is low (${room})`,
    data: { freeBytes, neededBytes },
  })
}
