import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { splitText } from '../text-operand.ts'

/** `retry T [TEXT]`: what failed, was cancelled, needs a person or is done runs again. */
export function registerRetry(program: Command, commands: Commands): void {
  withFilters(program.command('retry').argument('[target_text...]', 'tasks, and what to tell the next attempt'))
    .usage('TARGET… [TEXT] [flags]')
    .description('run tasks again; TEXT goes into the next attempt')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        return actOnTasks(deps, act, { targets, filters: options, text })
      }),
    )
}

const act: TaskAct = {
  verb: 'retry',
  natural: ['failed'],
  naturalWords: 'failed',
  example: 'yardmaster retry T5, or every failed one: yardmaster retry @failed',
  says: ({ id, status, failures }) => {
    if (status === 'todo') return `T${id} waits again for what it needs, its failures counted from 0.`
    // It had not ended: only its wait did.
    if (failures > 0) return `T${id} goes now; what it has failed (${failures}) stays counted.`
    return `T${id} ready again, its failures counted from 0.`
  },
}
