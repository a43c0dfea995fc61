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
})
