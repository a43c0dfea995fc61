import { defineErrors } from '../../kernel/index.ts'

/** What can be wrong between a client and its hub; what the hub itself refuses keeps the hub's code. */
export const clientError = defineErrors({
  CLIENT_HUB_GONE: {
    status: 503,
    says: ({ address, why }: { address: string; why: string }) => `the hub at ${address} does not answer: ${why}`,
    fix: 'yardmaster up; if it says that a hub is up, look into the log/hub.log of the home',
  },
  CLIENT_BAD_ANSWER: {
    status: 502,
    says: ({ address, status, text }: { address: string; status: number; text: string }) =>
      `what answered at ${address} is no hub of this version (status ${status}: ${text})`,
    fix: 'yardmaster down with the program that started it, then yardmaster up',
  },
  CLIENT_TOKEN_BROKEN: {
    status: 500,
    says: ({ file, why }: { file: string; why: string }) => `the token file ${file} cannot be trusted: ${why}`,
    fix: ({ file }: { file: string }) => `remove ${file}; the next start makes a new one`,
  },
})
