import type { Command } from 'commander'
import type { TaskView } from '../../api/contract/index.ts'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { onOneLine } from '../render/visible.ts'
import { heldWords } from '../render/words.ts'
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
  says: stopped,
}

/** Stopping what has ended is no error, because the wish is fulfilled; but nothing was stopped. */
function stopped({ id, status, hold, open_run, settled_at, last_run }: TaskView): string {
  if (settled_at !== null) return `T${id} is ${status} already: nothing of it runs.`
  if (status === 'blocked' && hold !== null && hold.code !== 'stopped') {
    return `T${id} needs you already, and nothing of it runs: ${onOneLine(hold.text)} [${onOneLine(hold.code)}]`
  }
  if (open_run === null) return `T${id} stopped. Go on: yardmaster retry T${id}`
  const held = heldWords(last_run)
  if (held !== undefined) return `T${id} is to be stopped, but R${open_run} is ${held}. Look: yardmaster why T${id}`
  return `T${id} is being stopped: attempt R${open_run} is ended. Go on later: yardmaster retry T${id}`
}
