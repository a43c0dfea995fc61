import type { Resolved, Task, WorkspaceSpec } from '../../board/index.ts'
import { formatDuration, formatSize, isSecretName, maskText, type Redactor } from '../../kernel/index.ts'
import type { SettingView } from '../contract/index.ts'

/** Each setting under its public name, as it would be written in a file, with where it comes from. */
export function viewSettings(
  { mask }: { readonly mask: Redactor },
  { task, resolved }: { readonly task: Task; readonly resolved: Resolved },
): readonly SettingView[] {
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
    ...unknown
  } = resolved
  unknown satisfies Record<string, never> // a new setting must be shown here before it compiles
  const masked = Object.fromEntries(
    Object.entries(env.value).map(([name, value]) => [name, isSecretName(name) ? maskText : mask(value)]),
  )
  return [
    { field: 'lane', value: task.lane, from: 'task' },
    { field: 'timeout', value: formatDuration(timeoutMs.value), from: timeoutMs.from },
    { field: 'stall', value: stallMs.value === 'off' ? 'off' : formatDuration(stallMs.value), from: stallMs.from },
    { field: 'grace', value: formatDuration(graceMs.value), from: graceMs.from },
    { field: 'attempts', ...attempts },
    { field: 'rerun', ...rerun },
    { field: 'env', value: masked, from: env.from },
    { field: 'workspace', value: viewWorkspace(workspace.value), from: workspace.from },
    { field: 'exits', ...exits },
    { field: 'keeps', ...keeps },
    {
      field: 'memory',
      value: memoryBytes.value === 'off' ? 'off' : formatSize(memoryBytes.value),
      from: memoryBytes.from,
    },
    { field: 'log_limit', value: formatSize(logBytes.value), from: logBytes.from },
  ]
}

function viewWorkspace(workspace: WorkspaceSpec): unknown {
  return workspace.kind === 'dir' ? { dir: workspace.path, shared: workspace.shared } : workspace.kind
}
