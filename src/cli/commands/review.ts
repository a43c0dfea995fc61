import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { splitText } from '../text-operand.ts'

/** `approve T… [TEXT]`: what waits for a review is done. */
export function registerApprove(program: Command, commands: Commands): void {
  withFilters(program.command('approve').argument('[target_text...]', 'tasks in review, and a note'))
    .usage('TARGET… [TEXT] [flags]')
    .description('say of tasks in review that they are done')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        return actOnTasks(deps, approve, { targets, filters: options, text })
      }),
    )
}

/** `reject T TEXT`: another attempt, which reads what is to change. */
export function registerReject(program: Command, commands: Commands): void {
  withFilters(program.command('reject').argument('[target_text...]', 'tasks in review, and what is to change'))
    .usage('TARGET… TEXT [flags]')
    .description('send tasks in review back with what is to change')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        if (text === undefined || text.trim() === '') {
          throw cliError('CLI_BAD_USE', { says: 'reject needs what is to change', fix: reject.example })
        }
        return actOnTasks(deps, reject, { targets, filters: options, text })
      }),
    )
}

const inReview = { natural: ['review'], naturalWords: 'in review' } as const

const approve: TaskAct = {
  ...inReview,
  verb: 'approve',
  example: 'yardmaster approve T5',
  asks: 'Approve',
  says: (task) => `T${task.id} done.`,
}

const reject: TaskAct = {
  ...inReview,
  verb: 'reject',
  example: 'yardmaster reject T5 "the tests for logout are missing"',
  asks: 'Send back',
  says: (task) => `T${task.id} goes back; its next attempt reads what is to change.`,
}
