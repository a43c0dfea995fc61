import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { type Filters, withFilters } from '../targets/filters.ts'

/** `stop T…`: its attempt is ended and the task waits for a person. */
export function registerStop(program: Command, commands: Commands): void {
  withFilters(program.command('stop').argument('[targets...]', 'tasks'))
    .usage('TARGET… [flags]')
    .description('end the attempt of tasks; they wait for you after that')
    .action(
      commands.answer<Filters>((deps, { args, options }) =>
        actOnTasks(deps, act, { targets: args, filters: options, text: undefined }),
      ),
    )
}

const act: TaskAct = {
  verb: 'stop',
  natural: ['running'],
  naturalWords: 'running',
  example: 'yardmaster stop T5',
  asks: 'Stop',
  says: (task) =>
    task.open_run === null
      ? `T${task.id} stopped. Go on: yardmaster retry T${task.id}`
      : `T${task.id} is being stopped: attempt R${task.open_run} is ended. Go on later: yardmaster retry T${task.id}`,
}
