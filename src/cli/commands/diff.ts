import type { Command } from 'commander'
import type { RunView } from '../../api/contract/index.ts'
import { newestWithPatch } from '../apply/hub-patches.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { colourDiff, statLines } from '../diff/diff-lines.ts'
import { pageText } from '../diff/page-diff.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveThings, type Thing } from '../targets/resolve-one.ts'

interface DiffOptions {
  readonly stat?: true
}

/** `diff T5 | R12 [--stat]`: what an attempt changed in its repository; of a task, its newest that changed something. */
export function registerDiff(program: Command, commands: Commands): void {
  program
    .command('diff')
    .argument('[target]', 'a task (its newest attempt that changed something) or an attempt')
    .option('--stat', 'only the files and how many lines')
    .usage('TARGET [flags]')
    .description('what an attempt has changed')
    .action(commands.answer<DiffOptions>((deps, { args: [target], options }) => diff(deps, target, options)))
}

async function diff(deps: CliDeps, text: string | undefined, { stat }: DiffOptions): Promise<number> {
  if (text === undefined) throw cliError('CLI_NO_TARGET', { verb: 'yardmaster diff', example: 'yardmaster diff T5' })
  const yard = await deps.openYard({ store: 'read' })
  try {
    const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const [thing, ...others] = await resolveThings(lookUp, { texts: [text], board: deps.flags.board })
    if (thing === undefined || thing.kind === 'batch' || others.length > 0) {
      throw cliError('CLI_BAD_USE', {
        says: `diff shows the changes of one attempt, and ${thing === undefined ? 'there is no task of these' : `"${text}" is several tasks`}`,
        fix: 'yardmaster diff T5; all of a batch as one branch: yardmaster apply B7 --onto BRANCH',
      })
    }
    rememberTarget(deps.home, `${thing.kind === 'run' ? 'R' : 'T'}${thing.id}`)
    const run = await findRun(yard, thing)
    if ('none' in run) return sayNone(deps, run.none)
    if (deps.flags.json) writeJson(deps, { run: run.id, task: run.task, checked: run.checked, ...run.change })
    else if (stat) deps.out.write(`${statLines(run.change).join('\n')}\n`)
    else await print(deps, yard, run.id)
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

type Changed = RunView & { readonly change: NonNullable<RunView['change']> }

/** The attempt that is meant, or in words why it has no diff. */
async function findRun({ client }: Yard, { kind, id }: Thing): Promise<Changed | { readonly none: string }> {
  const runs = kind === 'run' ? [await client.run(id)] : (await client.task(id)).all_runs
  const run = newestWithPatch(runs)
  if (run !== undefined && run.change !== null) return { ...run, change: run.change }
  const what = kind === 'run' ? `R${id}` : `T${id}`
  const last = runs.at(-1)
  if (last === undefined) return { none: `${what} has not run yet` }
  if (last.change !== null) return { none: `${what} has changed nothing` }
  if (last.phase === 'settled')
    return { none: `${what} worked in no worktree, so its changes are not on record: they are where it worked` }
  return { none: `${what} is not done yet; its changes are recorded when it ends` }
}

function sayNone(deps: CliDeps, says: string): number {
  if (deps.flags.json) writeJson(deps, null)
  else if (!deps.flags.quiet) deps.err.write(`${says}.\n`)
  return exitCode.ok
}

async function print(deps: CliDeps, { client }: Yard, run: number): Promise<void> {
  const chunks = client.patchOf(run, AbortSignal.any([deps.signals.interrupted, deps.out.closed]))
  if (deps.out.isTerminal) return await pageText(deps, colourDiff(deps.paint, chunks))
  for await (const chunk of chunks) await deps.bytes.writeBytes(chunk)
}
