import { causeGroup } from '../cause-group.ts'
import type { CliDeps, Yard } from '../command.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

/** `--needs T3,T4-T6` as links that wait for done. */
export async function needsOf(
  deps: CliDeps,
  yard: Yard,
  texts: readonly string[],
): Promise<{ readonly task: number; readonly when: 'done' }[]> {
  const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
  const { ids } = await resolveTasks(lookUp, { texts, filters: {}, board: deps.flags.board, natural: [] })
  return ids.map((task) => ({ task, when: 'done' as const }))
}
