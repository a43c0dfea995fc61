import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'

/** A text that came back from the editor. Its file is there until the text is safe elsewhere. */
export interface EditedText {
  readonly text: string
  readonly file: string
  forget(): void
}

/**
 * Opens a text in `$VISUAL`, else `$EDITOR`, else vi, in a private folder, and waits. An editor of flags
 * (`code --wait`) works as in git: a shell takes the setting apart and gets the file as an argument. This is not the
 * spawn of workers (`kernel/process`): the editor needs our terminal and has no tree to be watched.
 */
export function openEditor({ env, stdin }: Pick<CliDeps, 'env' | 'stdin'>, text: string): EditedText {
  const editor = [env.VISUAL, env.EDITOR].find((one) => one !== undefined && one !== '')
  if (editor === undefined && !stdin.isTerminal) throw cliError('CLI_NO_EDITOR', {})
  const file = join(mkdtempSync(join(tmpdir(), 'yardmaster-')), 'TASK.md')
  writeFileSync(file, text, { mode: 0o600 })
  const command = editor ?? 'vi'
  const { status, signal, error } = spawnSync('sh', ['-c', `${command} "$1"`, 'sh', file], {
    stdio: 'inherit',
    env: { ...env },
  })
  if (status !== 0) {
    const how = error?.message ?? (signal === null ? `exit ${status}` : `signal ${signal}`)
    throw cliError('CLI_EDITOR_FAILED', { editor: command, how, kept: file })
  }
  return {
    text: readFileSync(file, 'utf8'),
    file,
    forget: () => rmSync(dirname(file), { recursive: true, force: true }),
  }
}

/** Does what an edited text is for; the file goes once that is done, and is named when it could not be. */
export async function keepUntilDone<T>(
  { err }: Pick<CliDeps, 'err'>,
  edited: EditedText | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await act()
    edited?.forget()
    return answer
  } catch (fault) {
    if (edited !== undefined) err.write(`Your text is kept in ${edited.file}\n`)
    throw fault
  }
}
