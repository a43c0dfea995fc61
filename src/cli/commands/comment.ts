import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { splitText } from '../text-operand.ts'

/** `comment T TEXT`: a note on the card; the next attempt reads it too. */
export function registerComment(program: Command, commands: Commands): void {
  withFilters(program.command('comment').argument('[target_text...]', 'tasks, and the note (- from standard input)'))
    .usage('TARGET… TEXT [flags]')
    .description('write a note on tasks; the next attempt reads it')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        if (text === undefined || text.trim() === '') {
          throw cliError('CLI_BAD_USE', { says: 'comment needs a text', fix: act.example })
        }
        return actOnTasks(deps, act, { targets, filters: options, text })
      }),
    )
}

const act: TaskAct = {
  verb: 'comment',
  natural: [],
  naturalWords: 'there',
  example: 'yardmaster comment T5 "the design is in docs/login.md"',
  says: (task) => `T${task.id}: noted.`,
}
