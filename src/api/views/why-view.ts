import type { Board } from '../../board/index.ts'
import type { TaskId } from '../../kernel/index.ts'
import type { WhyView } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { isoTimeOrNull } from './time.ts'

type Deps = { readonly board: Board; readonly yard: Pick<YardView, 'dispatcher'> }

/** Why a task is not running, answered by the planner that also claims (design section 7). */
export function viewWhy(deps: Deps, id: TaskId): WhyView {
  const [why] = viewWhys(deps, [id])
  if (why === undefined) throw new Error(`no answer why T${id} does not run`)
  return why
}

/** The same for many tasks, in their order. */
export function viewWhys({ board, yard }: Deps, ids: readonly TaskId[]): readonly WhyView[] {
  const explanations = board.explainTasks(ids, yard.dispatcher === undefined ? 'none' : 'up')
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
