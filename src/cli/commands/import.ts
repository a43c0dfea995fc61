import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ImportView } from '../../api/contract/index.ts'
import { readText } from '../../kernel/config/index.ts'
import { YardError } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { onOneLine } from '../render/visible.ts'
import { count, statusWord } from '../render/words.ts'

/** `import FILE`: an exported board, with new numbers, as a board of its own or into one that is named with -b. */
export function registerImport(program: Command, commands: Commands): void {
  program
    .command('import')
    .argument('<file>', 'what yardmaster export has written; -: standard input')
    .description('take over an exported board: all of it or nothing, with new numbers; -b names it')
    .action(
      commands.answer(async (deps, { args: [file = '-'] }) => {
        const text = file === '-' ? await deps.stdin.readAll() : readFile(deps, file)
        const yard = await deps.openYard()
        try {
          const { board } = deps.flags
          const asked = board === undefined ? { text } : { board, text }
          const imported = await yard.client.importBoard(asked).catch((fault: unknown) => sayFile(file, fault))
          if (deps.flags.json) writeJson(deps, imported)
          else if (deps.flags.quiet) deps.out.write(imported.tasks.map(({ id }) => `T${id}\n`).join(''))
          else deps.out.write(importedText(deps, imported))
          return exitCode.ok
        } finally {
          await yard.close()
        }
      }),
    )
}

function readFile({ cwd }: CliDeps, file: string): string {
  const path = resolve(cwd, file)
  const read = readText(path)
  if (read.ok) return read.text
  throw cliError('CLI_FILE_NOT_READ', { path, why: read.why })
}

/** A line of a file says little without the file. */
function sayFile(file: string, fault: unknown): never {
  if (!(fault instanceof YardError) || fault.code !== 'API_BAD_REQUEST') throw fault
  const { code, status, fix, values } = fault
  const name = file === '-' ? 'standard input' : file
  throw new YardError({ code, status, fix, values, message: `${name}: ${fault.message}`, cause: fault })
}

function draftWords(drafts: number): string {
  if (drafts === 0) return ''
  return drafts === 1
    ? ', 1 of them a draft now: it starts when you say so'
    : `, ${drafts} of them drafts now: they start when you say so`
}

function importedText({ clock, paint }: CliDeps, { board, tasks }: ImportView): string {
  const nowMs = clock.nowMs()
  const lines = tasks.map(({ from, id, title, status, note }) => {
    const why = note === null ? '' : `: ${onOneLine(note)}`
    return `T${from} is T${id}  ${onOneLine(title)} (${statusWord({ status }, nowMs)}${why})`
  })
  const drafts = tasks.filter(({ note }) => note !== null)
  const first = drafts[0]
  return [
    ...lines,
    `${count(tasks.length, 'task')} on board ${board}${draftWords(drafts.length)}.`,
    `${paint.dim('Next:')} yardmaster list -b ${board}${first === undefined ? '' : ` · yardmaster ready T${first.id}`}`,
    '',
  ].join('\n')
}
