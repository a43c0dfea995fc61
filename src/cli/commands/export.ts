import { resolve } from 'node:path'
import type { Command } from 'commander'
import { shellWord } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { openNewFile } from '../new-file.ts'
import { writeJson } from '../output.ts'
import { count } from '../render/words.ts'

/** The board that commands mean where nobody names one. */
const usualBoard = 'main'

/** `export [-b BOARD] [FILE]`: one board as JSON Lines, on standard output where no file is named. */
export function registerExport(program: Command, commands: Commands): void {
  program
    .command('export')
    .argument('[file]', 'a file that is not there yet; without it, or -: standard output')
    .description('write one board (-b) as JSON Lines: its tasks with all that is known of them, no secrets')
    .action(
      commands.answer((deps, { args: [file] }) =>
        file === undefined || file === '-' ? toOutput(deps) : toFile(deps, resolve(deps.cwd, file)),
      ),
    )
}

async function toOutput(deps: CliDeps): Promise<number> {
  const isWhole = await eachLine(deps, (line) => deps.out.write(`${line}\n`))
  return isWhole ? exitCode.ok : exitCode.interrupted
}

async function toFile(deps: CliDeps, path: string): Promise<number> {
  const file = openNewFile(deps, path)
  let lines = 0
  try {
    const isWhole = await eachLine(deps, (line) => {
      file.write(`${line}\n`)
      lines += 1
    })
    if (!isWhole) return exitCode.interrupted
    file.keep()
  } finally {
    file.drop()
  }
  const board = deps.flags.board ?? usualBoard
  if (deps.flags.json) writeJson(deps, { file: path, board, tasks: lines - 1 })
  else if (!deps.flags.quiet) {
    const again = `yardmaster import ${shellWord(path)}`
    deps.out.write(`${count(lines - 1, 'task')} of board ${board} in ${path}. Elsewhere: ${again}\n`)
  }
  return exitCode.ok
}

/** False when somebody has had enough of it. */
async function eachLine(deps: CliDeps, write: (line: string) => void): Promise<boolean> {
  const yard = await deps.openYard({ store: 'read' })
  try {
    const ends = AbortSignal.any([deps.signals.interrupted, deps.out.closed])
    for await (const line of yard.client.exportBoard(deps.flags.board ?? usualBoard, ends)) write(line)
    return !ends.aborted
  } finally {
    await yard.close()
  }
}
