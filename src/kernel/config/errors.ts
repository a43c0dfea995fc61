import { defineErrors } from '../index.ts'
import { type Fault, formatFaults } from './fault.ts'

/** Errors of reading yardmaster.yaml. `faults` carries every fault of the file for programs. */
export const configError = defineErrors({
  CONFIG_INVALID: {
    status: 400,
    says: ({ file, faults }: { file: string; faults: readonly Fault[] }) =>
      `${file} has ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}:\n${formatFaults(faults)}`,
    fix: 'mend the lines named above; nothing was started',
  },
  CONFIG_NOT_FOUND: {
    status: 400,
    says: ({ file, from }: { file: string; from: string }) => `there is no file ${file}, which ${from} names`,
    fix: 'write that file (yardmaster init), or name another one',
  },
  CONFIG_NOT_READ: {
    status: 400,
    says: ({ file, why }: { file: string; why: string }) => `${file} cannot be read: ${why}`,
    fix: 'make it a readable UTF-8 file',
  },
})
