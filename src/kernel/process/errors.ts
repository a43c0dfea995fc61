import { defineErrors } from '../index.ts'

export const processError = defineErrors({
  PROCESS_NO_PROC: {
    status: 500,
    says: ({ why }: { why: string }) => `processes cannot be identified here: ${why}`,
    fix: 'mount /proc for this pid namespace (unshare --mount-proc, or docker without --pid tricks) and start again',
  },
  PROCESS_LOCK_FAILED: {
    status: 500,
    says: ({ path, why }: { path: string; why: string }) => `the lock file ${path} cannot be used: ${why}`,
    fix: 'put the home on a local disk that this user may write, or name another home in YARDMASTER_HOME',
  },
  PROCESS_BAD_VARIABLE: {
    status: 400,
    says: ({ name }: { name: string }) =>
      `the environment variable ${JSON.stringify(name)} cannot be set: a name is letters, digits and "_", no digit first, and a value holds no NUL byte`,
    fix: 'correct `env` or `pass_env` where this variable is named',
  },
})
