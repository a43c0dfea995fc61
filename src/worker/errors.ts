import { defineErrors } from '../kernel/index.ts'

/** Everything that `chat -q` and the rehearsal provider refuse. Held to docs/errors.md by a test. */
export const workerError = defineErrors({
  WORKER_BAD_ARGUMENTS: {
    status: 400,
    says: ({ faults }: { readonly faults: readonly string[] }) => `chat cannot start: ${faults.join('; ')}`,
    fix: 'see yardmaster chat --help',
  },
  WORKER_NO_KEY: {
    status: 400,
    says: ({ variables }: { readonly variables: readonly string[] }) =>
      `no API key: ${variables.join(' and ')} not set`,
    fix: 'set the variable, or say --no-key for a server that needs none',
  },
  WORKER_NO_PROMPT: {
    status: 400,
    says: ({ file, why }: { readonly file: string; readonly why: string }) => `the file ${file} cannot be used: ${why}`,
    fix: 'give a file with text in UTF-8',
  },
  WORKER_SCENARIO_FAULTY: {
    status: 400,
    says: ({ file, text }: { readonly file: string; readonly text: string }) => `${file} is no scenario:\n${text}`,
    fix: 'mend these lines; docs/rehearsal.md describes the format',
  },
  WORKER_PORT_TAKEN: {
    status: 400,
    says: ({ port, code }: { readonly port: number; readonly code: string }) => `port ${port} cannot be used (${code})`,
    fix: 'take another one, or leave --port out for a free one',
  },
})
