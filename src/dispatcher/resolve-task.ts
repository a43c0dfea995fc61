import {
  type BoardSettings,
  type LaneSettings,
  type Resolved,
  resolveSettings,
  type TaskSettings,
  type TaskSpec,
} from '../board/index.ts'
import type { BoardConfig, LaneConfig } from '../kernel/config/index.ts'

/** Who says something of a task besides itself. */
export interface TaskSurroundings {
  readonly defaults: TaskSettings | null
  /** Undefined where the configuration does not name the board. */
  readonly board?: BoardConfig | undefined
  readonly lane: LaneConfig
  readonly builtInGraceMs: number
}

/** All settings of a task with where each comes from (files-and-cli section 2: task, batch, board, lane, built in). */
export function resolveTask(spec: TaskSpec, { defaults, board, lane, builtInGraceMs }: TaskSurroundings): Resolved {
  const ofBoard = board === undefined ? null : boardSettings(board)
  return resolveSettings({ spec, defaults, board: ofBoard, lane: laneSettings(lane), builtInGraceMs })
}

function boardSettings({ repo, check, workspace, worktree, budget }: BoardConfig): BoardSettings {
  return {
    ...(repo === null ? {} : { repo }),
    ...(check === undefined ? {} : { check }),
    ...(workspace === undefined ? {} : { workspace: { kind: workspace } }),
    worktree,
    ...budget,
  }
}

function laneSettings({
  uses,
  timeoutMs,
  stallMs,
  graceMs,
  memoryBytes,
  logBytes,
  env,
  exits,
  budget,
}: LaneConfig): LaneSettings {
  return {
    uses,
    env,
    ...budget,
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(stallMs === null ? {} : { stallMs }),
    ...(graceMs === null ? {} : { graceMs }),
    ...(memoryBytes === null ? {} : { memoryBytes }),
    ...(logBytes === null ? {} : { logBytes }),
    ...(exits.length === 0 ? {} : { exits }),
  }
}
