import type { Command } from 'commander'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { sayNoneOfThese, writeJson } from '../output.ts'
import { asText } from '../render/as-text.ts'
import { renderTable } from '../render/table.ts'
import { onOneLine } from '../render/visible.ts'
import { batchLines } from '../show/batch-lines.ts'
import { runLines, type ShowLook } from '../show/run-lines.ts'
import { taskLines } from '../show/task-lines.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveThings, type Thing } from '../targets/resolve-one.ts'

interface ShowOptions {
  readonly settings?: true
}

/** `show T5 | R12 | B7`: all that is known of it; `--settings`: each value with where it came from. */
export function registerShow(program: Command, commands: Commands): void {
  program
    .command('show')
    .argument('[targets...]', 'tasks, attempts or batches')
    .option('--settings', 'every setting with where it came from')
    .usage('TARGET… [flags]')
    .description('all about a task, an attempt or a batch')
    .action(commands.answer<ShowOptions>((deps, { args, options }) => show(deps, args, options)))
}

async function show(deps: CliDeps, texts: readonly string[], options: ShowOptions): Promise<number> {
  if (texts.length === 0) throw cliError('CLI_NO_TARGET', { verb: 'yardmaster show', example: 'yardmaster show T5' })
  const yard = await deps.openYard({ store: 'read' })
  try {
    const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const things = await resolveThings(lookUp, { texts, board: deps.flags.board })
    if (things.length === 0) sayNoneOfThese(deps)
    for (const [index, thing] of things.entries()) {
      if (index > 0 && !deps.flags.json) deps.out.write('\n')
      await (options.settings ? showSettings(deps, yard, thing) : showThing(deps, yard, thing))
      rememberTarget(deps.home, nameOf(thing))
    }
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

async function showThing(deps: CliDeps, { client }: Yard, thing: Thing): Promise<void> {
  const look: ShowLook = { width: deps.out.width(), nowMs: deps.clock.nowMs(), paint: deps.paint }
  if (thing.kind === 'run') {
    const run = await client.run(thing.id)
    return answer(deps, run, () => runLines(run, look))
  }
  if (thing.kind === 'batch') {
    const batch = await client.batch(thing.id)
    return answer(deps, batch, () => batchLines(batch, look))
  }
  const task = await client.task(thing.id)
  const why = task.settled_at === null ? await client.why(thing.id) : undefined
  if (deps.flags.json) return writeJson(deps, { ...task, why: why ?? null })
  // A lane that is not configured any more has no settings; the card is shown without them.
  const settings = await client.settings(thing.id).catch(() => [])
  deps.out.write(asText(taskLines({ task, why, settings }, look)))
}

async function showSettings(deps: CliDeps, { client }: Yard, thing: Thing): Promise<void> {
  const id = thing.kind === 'run' ? (await client.run(thing.id)).task : thing.id
  if (thing.kind === 'batch') {
    throw cliError('CLI_BAD_USE', {
      says: `B${id} has no settings of its own; its tasks have`,
      fix: `yardmaster list B${id} --all, then yardmaster show T… --settings`,
    })
  }
  const settings = await client.settings(id)
  return answer(deps, settings, () => {
    const rows = settings.map(({ field, value, from }) => [
      { text: `  ${field}`, paint: deps.paint.dim },
      { text: settingText(value) },
      { text: from, paint: deps.paint.dim },
    ])
    const table = renderTable(rows, { width: deps.out.width(), shrink: [[1, 20]] })
    return [deps.paint.bold(`T${id}`), ...table, `  next     yardmaster edit T${id}`]
  })
}

/** Text stands as it is, everything else as JSON. */
const settingText = (value: unknown): string => onOneLine(typeof value === 'string' ? value : JSON.stringify(value))

function answer(deps: CliDeps, document: unknown, lines: () => readonly string[]): void {
  if (deps.flags.json) writeJson(deps, document)
  else deps.out.write(asText(lines()))
}

const nameOf = ({ kind, id }: Thing): string => `${{ task: 'T', run: 'R', batch: 'B' }[kind]}${id}`
