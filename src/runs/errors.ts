import { defineErrors } from '../kernel/index.ts'

export const runsError = defineErrors({
  RUNS_DIRECTORY_NOT_MADE: {
    status: 500,
    says: ({ path, why }: { path: string; why: string }) =>
      `the directory of an attempt, ${path}, cannot be made: ${why}`,
    fix: ({ path }: { path: string }) =>
      `look at ${path}: free disk space and rights are needed, and a directory of that name must not exist yet (move it away)`,
  },
  RUNS_REPORT_TOO_LARGE: {
    status: 400,
    says: ({ bytes, mostBytes }: { bytes: number; mostBytes: number }) =>
      `the report would have ${bytes} bytes, more than ${mostBytes}`,
    fix: 'put large results into files of the workspace and name them in `data`',
  },
  RUNS_ATTACHMENT_GONE: {
    status: 500,
    says: ({ name, sha256 }: { name: string; sha256: string }) =>
      `the file ${JSON.stringify(name)} is on the card, and its bytes are not in the store (attachments/${sha256.slice(0, 2)}/${sha256} of the home)`,
    fix: 'attach it again: yardmaster attach T FILE; a backup of the home’s folder attachments brings back all of them',
  },
})
