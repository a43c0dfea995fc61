import type { Command } from 'commander'
import type { Client } from '../../api/client/index.ts'
import type { ListTasksQuery } from '../../api/contract/index.ts'
import { shellWord } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { allTaskLines } from '../list/all-lines.ts'
import { gatherList, type ListView } from '../list/gather-list.ts'
import { type ListLook, listLines, parkedAccounts } from '../list/list-lines.ts'
import { hasStore } from '../open-yard.ts'
import { writeJson } from '../output.ts'
import { redrawOnChange } from '../redraw.ts'
import { asText } from '../render/as-text.ts'
import { lacksSomething } from '../render/hold-words.ts'
import { allTasks } from '../targets/all-tasks.ts'
import { type Filters, queryOf, withFilters } from '../targets/filters.ts'
import { resolveBatch } from '../targets/resolve-tasks.ts'

interface ListOptions extends Filters {
  readonly watch?: true
  readonly all?: true
  readonly needsMe?: true
  readonly archived?: true
}

/** `list [BATCH]`: the board at a glance; `-w` keeps it on screen, `--all` shows every task, `--needs-me` only yours. */
export function registerList(program: Command, commands: Commands): void {
  withFilters(program.command('list').argument('[batch]', 'only this batch'))
    .option('-w, --watch', 'keep it on the screen and draw it anew as things change')
    .option('--all', 'every task, ended ones too')
    .option('--archived', 'only archived tasks')
    .option('--needs-me', 'only what needs you; with -q only the exit code: 0 nothing does, 5 something does')
    .description('what needs you, runs, waits and has ended')
    .action(
      commands.answer<ListOptions>((deps, { args: [batch], options }) =>
        list(deps, batch === undefined ? options : { ...options, batch }),
      ),
    )
}

async function list(deps: CliDeps, options: ListOptions): Promise<number> {
  if (!hasStore(deps.home) && (await deps.main.findHub(deps.home)) === undefined) return nothingYet(deps)
  const yard = await deps.openYard({ store: 'read' })
  try {
    const query = await queryFrom(deps, yard.client, options)
    if (options.watch) return await watchList(deps, yard, { query, options })
    const answer = await oneLook(deps, yard.client, { query, options })
    return answer
  } finally {
    await yard.close()
  }
}

interface Asked {
  readonly query: ListTasksQuery
  readonly options: ListOptions
}

async function queryFrom({ flags }: CliDeps, client: Client, options: ListOptions): Promise<ListTasksQuery> {
  const batch = options.batch === undefined ? undefined : await resolveBatch(client, options.batch)
  const query = queryOf(options, { board: flags.board, batch })
  return options.archived ? { ...query, archived: 'only' } : query
}

async function oneLook(deps: CliDeps, client: Client, { query, options }: Asked): Promise<number> {
  const { out, flags } = deps
  if (options.needsMe && flags.quiet) return (await needsSomebody(client, query)) ? exitCode.needsPerson : exitCode.ok
  if (options.all || options.archived || query.status !== undefined || flags.quiet) {
    const tasks = await allTasks(client, options.needsMe ? { ...query, status: 'blocked,review' } : query)
    if (flags.json) writeJson(deps, { tasks })
    else if (flags.quiet) out.write(tasks.map((task) => `T${task.id}\n`).join(''))
    else out.write(asText(tasks.length === 0 ? ['No task of these.'] : allTaskLines(tasks, lookOf(deps, options))))
    return exitCode.ok
  }
  const view = narrow(await gatherList(client, query), options)
  if (flags.json) writeJson(deps, jsonOf(view))
  else out.write(asText(listLines(view, lookOf(deps, options))))
  return exitCode.ok
}

async function watchList(deps: CliDeps, { client, hub }: Yard, asked: Asked): Promise<number> {
  const { out, flags } = deps
  if (hub === 'none') throw cliError('CLI_HUB_NOT_UP', { what: 'list -w' })
  if (!flags.json && !out.isTerminal) {
    throw cliError('CLI_BAD_USE', {
      says: 'list -w draws on a terminal, and there is none',
      fix: 'yardmaster list --watch --json, or once: yardmaster list',
    })
  }
  const health = await client.health()
  const draw = async () => {
    const view = narrow(await gatherList(client, asked.query), asked.options)
    if (flags.json) return writeJson(deps, jsonOf(view))
    // Clearing the rest of a line that reaches the last column takes that column's character, which is the `…`.
    const look = { ...lookOf(deps, asked.options), width: out.width() - 1 }
    out.write(onScreen(listLines(view, look), out.height()))
  }
  if (!flags.json) out.write(beginScreen)
  try {
    await redrawOnChange(deps, { client, afterSeq: health.last_seq, draw })
  } finally {
    if (!flags.json) out.write(endScreen)
  }
  return exitCode.ok
}

async function needsSomebody(client: Client, query: ListTasksQuery): Promise<boolean> {
  const page = await client.listTasks({ ...query, status: 'blocked,review', limit: 1 })
  if (page.rows.length > 0) return true
  // Accounts and lanes are nobody's task: they are asked of where all of the yard is meant.
  if (Object.keys(query).length > 0) return false
  const health = await client.health()
  return parkedAccounts(health).length > 0 || health.holds.some(lacksSomething)
}

/** `--needs-me`: the other headings are left out. */
function narrow(view: ListView, { needsMe }: ListOptions): ListView {
  if (!needsMe) return view
  const none = { rows: [], total: 0 }
  return { ...view, running: none, waiting: none, failed: none, done: 0, doneHow: null, cancelled: 0, archived: 0 }
}

function lookOf({ out, clock, paint, flags }: CliDeps, { batch, lane, label, needsMe }: ListOptions): ListLook {
  const parts = { '-b': flags.board, '--batch': batch, '--lane': lane, '--label': label }
  const narrowed = Object.entries(parts).flatMap(([flag, value]) =>
    value === undefined ? [] : [` ${flag} ${shellWord(value)}`],
  )
  const only = needsMe === undefined ? undefined : 'needs you'
  return { width: out.width(), nowMs: clock.nowMs(), paint, narrowed: narrowed.join(''), only }
}

function jsonOf({ health, needsYou, running, waiting, failed, done, cancelled, archived, why }: ListView) {
  return {
    hub: health.dispatching ? 'up' : 'none',
    slots: health.slots,
    disk: health.disk,
    holds: health.holds,
    accounts: health.accounts.filter(({ open }) => !open),
    needs_you: needsYou,
    running,
    waiting: { ...waiting, why: [...why.values()] },
    ended: { done, cancelled, failed, archived },
  }
}

function nothingYet(deps: CliDeps): number {
  if (deps.flags.json) writeJson(deps, { tasks: [], yard: null })
  else if (!deps.flags.quiet)
    deps.out.write(`No yard in ${deps.home} yet.\n${deps.paint.dim('Next:')} yardmaster add "…"\n`)
  return exitCode.ok
}

/** Cleared, without cursor, and long lines are cut instead of wrapped; all of it is taken back at the end. */
const beginScreen = '\u001b[2J\u001b[?25l\u001b[?7l'
const endScreen = '\u001b[?7h\u001b[?25h'

/** From the top left corner, each line cleared to its end, everything below cleared; never longer than the screen. */
function onScreen(lines: readonly string[], height: number): string {
  const room = Math.max(1, height - 1)
  const cut = lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`] : lines
  return `\u001b[H${cut.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`
}
