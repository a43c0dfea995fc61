import type { Command } from 'commander'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'

/**
 * `chat -q "<prompt>"` is a program of its own that `bin` starts when `chat` is the first word, because it starts once
 * a card. Here it only has its line in the help.
 */
export function registerChat(program: Command, commands: Commands): void {
  program
    .command('chat')
    .usage('-q PROMPT [flags]')
    .argument('[prompt]', 'what to do, in one turn')
    .description('our agent: one turn, the answer on standard output; exits 0, 1, 75 or 130')
    .action(
      commands.answer(async () => {
        throw cliError('CLI_BAD_USE', {
          says: 'chat must be the first word of the line',
          fix: 'yardmaster chat -q "…"; what it takes: yardmaster chat --help',
        })
      }),
    )
}
