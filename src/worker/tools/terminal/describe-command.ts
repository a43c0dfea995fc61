import { assertNever, cutAtWord, describeDuration } from '../../../kernel/index.ts'
import type { CommandEnd } from './running-command.ts'

/** `exit 0`, and how else a command may have ended. */
export function describeEnd(end: CommandEnd): string {
  switch (end.kind) {
    case 'code':
      return `exit ${end.code}`
    case 'signal':
      return `ended by ${end.signal}`
    case 'timed_out':
      return 'stopped after its limit'
    case 'interrupted':
      return 'stopped because the worker was told to stop'
    case 'out_of_time':
      return 'stopped because the time of the run was up'
    case 'killed':
      return 'killed as you asked'
    case 'closed':
      return 'ended with the worker'
    default:
      return assertNever(end)
  }
}

/** A command in one line of the log. */
export function oneLine(command: string): string {
  const line = cutAtWord(command, 1_000).replace(/\s+/g, ' ').trim()
  return line.length <= 120 ? line : `${cutAtWord(line, 119)}…`
}

/** What stands under an output: the last line that the model reads of a command. */
export function footer(says: readonly (string | undefined)[]): string {
  return says.flatMap((line) => (line === undefined ? [] : [`\n[${line}]`])).join('')
}

/** `exit 0, 3s`. */
export const withTime = (says: string, elapsedMs: number): string => `${says}, ${describeDuration(elapsedMs)}`
