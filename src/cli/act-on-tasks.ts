import type { Client } from '../api/client/index.ts'
import type { TaskVerb, TaskView } from '../api/contract/index.ts'
import { YardError } from '../kernel/index.ts'
import { causeGroup } from './cause-group.ts'
import { type CliDeps, exitCode } from './command.ts'
import { confirm } from './confirm.ts'
import { cliError } from './errors.ts'
import { writeJson } from './output.ts'
import { errorView, exitCodeOf, printError } from './print-error.ts'
import { count } from './render/words.ts'
import { type Filters, isFiltered } from './targets/filters.ts'
import { rememberTarget } from './targets/last-target.ts'
import { resolveTasks } from './targets/resolve-tasks.ts'

/** After these a person expects to see the task run. */
const letsStart: readonly TaskVerb[] = ['ready', 'retry', 'unblock', 'answer', 'reject']

/** A verb of the API that changes tasks, one by one. */
export interface TaskAct extends ManyTasks<TaskView> {
  readonly verb: TaskVerb
}

/** How a verb takes its tasks, and what it says of each. */
export interface ManyTasks<View> {
  readonly verb: string
  /** Statuses that a group is narrowed to. */
  readonly natural: readonly string[]
  /** A line that works, for whoever named no task. */
  readonly example: string
  /** `Nothing to retry: no task of these is failed.` needs the words. */
  readonly naturalWords: string
  /** Asked before several are ended at once, on a terminal. */
  readonly asks?: string
  /** What became of it, in a sentence that starts with the task. */
  readonly says: (view: View) => string
  /** listed (the default), or archived: what a group consists of. */
  readonly among?: 'listed' | 'archived'
}

export interface ActInput {
  readonly targets: readonly string[]
  readonly filters: Filters
  readonly text: string | undefined
}

/**
 * Does one thing to each task that the line means: a result a line, the exit code the worst. What one of them is
 * refused does not keep the others from it.
 */
export async function actOnTasks(deps: CliDeps, act: TaskAct, input: ActInput): Promise<number> {
  return await changeTasks(deps, act, {
    ...input,
    change: (client, id) => client.act(id, act.verb, input.text),
    ...(letsStart.includes(act.verb) ? { mayStart: ({ status }) => status === 'ready' } : {}),
  })
}

/** The same for what is no plain verb of the API. */
export async function changeTasks<View>(
  deps: CliDeps,
  act: ManyTasks<View>,
  input: Omit<ActInput, 'text'> & {
    readonly change: (client: Client, id: number) => Promise<View>
    /** Whether it would start now, if there were a hub. */
    readonly mayStart?: (view: View) => boolean
  },
): Promise<number> {
  if (input.targets.length === 0 && !isFiltered(input.filters)) {
    throw cliError('CLI_NO_TARGET', { verb: `yardmaster ${act.verb}`, example: act.example })
  }
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const { ids, byGroup } = await resolveTasks(
      { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) },
      {
        texts: input.targets,
        filters: input.filters,
        board: deps.flags.board,
        natural: act.natural,
        archived: act.among === 'archived',
      },
    )
    if (ids.length === 0) return nothingToDo(deps, act)
    if (byGroup && ids.length > 1 && !(await mayGoOn(deps, act, ids.length))) return exitCode.badInput
    let waitsForHub = false
    const change = async (id: number) => {
      const view = await input.change(yard.client, id)
      if (yard.hub === 'none' && input.mayStart?.(view)) waitsForHub = true
      return view
    }
    const worst = await changeEach(deps, { ids, change, says: act.says })
    if (waitsForHub && !deps.flags.json && !deps.flags.quiet) deps.out.write(noHubLine)
    return worst
  } finally {
    await yard.close()
  }
}

/** What is ready and does not start says so, wherever it was made ready. */
export const noHubLine = 'No hub is up, so nothing starts yet: yardmaster up -d\n'

export interface EachTask<View> {
  /** At least one. */
  readonly ids: readonly number[]
  readonly change: (id: number) => Promise<View>
  readonly says: (view: View) => string
}

/** Changes tasks one by one: a line each, the exit code the worst. A single one that is refused is the verb's error. */
export async function changeEach<View>(deps: CliDeps, { ids, change, says }: EachTask<View>): Promise<number> {
  let worst: number = exitCode.ok
  for (const id of ids) {
    try {
      const task = await change(id)
      if (deps.flags.json) writeJson(deps, task)
      else if (!deps.flags.quiet) deps.out.write(`${says(task)}\n`)
    } catch (fault) {
      if (ids.length === 1 || !(fault instanceof YardError)) throw fault
      worst = worse(worst, exitCodeOf(fault))
      if (deps.flags.json) writeJson(deps, { task: id, ...errorView(fault) })
      else printError({ ...deps, json: false }, fault)
    }
  }
  rememberTarget(deps.home, `T${ids.at(-1)}`)
  return worst
}

function nothingToDo(deps: CliDeps, { verb, naturalWords }: ManyTasks<never>): number {
  if (!deps.flags.json && !deps.flags.quiet)
    deps.err.write(`Nothing to ${verb}: no task of these is ${naturalWords}.\n`)
  return exitCode.ok
}

async function mayGoOn(deps: CliDeps, { asks }: ManyTasks<never>, n: number): Promise<boolean> {
  return asks === undefined || (await confirm(deps, `${asks} ${count(n, 'task')}?`))
}

/** Ours outweighs the caller's. */
function worse(a: number, b: number): number {
  if (a === exitCode.ours || b === exitCode.ours) return exitCode.ours
  return Math.max(a, b)
}
