import { closeSync, constants, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
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

/** Whole or not at all: written beside its name first. */
async function toFile(deps: CliDeps, file: string): Promise<number> {
  const unfinished = `${file}.unfinished`
  const descriptor = openNew(unfinished, file)
  let lines = 0
  try {
    const isWhole = await eachLine(deps, (line) => {
      writeSync(descriptor, `${line}\n`)
      lines += 1
    })
    if (!isWhole) {
      rmSync(unfinished)
      return exitCode.interrupted
    }
    renameSync(unfinished, file)
  } catch (fault) {
    rmSync(unfinished, { force: true })
    throw fault
  } finally {
    closeSync(descriptor)
  }
  const board = deps.flags.board ?? usualBoard
  if (deps.flags.json) writeJson(deps, { file, board, tasks: lines - 1 })
  else if (!deps.flags.quiet) {
    deps.out.write(`${count(lines - 1, 'task')} of board ${board} in ${file}. Elsewhere: yardmaster import ${file}\n`)
  }
  return exitCode.ok
}

function openNew(unfinished: string, file: string): number {
  try {
    closeSync(openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600))
    rmSync(file) // it can be made, and was not there
    return openSync(unfinished, 'w', 0o600)
  } catch (cause) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw cliError(
      'CLI_BAD_USE',
      {
        says: taken ? `${file} is there already` : `${file} cannot be written: ${(cause as Error).message}`,
        fix: taken ? 'name another file; nothing is written over' : 'name a file in a folder that you may write to',
      },
      cause,
    )
  }
}

/** False when somebody has had enough of it. */
async function eachLine(deps: CliDeps, write: (line: string) => void): Promise<boolean> {
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const ends = AbortSignal.any([deps.signals.interrupted, deps.out.closed])
    for await (const line of yard.client.exportBoard(deps.flags.board ?? usualBoard, ends)) write(line)
    return !ends.aborted
  } finally {
    await yard.close()
  }
}
