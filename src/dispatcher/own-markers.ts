import { type Board, stageKinds } from '../board/index.ts'
import { markerVariable } from '../kernel/process/index.ts'
import { markStage } from './stages/stage-place.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The hub's environment without the marks of its own runs. A worker may start the hub anew (`up --replace` as part of a
 * task): then the hub is born in the tree of that run, and workers that inherited the mark would be ended with it. Marks of
 * another yard stay, since what runs in a worker of that yard belongs to it.
 */
export function dropOwnMarkers({ board }: { readonly board: Pick<Board, 'openRuns'> }, env: Environment): Environment {
  const carried = env[markerVariable]
  if (carried === undefined || carried === '') return env
  const own = new Set(board.openRuns().flatMap((run) => stageKinds.map((stage) => markStage(run, stage))))
  const left = carried.split(' ').filter((marker) => !own.has(marker))
  return { ...env, [markerVariable]: left.join(' ') }
}
