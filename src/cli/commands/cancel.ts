import type { Command } from 'commander'
import { actOnTasks, type TaskAct } from '../act-on-tasks.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { confirm } from '../confirm.ts'
import { writeJson } from '../output.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { parseTarget } from '../targets/parse-target.ts'
import { findBatch, lastTarget } from '../targets/resolve-tasks.ts'

/** `cancel T… | B…`: tasks, or a batch as a whole (nothing more of it starts, and it gets its verdict). */
export function registerCancel(program: Command, commands: Commands): void {
  withFilters(program.command('cancel').argument('[targets...]', 'tasks, or one batch'))
    .usage('TARGET… [flags]')
    .description('end tasks, or a whole batch, for good')
    .action(
      commands.answer<Filters>(async (deps, { args, options }) => {
        const [only, ...others] = args
        if (only !== undefined && others.length === 0 && !isFiltered(options)) {
          const code = await cancelBatch(deps, only)
          if (code !== undefined) return code
        }
        return actOnTasks(deps, act, { targets: args, filters: options, text: undefined })
      }),
    )
}

const act: TaskAct = {
  verb: 'cancel',
  natural: ['triage', 'todo', 'ready', 'running', 'review', 'blocked'],
  naturalWords: 'open',
  example: 'yardmaster cancel T5',
  asks: 'Cancel',
  says: (task) =>
    task.open_run === null
      ? `T${task.id} cancelled.`
      : `T${task.id} is being cancelled: attempt R${task.open_run} is ended first.`,
}

/** Undefined where the line names no batch. */
async function cancelBatch(deps: CliDeps, text: string): Promise<number | undefined> {
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const id = await batchOf(deps, yard, text)
    if (id === undefined) return undefined
    const before = await yard.client.batch(id)
    const open = openTasks(before.counts.by_status)
    const name = onOneLine(before.name)
    if (open > 0 && !(await confirm(deps, `Cancel B${id} ${name} with ${count(open, 'open task')}?`))) {
      return exitCode.badInput
    }
    const batch = await yard.client.cancelBatch(id)
    rememberTarget(deps.home, `B${id}`)
    if (deps.flags.json) writeJson(deps, batch)
    else if (!deps.flags.quiet) {
      const running = batch.counts.by_status.running ?? 0
      const ending = running === 0 ? '' : ` ${count(running, 'attempt is', 'attempts are')} being ended.`
      deps.out.write(`B${id} ${name} cancelled.${ending} Its report: yardmaster report B${id}\n`)
    }
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

async function batchOf(deps: CliDeps, { client }: Yard, text: string): Promise<number | undefined> {
  const target = parseTarget(text)
  if (target.kind === 'batch') return target.id
  if (target.kind === 'last') {
    const last = parseTarget(lastTarget(deps.home))
    return last.kind === 'batch' ? last.id : undefined
  }
  return target.kind === 'name' ? findBatch(client, target.name) : undefined
}

function openTasks(byStatus: Readonly<Record<string, number>>): number {
  return act.natural.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)
}
