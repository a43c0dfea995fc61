import { resolve } from 'node:path'
import type { Command } from 'commander'
import { describeSize, shellWord } from '../../kernel/index.ts'
import { type Commands, exitCode } from '../command.ts'
import { writeJson } from '../output.ts'
import { count } from '../render/words.ts'

/** `backup [FILE]`: a copy of all boards, made also while the hub works. */
export function registerBackup(program: Command, commands: Commands): void {
  program
    .command('backup')
    .argument('[file]', 'a file that is not there yet; without it: one in the folder backups of the home')
    .description('copy all boards into one file, also while the hub works')
    .action(
      commands.answer(async (deps, { args: [file] }) => {
        const { out, flags, cwd } = deps
        const yard = await deps.openYard({ store: 'must_exist' })
        try {
          const made = await yard.client.backup(file === undefined ? undefined : resolve(cwd, file))
          if (flags.json) writeJson(deps, made)
          else if (flags.quiet) out.write(`${made.file}\n`)
          else {
            const what = `${count(made.tasks, 'task')}, ${describeSize(made.bytes)}. Logs and workspaces are not in it`
            out.write(`Backup ${made.file}: ${what}.\nPut it back: yardmaster restore ${shellWord(made.file)}\n`)
          }
          return exitCode.ok
        } finally {
          await yard.close()
        }
      }),
    )
}
