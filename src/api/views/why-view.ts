import type { BoardReader, Explanation, HubPresence, Run } from '../../board/index.ts'
import { formatRunId, formatTaskId, type TaskId } from '../../kernel/index.ts'
import type { WhyView } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { isoTimeOrNull } from './time.ts'

type Deps = { readonly board: BoardReader; readonly yard: Pick<YardView, 'dispatcher' | 'originalOf'> }

/** Why a task is not running, answered by the planner that also claims (design section 7). */
export function viewWhy(deps: Deps, id: TaskId): WhyView {
  const [why] = viewWhys(deps, [id])
  if (why === undefined) throw new Error(`no answer why T${id} does not run`)
  return why
}

/** The same for many tasks, in their order. */
export function viewWhys({ board, yard }: Deps, ids: readonly TaskId[]): readonly WhyView[] {
  const told = board.explainTasks(ids, presenceOf(yard))
  const explanations = told.map((why, at) => heldInstead({ board, yard }, ids[at], why))
  return explanations.map((why, at) => ({
    task: ids[at] ?? 0,
    code: why.code,
    says: why.says,
    since: isoTimeOrNull(why.sinceMs),
    until: isoTimeOrNull(why.untilMs),
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    then: why.then,
    you_can: why.youCan,
  }))
}

function presenceOf({ dispatcher }: Deps['yard']): HubPresence {
  if (dispatcher === undefined) return 'none'
  return dispatcher.isLeaving() ? 'leaving' : 'up'
}

/** The board says that it runs or has just ended; whoever watches processes may know better. */
function heldInstead({ board, yard }: Deps, id: TaskId | undefined, why: Explanation): Explanation {
  if ((why.code !== 'running' && why.code !== 'ending') || id === undefined) return why
  const open = board.readTask(id)?.openRun ?? null
  const run = open === null ? undefined : board.readRun(open)
  const original = run === undefined ? undefined : yard.originalOf(run)
  if (run === undefined || (original === undefined && yard.dispatcher?.isHeld(run.id) !== true)) return why
  const [task, attempt] = [formatTaskId(id), formatRunId(run.id)]
  return {
    ...why,
    code: 'held',
    says: `${task} is held: ${sayHeld(run, original)}`,
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    then:
      original === undefined
        ? 'it is looked at every 30 s, and nothing of it starts before that is known'
        : 'nothing of it starts here before that attempt is over',
    youCan: [`yardmaster show ${task}`, `yardmaster release ${task} --despite ${attempt}`],
  }
}

function sayHeld({ id, phase, outcome }: Run, original: string | undefined): string {
  const attempt = formatRunId(id)
  if (original !== undefined) return `its attempt ${attempt} runs for ${original}, and this home is a copy of that`
  if (phase !== 'exited') return `it cannot be told whether its attempt ${attempt} is still alive`
  return `its attempt ${attempt} has ended (${outcome}), but it cannot be told whether something that it started is still alive`
}
