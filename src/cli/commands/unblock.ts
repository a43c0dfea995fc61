import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { statusWord } from '../render/words.ts'
import { type Filters, withFilters } from '../targets/filters.ts'

/** `unblock T…`: what waited for a person goes on, its failures counted from 0. */
export function registerUnblock(program: Command, commands: Commands): void {
  withFilters(program.command('unblock').argument('[targets...]', 'tasks that need you'))
    .usage('TARGET… [flags]')
    .description('let tasks go on that need you')
    .action(
      commands.answer<Filters>((deps, { args, options }) =>
        actOnTasks(deps, act(deps.clock.nowMs()), { targets: args, filters: options, text: undefined }),
      ),
    )
}

const act = (nowMs: number): TaskAct => ({
  verb: 'unblock',
  natural: ['blocked'],
  naturalWords: 'held for a person',
  example: 'yardmaster unblock T5, or all of them: yardmaster unblock @needs-me',
  says: (task) => `T${task.id} ${statusWord(task, nowMs)} again.`,
})
