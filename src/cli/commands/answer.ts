import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'
import { statusWord } from '../render/words.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { splitText } from '../text-operand.ts'

/** `answer T TEXT`: what an attempt asked is answered; the task goes on, and its next attempt reads the answer. */
export function registerAnswer(program: Command, commands: Commands): void {
  withFilters(program.command('answer').argument('[target_text...]', 'tasks that ask something, and the answer'))
    .usage('TARGET… TEXT [flags]')
    .description('answer what an attempt asked, and let the task go on')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const { targets, text } = await splitText(deps, { args, filtered: isFiltered(options) })
        const act = answerAct(deps.clock.nowMs())
        if (text === undefined || text.trim() === '') {
          throw cliError('CLI_BAD_USE', { says: 'answer needs a text', fix: act.example })
        }
        return actOnTasks(deps, act, { targets, filters: options, text })
      }),
    )
}

const answerAct = (nowMs: number): TaskAct => ({
  verb: 'answer',
  natural: ['blocked'],
  naturalWords: 'held for a person',
  example: 'yardmaster answer T5 "Redis, not in memory"',
  says: (task) => `T${task.id} ${statusWord(task, nowMs)} again; its next attempt reads the answer.`,
})
