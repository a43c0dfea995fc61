import type { TaskSettings } from '../../board/index.ts'
import { formatDuration, formatSize } from '../../kernel/index.ts'
import type { BoardFileTask } from '../contract/index.ts'

/** Settings under their public names, as they are written in files; `settingsFromBody` reads them back. */
export function writtenSettings(settings: TaskSettings): Partial<BoardFileTask> {
  const {
    timeoutMs,
    stallMs,
    graceMs,
    attempts,
    rerun,
    env,
    workspace,
    exits,
    keeps,
    memoryBytes,
    logBytes,
    check: _check,
    mayChange: _mayChange,
    expect: _expect,
    review: _review,
    ...unknown
  } = settings
  unknown satisfies Record<string, never> // a new setting must be written here before it compiles
  const dir =
    workspace?.kind === 'dir'
      ? { dir: workspace.path, shared: workspace.shared }
      : workspace?.kind === 'worktree'
        ? undefined
        : workspace?.kind
  return {
    ...(timeoutMs === undefined ? {} : { timeout: formatDuration(timeoutMs) }),
    ...(stallMs === undefined ? {} : { stall: stallMs === 'off' ? stallMs : formatDuration(stallMs) }),
    ...(graceMs === undefined ? {} : { grace: formatDuration(graceMs) }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(rerun === undefined ? {} : { rerun }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(dir === undefined ? {} : { workspace: dir }),
    ...(exits === undefined ? {} : { exits: exits.map(writtenExit) }),
    ...(keeps === undefined ? {} : { keeps }),
    ...(memoryBytes === undefined ? {} : { memory: memoryBytes === 'off' ? memoryBytes : formatSize(memoryBytes) }),
    ...(logBytes === undefined ? {} : { log_limit: formatSize(logBytes) }),
  }
}

function writtenExit({
  code,
  ...rule
}: NonNullable<TaskSettings['exits']>[number]): NonNullable<BoardFileTask['exits']>[number] {
  return code === undefined ? rule : { ...rule, code: [...code] }
}
