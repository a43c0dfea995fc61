import type { CliDeps } from './command.ts'
import { cliError } from './errors.ts'

/** Operands that can only be targets, whatever stands after them. */
const unmistakable = /^(T\d+|T?\d+-T?\d+|[RB]\d+|@\S+)$/i

export interface TextInput {
  readonly args: readonly string[]
  /** With filters on the line no target is needed, so the first word may be the text. */
  readonly filtered: boolean
}

/**
 * Takes `T5 T6 "text"` apart: targets first, then at most one text (`-`: from standard input). The first operand is
 * a target unless filters name them. Throws `CLI_BAD_USE` for a second text, which is mostly a forgotten quote.
 */
export async function splitText(
  { stdin }: Pick<CliDeps, 'stdin'>,
  { args, filtered }: TextInput,
): Promise<{ readonly targets: readonly string[]; readonly text: string | undefined }> {
  let targets = 0
  while (targets < args.length && ((targets === 0 && !filtered) || unmistakable.test(args[targets] ?? ''))) targets += 1
  const [text, ...more] = args.slice(targets)
  if (more.length > 0) {
    throw cliError('CLI_BAD_USE', {
      says: `one text is taken, and here are ${more.length + 1}: "${text}", "${more[0]}"${more.length > 1 ? ', …' : ''}`,
      fix: 'put the text in quotes',
    })
  }
  return { targets: args.slice(0, targets), text: text === '-' ? await stdin.readAll() : text }
}
