import { readMachineOomKills } from '../../kernel/process/index.ts'

/** Whether the kernel has killed somebody on this machine for memory; never whom. */
export interface OomWatch {
  /** What is counted from here on is new. */
  note(): void
  /** Null where the kernel does not tell. */
  sawKills(): boolean | null
}

export function createOomWatch(): OomWatch {
  let noted: number | null = null
  return {
    note() {
      noted = readMachineOomKills()
    },
    sawKills() {
      const now = readMachineOomKills()
      return now === null || noted === null ? null : now > noted
    },
  }
}
