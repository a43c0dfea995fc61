import { type Fault, formatFaults } from '../../kernel/config/index.ts'
import { defineErrors } from '../../kernel/index.ts'

/** What is refused before a batch exists. `faults` carries every fault of the file for programs. */
export const batchError = defineErrors({
  BATCH_FILE_INVALID: {
    status: 400,
    says: ({ file, faults }: { file: string; faults: readonly Fault[] }) =>
      `${file} has ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}:\n${formatFaults(faults)}`,
    fix: 'mend the lines named above; nothing was created',
  },
  BATCH_FILE_NOT_READ: {
    status: 400,
    says: ({ file, why }: { file: string; why: string }) => `${file} cannot be read: ${why}`,
    fix: 'name a batch file (YAML or JSONL), or - for standard input; yardmaster init --batch tests writes one',
  },
})
