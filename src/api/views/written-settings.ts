import type { SetupSpec, StageSpec, TaskSettings, WorkspaceSpec } from '../../board/index.ts'
import { formatCount, formatDuration, formatSize } from '../../kernel/index.ts'
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
    check,
    mayChange,
    expect,
    review,
    budgetTokens,
    budgetUsd,
    ...unknown
  } = settings
  unknown satisfies Record<string, never> // a new setting must be written here before it compiles
  return {
    ...(timeoutMs === undefined ? {} : { timeout: formatDuration(timeoutMs) }),
    ...(stallMs === undefined ? {} : { stall: stallMs === 'off' ? stallMs : formatDuration(stallMs) }),
    ...(graceMs === undefined ? {} : { grace: formatDuration(graceMs) }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(rerun === undefined ? {} : { rerun }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(workspace === undefined ? {} : { workspace: writtenWorkspace(workspace) }),
    ...(exits === undefined ? {} : { exits: exits.map(writtenExit) }),
    ...(keeps === undefined ? {} : { keeps }),
    ...(memoryBytes === undefined ? {} : { memory: memoryBytes === 'off' ? memoryBytes : formatSize(memoryBytes) }),
    ...(logBytes === undefined ? {} : { log_limit: formatSize(logBytes) }),
    ...(check === undefined ? {} : { check: check === null ? 'none' : writtenStage(check) }),
    ...(mayChange === undefined ? {} : { may_change: [...mayChange] }),
    ...(expect === undefined ? {} : { expect }),
    ...(review === undefined ? {} : { review: typeof review === 'string' ? review : review.lane }),
    ...(budgetTokens === undefined && budgetUsd === undefined
      ? {}
      : { budget: writtenBudget({ budgetTokens, budgetUsd }) }),
  }
}

function writtenBudget({
  budgetTokens,
  budgetUsd,
}: {
  readonly budgetTokens: TaskSettings['budgetTokens'] | undefined
  readonly budgetUsd: TaskSettings['budgetUsd'] | undefined
}): NonNullable<BoardFileTask['budget']> {
  return {
    ...(budgetTokens === undefined
      ? {}
      : { tokens: budgetTokens === 'off' ? budgetTokens : formatCount(budgetTokens) }),
    ...(budgetUsd === undefined ? {} : { usd: budgetUsd }),
  }
}

function writtenWorkspace(workspace: WorkspaceSpec): NonNullable<BoardFileTask['workspace']> {
  if (workspace.kind === 'dir') return { dir: workspace.path, shared: workspace.shared }
  if (workspace.kind !== 'worktree') return workspace.kind
  const { kind, setup, copy, ...others } = workspace
  const said = {
    ...others,
    ...(setup === undefined ? {} : { setup: setup === null ? 'none' : writtenSetup(setup) }),
    ...(copy === undefined ? {} : { copy: [...copy] }),
  }
  return Object.keys(said).length === 0 ? kind : said
}

/** In the shortest of its forms. A command that is called like the word for "no check" stands in a map. */
function writtenStage({ run, timeoutMs }: StageSpec) {
  const command = typeof run === 'string' ? run : [...run]
  if (timeoutMs === undefined) return command === 'none' ? { run: command } : command
  return { run: command, timeout: formatDuration(timeoutMs) }
}

function writtenSetup({ key, ...stage }: SetupSpec) {
  const written = writtenStage(stage)
  if (key === undefined) return written
  const map = typeof written === 'string' || Array.isArray(written) ? { run: written } : written
  return { ...map, key: [...key] }
}

function writtenExit({
  code,
  ...rule
}: NonNullable<TaskSettings['exits']>[number]): NonNullable<BoardFileTask['exits']>[number] {
  return code === undefined ? rule : { ...rule, code: [...code] }
}
