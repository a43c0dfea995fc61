import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { type Filters, withFilters } from '../targets/filters.ts'

/** `ready T…`: a draft may start. */
export function registerReady(program: Command, commands: Commands): void {
  withFilters(program.command('ready').argument('[targets...]', 'drafts'))
    .usage('TARGET… [flags]')
    .description('let drafts start')
    .action(
      commands.answer<Filters>((deps, { args, options }) =>
        actOnTasks(deps, act, { targets: args, filters: options, text: undefined }),
      ),
    )
}

const act: TaskAct = {
  verb: 'ready',
  natural: ['triage'],
  naturalWords: 'a draft',
  example: 'yardmaster ready T5',
  says: (task) => (task.status === 'todo' ? `T${task.id} waits for what it needs.` : `T${task.id} ready.`),
}
