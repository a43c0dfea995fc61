import { type Command, Option } from 'commander'
import type { ArchivedView, TaskView } from '../../api/contract/index.ts'
import { changeTasks, type ManyTasks } from '../act-on-tasks.ts'
import type { Commands } from '../command.ts'
import { cliError } from '../errors.ts'
import { type Filters, withFilters } from '../targets/filters.ts'

interface ArchiveOptions extends Filters {
  readonly children?: 'release' | 'wait' | 'archive'
  readonly undo?: true
}

/** `archive T… | B…`: ended tasks leave the lists and stay on record; `--undo` brings them back. */
export function registerArchive(program: Command, commands: Commands): void {
  withFilters(program.command('archive').argument('[targets...]', 'tasks that have ended'))
    .usage('TARGET… [flags]')
    .addOption(
      new Option(
        '--children <choice>',
        'what becomes of tasks that wait for them: release (they may start), wait, or archive (cancelled and archived too)',
      ).choices(['release', 'wait', 'archive']),
    )
    .option('--undo', 'back into the lists')
    .description('take ended tasks out of lists; reports and show keep them')
    .action(
      commands.answer<ArchiveOptions>((deps, { args, options }) => {
        const { children, undo, ...filters } = options
        const input = { targets: args, filters }
        if (undo && children !== undefined) {
          throw cliError('CLI_BAD_USE', {
            says: '--undo brings tasks back, and --children says what becomes of others when they go',
            fix: 'leave one of the two out',
          })
        }
        if (undo) return changeTasks(deps, back, { ...input, change: (client, id) => client.unarchive(id) })
        const body = children === undefined ? {} : { children }
        return changeTasks(deps, away(children), { ...input, change: (client, id) => client.archive(id, body) })
      }),
    )
}

const away = (children: ArchiveOptions['children']): ManyTasks<ArchivedView> => ({
  verb: 'archive',
  natural: ['done', 'failed', 'cancelled'],
  naturalWords: 'over',
  example: 'yardmaster archive T5, or all that are done: yardmaster archive --status done',
  asks: 'Archive',
  says: ({ task, children: others }) => {
    const gone = [task.id, ...(children === 'archive' && others.length <= mostNamed ? others : [])]
    const undo = `yardmaster archive --undo ${gone.map((id) => `T${id}`).join(' ')}`
    return `T${task.id} archived${others.length === 0 ? '' : `; ${becomes(children)}: ${namesOf(others)}`}. Back: ${undo}`
  },
})

const back: ManyTasks<TaskView> = {
  verb: 'archive --undo',
  natural: [],
  naturalWords: 'archived',
  example: 'yardmaster archive --undo T5; what is archived: yardmaster list --archived',
  asks: 'Bring back',
  among: 'archived',
  says: (task) => `T${task.id} is in the lists again (${task.status}). Look: yardmaster show T${task.id}`,
}

function becomes(children: ArchiveOptions['children']): string {
  if (children === 'release') return 'no longer waiting for it'
  return children === 'wait' ? 'still waiting for it' : 'cancelled and archived with it'
}

/** Thousands may wait. */
const mostNamed = 5

function namesOf(ids: readonly number[]): string {
  const names = ids.slice(0, mostNamed).map((id) => `T${id}`)
  return `${names.join(', ')}${ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''}`
}
