import type { Command } from 'commander'
import type { Client } from '../../api/client/index.ts'
import type { ListTasksQuery, TaskView } from '../../api/contract/index.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { sayNoneOfThese, writeJson } from '../output.ts'
import { asText } from '../render/as-text.ts'
import { heldWords } from '../render/words.ts'
import type { ShowLook } from '../show/run-lines.ts'
import { whyGroups, whyLines } from '../show/why-lines.ts'
import { type Filters, isFiltered, queryOf, withFilters } from '../targets/filters.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveBatch, resolveTasks } from '../targets/resolve-tasks.ts'

/** `why T`: why it is not running. `why` alone: all that wait or are held, the same reasons together. */
export function registerWhy(program: Command, commands: Commands): void {
  withFilters(program.command('why').argument('[targets...]', 'tasks; without one: all that wait'))
    .usage('[TARGET…] [flags]')
    .description('why a task is not running, and what would change that')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const yard = await deps.openYard({ store: 'read' })
        try {
          await (args.length === 0 ? whyAll(deps, yard, options) : whyEach(deps, yard, { texts: args, options }))
          return exitCode.ok
        } finally {
          await yard.close()
        }
      }),
    )
}

async function whyEach(
  deps: CliDeps,
  yard: Yard,
  { texts, options }: { readonly texts: readonly string[]; readonly options: Filters },
): Promise<void> {
  const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
  const asked = { texts, filters: options, board: deps.flags.board, natural: waitingStatuses }
  const { ids } = await resolveTasks(lookUp, asked)
  if (ids.length === 0) sayNoneOfThese(deps)
  for (const id of ids) {
    const why = await yard.client.why(id)
    if (deps.flags.json) writeJson(deps, why)
    else deps.out.write(asText(whyLines(why, lookOf(deps))))
    rememberTarget(deps.home, `T${id}`)
  }
}

const waitingStatuses = ['triage', 'todo', 'ready', 'blocked', 'review']

/** Most tasks that are asked about at once; a board may hold 100,000. */
const askedAtMost = 200

async function whyAll(deps: CliDeps, { client }: Yard, options: Filters): Promise<void> {
  const batch = options.batch === undefined ? undefined : await resolveBatch(client, options.batch)
  const query = queryOf(options, { board: deps.flags.board, batch })
  const status = query.status ?? waitingStatuses.join(',')
  const page = await client.listTasks({ ...query, status, limit: askedAtMost })
  const held = query.status === undefined ? await heldTasks(client, query) : []
  const whys = await Promise.all([...held, ...page.rows].map((task) => client.why(task.id)))
  if (deps.flags.json) return writeJson(deps, whys)
  const narrowed = isFiltered(options) ? ' of these' : ''
  const lines = whys.length === 0 ? [`No task${narrowed} waits.`] : whyGroups(whys, lookOf(deps))
  const more =
    page.next === null ? [] : [`These are the first ${askedAtMost}; --batch, --lane, --label and --status narrow it.`]
  const [first] = whys
  const next = first === undefined ? 'yardmaster list' : `yardmaster why T${first.task}`
  deps.out.write(asText([...lines, ...more, `${deps.paint.dim('Next:')} ${next}`]))
}

/** They count as running and do not get on: a person has to look at them. */
async function heldTasks(client: Client, query: ListTasksQuery): Promise<readonly TaskView[]> {
  const running = await client.listTasks({ ...query, status: 'running', limit: askedAtMost })
  return running.rows.filter(({ last_run }) => heldWords(last_run) !== undefined)
}

const lookOf = ({ out, clock, paint }: CliDeps): ShowLook => ({ width: out.width(), nowMs: clock.nowMs(), paint })
