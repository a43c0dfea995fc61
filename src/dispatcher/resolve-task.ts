import { type LaneSettings, type Resolved, resolveSettings, type TaskSettings, type TaskSpec } from '../board/index.ts'
import type { LaneConfig } from '../kernel/config/index.ts'

/** All settings of a task with where each comes from (files-and-cli section 2: task, batch, board, lane, built in). */
export function resolveTask(
  spec: TaskSpec,
  { defaults, lane, builtInGraceMs }: { defaults: TaskSettings | null; lane: LaneConfig; builtInGraceMs: number },
): Resolved {
  return resolveSettings({ spec, defaults, lane: laneSettings(lane), builtInGraceMs })
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
}: LaneConfig): LaneSettings {
  return {
    uses,
    env,
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(stallMs === null ? {} : { stallMs }),
    ...(graceMs === null ? {} : { graceMs }),
    ...(memoryBytes === null ? {} : { memoryBytes }),
    ...(logBytes === null ? {} : { logBytes }),
    ...(exits.length === 0 ? {} : { exits }),
  }
}
