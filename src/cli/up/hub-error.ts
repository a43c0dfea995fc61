import { YardError } from '../../kernel/index.ts'
import { exitCode } from '../command.ts'

export interface EndedHub {
  readonly pid: number
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  /** All that it printed. */
  readonly said: string
}

/**
 * The error that a hub of ours has printed last before it ended, as the error that it was: code, text and fix as
 * `printError` writes them, 4xx where it ended with 2 or may be tried later. Undefined where it ended without a word of that form.
 * `values.hubPid` names the hub.
 */
export function readHubError({ pid, exitCode: code, said }: EndedHub): YardError | undefined {
  const begin = `\n${said}`.lastIndexOf('\nerror: ')
  const found = begin < 0 ? null : printed.exec(said.slice(begin))
  if (found === null) return undefined
  const [, message = '', name = '', faults = '', fix = ''] = found
  const isBadInput = code === exitCode.badInput || code === exitCode.tryLater
  return new YardError({
    code: name,
    status: isBadInput ? 400 : 500,
    message: faults === '' ? message : `${message}\n${faults.trimEnd()}`,
    fix: fix.trimEnd(),
    values: { hubPid: pid },
  })
}

const printed = /^error: ([\s\S]+?) \[([A-Z]+(?:_[A-Z\d]+)+)\]\n((?: {2}.*\n)*?) {2}fix: ([\s\S]+)$/
