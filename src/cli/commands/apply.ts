import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { runId, taskId } from '../../kernel/index.ts'
import type { Applied } from '../../main.ts'
import { applyLines } from '../apply/apply-lines.ts'
import { type ChosenPatches, choosePatches } from '../apply/choose-patches.ts'
import { findFolderPatches, isPatchFolder } from '../apply/folder-patches.ts'
import type { FoundPatch, FoundPatches } from '../apply/found-patch.ts'
import { hubPatch, newestWithPatch } from '../apply/hub-patches.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { resolveThings } from '../targets/resolve-one.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

interface ApplyOptions {
  readonly onto?: string
  readonly checked?: true
  readonly check?: string
}

/** Some could not be applied, the branch has the others. As of a batch with failed tasks. */
const notAll = 3

/** `apply B7 | T5 | DIR --onto BRANCH [--checked] [--check C]`: the work of tasks as one branch, one commit each. */
export function registerApply(program: Command, commands: Commands): void {
  program
    .command('apply')
    .argument('[targets...]', 'a batch, tasks, or the folder of a report')
    .option('--onto <branch>', 'the branch that they go onto; made where it does not exist')
    .option('--checked', 'only what has passed its check')
    .option('--check <command>', 'run this on the result; the branch only moves when it exits with 0')
    .usage('B7|TARGET…|DIR --onto BRANCH [flags]')
    .description('put the changes of tasks onto a branch, one commit each')
    .action(commands.answer<ApplyOptions>((deps, { args, options }) => apply(deps, args, options)))
}

async function apply(deps: CliDeps, targets: readonly string[], options: ApplyOptions): Promise<number> {
  const { onto, checked, check } = options
  if (targets.length === 0)
    throw cliError('CLI_NO_TARGET', { verb: 'yardmaster apply', example: 'yardmaster apply B7 --onto night/1' })
  if (onto === undefined) {
    throw cliError('CLI_BAD_USE', {
      says: 'apply needs to know the branch',
      fix: `yardmaster apply ${targets.join(' ')} --onto BRANCH`,
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-'))
  try {
    return await withPatches(deps, { targets, folder }, async ({ from, patches, faults }) => {
      const chosen = choosePatches(patches, checked === true ? 'checked' : 'all')
      refuseNone(chosen, { from, patches, faults })
      const input = { cwd: deps.cwd, onto, check: check ?? null, patches: await fetchAll(chosen.chosen) }
      const applied = await deps.main.applyPatches(
        { env: deps.env, signal: deps.signals.interrupted, onOutput: (text) => deps.err.write(text) },
        input,
      )
      if (deps.flags.json)
        writeJson(deps, { ...applied, not_done: chosen.leftOut.notDone, not_checked: chosen.leftOut.notChecked })
      else deps.out.write(`${applyLines({ applied, chosen, faults, from }).join('\n')}\n`)
      return codeOf(applied, faults)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function withPatches(
  deps: CliDeps,
  { targets, folder }: { readonly targets: readonly string[]; readonly folder: string },
  act: (found: FoundPatches) => Promise<number>,
): Promise<number> {
  const [only] = targets
  if (targets.length === 1 && only !== undefined && isPatchFolder(resolve(deps.cwd, only))) {
    return await act(findFolderPatches(resolve(deps.cwd, only)))
  }
  if (targets.length === 1 && only?.includes('/')) {
    throw cliError('CLI_BAD_USE', {
      says: `${only} is no folder of a report: there is no patch and no report.json in it`,
      fix: 'name the folder that run --report has written, a batch (B7), or tasks',
    })
  }
  const yard = await deps.openYard({ store: 'read' })
  try {
    const { client } = yard
    const lookUp = { client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const things = await resolveThings(lookUp, { texts: targets, board: deps.flags.board })
    const patches: FoundPatch[] = []
    const hub = { client, signal: deps.signals.interrupted }
    for (const thing of things) {
      const isGroup = thing.kind === 'batch'
      const ids = isGroup
        ? (await resolveTasks(lookUp, { texts: [`B${thing.id}`], filters: {}, board: undefined, natural: [] })).ids
        : [thing.id]
      for (const id of ids) {
        const wanted = thing.kind === 'run' ? await client.run(id) : undefined
        const task = await client.task(wanted?.task ?? id)
        const run = wanted === undefined ? newestWithPatch(task.all_runs) : newestWithPatch([wanted])
        if (run !== undefined) patches.push(hubPatch(hub, { run, task, named: !isGroup, folder }))
      }
    }
    return await act({ from: 'yard', patches, faults: [] })
  } finally {
    await yard.close()
  }
}

async function fetchAll(chosen: readonly FoundPatch[]) {
  const patches = []
  for (const { task, run, title, baseCommit, file } of chosen) {
    patches.push({ task: taskId(task), run: runId(run), title, baseCommit, file: await file() })
  }
  return patches
}

function refuseNone({ chosen, leftOut }: ChosenPatches, { patches, faults }: FoundPatches): void {
  if (chosen.length > 0) return
  const says =
    patches.length === 0
      ? ['none of these has changed anything', ...faults].join('; ')
      : `none of ${patches.length} patches can be taken: ${leftOut.notDone.length} of tasks that are not done, ${leftOut.notChecked.length} without a check that passed`
  const fix =
    leftOut.notChecked.length > 0
      ? 'leave --checked out, or give the tasks a check'
      : 'yardmaster list --all says how they ended'
  throw cliError('CLI_BAD_USE', { says, fix })
}

function codeOf({ check, conflicts, strangers, broken }: Applied, faults: readonly string[]): number {
  if (check !== null && check.exitCode !== 0) return exitCode.ours
  return conflicts.length + strangers.length + broken.length + faults.length > 0 ? notAll : exitCode.ok
}
