import { execFile } from 'node:child_process'

/** A start that hangs is as bad as one that fails. */
const deadlineMs = 10_000

export interface SelfTest {
  /** Program by absolute path, and arguments that make it end at once. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/**
 * Starts something trivial as a worker of the lane would be started, with the same environment, stdin at its end. Answers
 * undefined when it ended well, else what happened in words (C177): a stripped PATH or a broken installation is told
 * before a task meets it.
 */
export function runSelfTest({ argv, env, cwd }: SelfTest, signal: AbortSignal): Promise<string | undefined> {
  const [program = '', ...args] = argv
  return new Promise((resolve) => {
    const options = { cwd, env: { ...env }, signal, timeout: deadlineMs, killSignal: 'SIGKILL' } as const
    const child = execFile(program, args, options, (fault, _, said) => {
      if (fault === null || signal.aborted) return resolve(undefined)
      const how =
        fault.killed === true ? `took longer than ${deadlineMs / 1_000} s` : `ended with ${fault.code ?? fault.signal}`
      resolve(`its self-test ${how}: ${argv.join(' ')}${said === '' ? '' : `: ${said.trim().slice(0, 300)}`}`)
    })
    child.stdin?.end()
  })
}
