import type { Command } from 'commander'
import type { TaskView } from '../../api/contract/index.ts'
import { parseId, shellWord } from '../../kernel/index.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { confirmGrave } from '../confirm.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { statusWord } from '../render/words.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

/** `release T --despite R`: a task whose attempt cannot be told to be over goes on, because a person says so. */
export function registerRelease(program: Command, commands: Commands): void {
  program
    .command('release')
    .argument('<task>', 'the task that is kept waiting')
    .option('--despite <attempt>', 'the attempt of it that may still be alive (R981)')
    .usage('TASK --despite R981 [flags]')
    .description('let a task go although its last attempt may still be alive')
    .action(
      commands.answer<{ despite?: string }>((deps, { args: [task = ''], options }) =>
        release(deps, { task, run: attemptOf(task, options.despite) }),
      ),
    )
}

function attemptOf(task: string, text: string | undefined): number {
  if (text === undefined) {
    throw cliError('CLI_BAD_USE', {
      says: 'release needs to know which attempt is passed over',
      fix: `yardmaster why ${shellWord(task)} names it: yardmaster release ${shellWord(task)} --despite R981`,
    })
  }
  const id = /^R/i.test(text) ? parseId('R', text) : undefined
  if (id !== undefined) return id
  throw cliError('CLI_BAD_USE', {
    says: `--despite takes an attempt, and "${text}" is none`,
    fix: 'name it as `yardmaster why TASK` does: --despite R981',
  })
}

async function release(deps: CliDeps, { task: text, run }: { task: string; run: number }): Promise<number> {
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const { ids } = await resolveTasks(lookUp, { texts: [text], filters: {}, board: deps.flags.board, natural: [] })
    const [id, ...others] = ids
    if (id === undefined || others.length > 0) {
      throw cliError('CLI_BAD_TARGET', { target: text, why: 'release takes one task', fix: 'name one: T5' })
    }
    // Where it is not the attempt that keeps the task waiting, the yard says so: a person is not frightened for nothing.
    const keepsWaiting = (await yard.client.task(id)).open_run === run
    if (keepsWaiting && !(await confirmGrave(deps, warning(id, run)))) return exitCode.badInput
    const task = await yard.client.release(id, run)
    rememberTarget(deps.home, `T${id}`)
    if (deps.flags.json) writeJson(deps, task)
    else if (!deps.flags.quiet) deps.out.write(`${released(deps, task, run)}\n`)
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

/** The one exception to "never two live attempts at one task", said before it is made. */
const warning = (task: number, run: number): string =>
  `R${run} may still be alive. Nothing will end it, and if it lives, it and the next attempt work on T${task} at the same ` +
  `time.\nThis is the only command that allows that. Let T${task} go?`

function released({ clock }: CliDeps, task: TaskView, run: number): string {
  const where = `T${task.id} let go despite R${run}: ${statusWord(task, clock.nowMs())}.`
  return `${where} What it does now: yardmaster why T${task.id}`
}
