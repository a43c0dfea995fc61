import { createInterface } from 'node:readline'
import type { CliDeps } from './command.ts'
import { cliError } from './errors.ts'

/** Asks a person on a terminal; a line in a script (no terminal, `-y`, `--json`) has said what it wants already. */
export async function confirm(
  { stdin, err, flags, signals }: Pick<CliDeps, 'stdin' | 'err' | 'flags' | 'signals'>,
  question: string,
): Promise<boolean> {
  if (flags.yes || flags.json || !stdin.isTerminal || !err.isTerminal) return true
  err.write(`${question} [y/N] `)
  const lines = createInterface({ input: stdin.stream })
  try {
    const answer = await firstLine(lines, signals.interrupted)
    const isYes = /^y(es)?$/i.test(answer?.trim() ?? '')
    // Ctrl-C and Ctrl-D leave the cursor behind the question.
    if (!isYes) err.write(`${answer === undefined ? '\n' : ''}Nothing was done.\n`)
    return isYes
  } finally {
    lines.close()
  }
}

/**
 * Asks before what cannot be taken back. Where nobody can be asked, `-y` must have been said: throws `CLI_NEEDS_YES`.
 */
export async function confirmGrave(
  deps: Pick<CliDeps, 'stdin' | 'err' | 'flags' | 'signals'>,
  question: string,
): Promise<boolean> {
  const { stdin, err, flags } = deps
  if (!flags.yes && (flags.json || !stdin.isTerminal || !err.isTerminal)) {
    throw cliError('CLI_NEEDS_YES', { question })
  }
  return confirm(deps, question)
}

/** Undefined where no line came: the end of the input, or Ctrl-C. */
function firstLine(lines: ReturnType<typeof createInterface>, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
