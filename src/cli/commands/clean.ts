import type { Command } from 'commander'
import type { Client } from '../../api/client/index.ts'
import type { CleanBody, CleanedView } from '../../api/contract/index.ts'
import { describeSize, shellWord } from '../../kernel/index.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { confirm, confirmGrave } from '../confirm.ts'
import { writeJson } from '../output.ts'
import { renderTable } from '../render/table.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { type Filters, isFiltered, withFilters } from '../targets/filters.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

interface CleanOptions extends Filters {
  readonly dryRun?: true
}

/** `clean [T…]`: workspaces whose work is safe elsewhere go; of named tasks at once, with what is in them stored first. */
export function registerClean(program: Command, commands: Commands): void {
  withFilters(program.command('clean').argument('[targets...]', 'tasks whose workspaces go now'))
    .usage('[TARGET…] [flags]')
    .option('--dry-run', 'only tell what would go and what stays, with the reason and the size')
    .description('remove workspaces of ended tasks; work that is nowhere else is stored as a patch first')
    .action(
      commands.answer<CleanOptions>(async (deps, { args, options }) => {
        const { dryRun, ...filters } = options
        const yard = await deps.openYard({ store: 'must_exist' })
        try {
          const named = await namedTasks(deps, yard, { targets: args, filters })
          if (named?.length === 0) return nothing(deps, [])
          const when = named === undefined ? 'kept_over' : 'now'
          const asked = { when, ...(named === undefined ? {} : { tasks: [...named] }) } as const
          const found = await cleanInSteps(yard.client, { ...asked, dry_run: true })
          if (dryRun)
            return tell(deps, found, ['yardmaster clean', ...args.map(shellWord), ...flagsOf(filters)].join(' '))
          return await remove(deps, yard, { found, when })
        } finally {
          await yard.close()
        }
      }),
    )
}

const flagsOf = (filters: Filters): readonly string[] =>
  Object.entries(filters).map(([name, value]) => `--${name} ${shellWord(value)}`)

/** Undefined: all of them. */
async function namedTasks(
  deps: CliDeps,
  yard: Yard,
  { targets, filters }: { readonly targets: readonly string[]; readonly filters: Filters },
): Promise<readonly number[] | undefined> {
  if (targets.length === 0 && !isFiltered(filters)) return undefined
  const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
  const natural = ['done', 'failed', 'cancelled', 'blocked']
  return (await resolveTasks(lookUp, { texts: targets, filters, board: deps.flags.board, natural })).ids
}

/** So many in one request: each answers soon, and what is done until then is told. */
const inAStep = 50

async function cleanInSteps(client: Client, body: CleanBody): Promise<readonly CleanedView[]> {
  const { tasks } = body
  if (tasks === undefined) return (await client.clean(body)).workspaces
  const rows: CleanedView[] = []
  for (let at = 0; at < tasks.length; at += inAStep) {
    rows.push(...(await client.clean({ ...body, tasks: tasks.slice(at, at + inAStep) })).workspaces)
  }
  return rows
}

async function remove(
  deps: CliDeps,
  { client }: Yard,
  { found, when }: { readonly found: readonly CleanedView[]; readonly when: 'kept_over' | 'now' },
): Promise<number> {
  const going = found.filter(({ done }) => done === 'would_go')
  const tasks = going.flatMap(({ task }) => (task === null ? [] : [task]))
  if (tasks.length === 0) return nothing(deps, found)
  // Of a scratch folder nothing is stored; by time it would go all the same.
  const isGrave = when === 'now' && going.some(({ kind }) => kind === 'scratch')
  const question = `Remove ${sayWhat(going)}${isGrave ? '? What is in scratch folders is gone then.' : '?'}`
  if (!(await (isGrave ? confirmGrave : confirm)(deps, question))) return exitCode.badInput
  const rows = await cleanInSteps(client, { tasks, when })
  if (deps.flags.json) writeJson(deps, { workspaces: [...rows, ...found.filter(({ done }) => done === 'stays')] })
  else if (!deps.flags.quiet) {
    deps.out.write(lines(deps, rows))
    const removed = rows.filter(({ done }) => done === 'removed')
    const stay = found.length - removed.length
    const rest = stay === 0 ? '' : ` ${stay} stay: yardmaster clean --dry-run`
    deps.out.write(`Removed ${sayWhat(removed)}.${rest}\n`)
  }
  return rows.some(({ because }) => because === 'failed') ? exitCode.ours : exitCode.ok
}

function tell(deps: CliDeps, found: readonly CleanedView[], command: string): number {
  if (deps.flags.json) writeJson(deps, { workspaces: found })
  else {
    const going = found.filter(({ done }) => done === 'would_go')
    const next = going.length === 0 ? 'Nothing would go.' : `${sayWhat(going)} would go: ${command}.`
    const now = found.find(
      ({ done, task, because }) => done === 'stays' && task !== null && !never.includes(because ?? ''),
    )
    const forced = now === undefined ? '' : ` One that stays, now, with its work stored: yardmaster clean T${now.task}`
    deps.out.write(`${lines(deps, found)}${next}${forced}\n`)
  }
  return exitCode.ok
}

function nothing(deps: CliDeps, found: readonly CleanedView[]): number {
  if (deps.flags.json) writeJson(deps, { workspaces: found })
  else if (!deps.flags.quiet) {
    deps.out.write(lines(deps, found))
    deps.err.write('Nothing to remove.\n')
  }
  return exitCode.ok
}

function lines(deps: CliDeps, rows: readonly CleanedView[]): string {
  const table = rows.map((row) => [
    { text: row.task === null ? onOneLine(row.folder) : `T${row.task}` },
    { text: row.kind },
    { text: row.bytes === null ? '' : describeSize(row.bytes) },
    { text: words[row.done] },
    { text: onOneLine(`${row.says}${sayRest(row)}`) },
  ])
  return renderTable(table, { width: deps.out.width(), shrink: [[0, 8]] })
    .map((line) => `${line}\n`)
    .join('')
}

/** What stays for these reasons stays, too, when it is named. */
const never = ['running', 'not_ours', 'no_task']

const words = { removed: 'removed', would_go: 'would go', stays: 'stays' } as const

function sayRest({ branch, patch, task }: CleanedView): string {
  const stored = patch === null ? '' : `; stored: ${patch.name}, see yardmaster show T${task}`
  return branch === null ? stored : `; branch ${branch.name} ${branch.is}${stored}`
}

function sayWhat(rows: readonly CleanedView[]): string {
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0)
  return `${count(rows.length, 'workspace')}, ${describeSize(bytes)}`
}
