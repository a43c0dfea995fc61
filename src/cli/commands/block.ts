import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'
import { onOneLine } from '../render/visible.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { splitText } from '../text-operand.ts'

/** `block T TEXT`: it waits for a person, and everybody reads why. */
export function registerBlock(program: Command, commands: Commands): void {
  withFilters(program.command('block').argument('[target_text...]', 'tasks, and why'))
    .usage('TARGET… TEXT [flags]')
    .description('hold tasks until a person unblocks them')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        if (text === undefined || text.trim() === '') {
          throw cliError('CLI_BAD_USE', { says: 'block needs a reason', fix: act.example })
        }
        return actOnTasks(deps, act, { targets, filters: options, text })
      }),
    )
}

const act: TaskAct = {
  verb: 'block',
  natural: ['triage', 'todo', 'ready', 'review'],
  naturalWords: 'waiting',
  example: 'yardmaster block T5 "wait for the design"',
  says: (task) =>
    `T${task.id} is held: "${onOneLine(task.hold?.text ?? '')}". Let it go on: yardmaster unblock T${task.id}`,
}
