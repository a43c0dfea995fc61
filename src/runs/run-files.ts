import { join } from 'node:path'

/** The files of a run directory; `prompt`, `report` and `hub` only where the lane uses them. */
export interface RunFiles {
  /** Everything that the worker wrote to stdout and stderr, in the order of writing. */
  readonly log: string
  readonly exit: string
  readonly prompt: string
  readonly report: string
  /** Where the hub answers. */
  readonly hub: string
}

export function composeRunFiles(runDir: string): RunFiles {
  return {
    log: join(runDir, 'output.log'),
    exit: join(runDir, 'exit'),
    prompt: join(runDir, 'prompt.md'),
    report: join(runDir, 'report.json'),
    hub: join(runDir, 'hub'),
  }
}
