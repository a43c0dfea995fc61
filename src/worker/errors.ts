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
      variables.length === 1
        ? `no API key: ${variables[0]} is not set`
        : `no API key: none of ${variables.join(', ')} is set`,
    fix: 'set one, or say --no-key for a server that needs none',
  },
  WORKER_NO_PROMPT: {
    status: 400,
    says: ({ what, why }: { readonly what: string; readonly why: string }) =>
      `no prompt can be read from ${what}: ${why}`,
    fix: 'give text in UTF-8',
  },
  WORKER_BAD_INPUT: {
    status: 400,
    says: ({ why }: { readonly why: string }) => `what was piped into chat cannot be used: ${why}`,
    fix: 'pipe text in UTF-8 of at most 16 MiB; a larger or other file can lie in the folder and be named in the prompt',
  },
  WORKER_SCHEMA_FAULTY: {
    status: 400,
    says: ({ file, faults }: { readonly file: string; readonly faults: readonly string[] }) =>
      `${file} is no JSON Schema for an answer: ${faults.join('; ')}`,
    fix: 'name a file that holds one whole JSON Schema',
  },
  WORKER_TRANSCRIPT_NOT_MADE: {
    status: 400,
    says: ({ file, why }: { readonly file: string; readonly why: string }) =>
      `the transcript ${file} cannot be written: ${why}`,
    fix: 'name a file in a folder that you may write to, or leave --transcript out',
  },
  WORKER_TRANSCRIPT_NOT_READ: {
    status: 400,
    says: ({ file, why }: { readonly file: string; readonly why: string }) =>
      `${file} cannot be read as a transcript: ${why}`,
    fix: 'name a transcript.jsonl that is whole; without one leave --continue out',
  },
  WORKER_NO_HUB: {
    status: 503,
    says: ({ file, why }: { readonly file: string; readonly why: string }) =>
      `the file ${file} does not say where the hub answers (${why})`,
    fix: 'yardmaster up: a hub that goes on with the run writes its address there',
  },
  WORKER_NO_SANDBOX: {
    status: 400,
    says: ({ why }: { readonly why: string }) => `commands cannot be put into a sandbox: ${why}`,
    fix: 'apt-get install bubblewrap and allow user namespaces, or say sandbox: none',
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
