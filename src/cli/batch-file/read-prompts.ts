import { relative, resolve } from 'node:path'
import { readText } from '../../kernel/config/index.ts'
import type { AddFault } from './add-fault.ts'
import type { WrittenTask } from './batch-schema.ts'
import { checkPlaceholders, type KnownNames } from './check-placeholders.ts'
import type { MatrixRow } from './expand-matrix.ts'
import { fillKnown } from './fill-texts.ts'

export interface PromptContext {
  /** Undefined: a task without a matrix, which is one row. */
  readonly rows: readonly MatrixRow[] | undefined
  /** Absolute folder of the batch file. */
  readonly dir: string
  /** What a prompt may refer to. */
  readonly known: KnownNames
  readonly add: AddFault
}

/** The prompt's text of each row: written in the batch file, or read from the file that it names. Each file is read once. */
export function readPrompts(
  prompt: WrittenTask['prompt'],
  { rows, dir, known, add }: PromptContext,
): ReadonlyMap<MatrixRow | undefined, string> {
  const prompts = new Map<MatrixRow | undefined, string>()
  if (prompt === undefined) return prompts
  const files = new Map<string, string | undefined>()
  for (const row of rows ?? [undefined]) {
    if (typeof prompt === 'string') {
      prompts.set(row, prompt)
      continue
    }
    const path = resolve(dir, fillKnown(prompt.file, row, known.env))
    if (!files.has(path)) files.set(path, readPrompt(path, { known, shown: relative(dir, path), add }))
    const text = files.get(path)
    if (text !== undefined) prompts.set(row, text)
  }
  return prompts
}

function readPrompt(
  path: string,
  { known, shown, add }: { readonly known: KnownNames; readonly shown: string; readonly add: AddFault },
): string | undefined {
  const read = readText(path)
  const fault = (says: string, fix: string) => add(['prompt', 'file'], { says: `names ${shown}, which ${says}`, fix })
  if (!read.ok) fault(`cannot be read: ${read.why}`, 'write that file, or mend its name')
  else if (read.text.trim() === '') fault('is empty', 'write the prompt into it')
  if (!read.ok) return undefined
  for (const { at, says, fix } of checkPlaceholders(read.text, known)) {
    const line = read.text.slice(0, at).split('\n').length
    add(['prompt', 'file'], { file: shown, line, says, fix })
  }
  return read.text
}
