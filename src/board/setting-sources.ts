import type { TaskSettings, TaskSpec, WorktreeSpec } from './task.ts'

export type SettingOrigin = 'task' | 'batch' | 'board' | 'lane' | 'built in'

/** What a lane says of these fields; the part of its configuration that the settings order needs. */
export interface LaneSettings extends TaskSettings {
  readonly uses: 'chat' | 'command'
}

/** What a board says: of the fields above its check, workspace and budget, and of the repository that its worktrees are of. */
export interface BoardSettings extends Pick<TaskSettings, 'check' | 'workspace' | 'budgetTokens' | 'budgetUsd'> {
  /** Makes a worktree the workspace of prompts where nothing else is said. */
  readonly repo?: string
  /** Of every worktree that does not say otherwise. */
  readonly worktree?: Omit<WorktreeSpec, 'kind' | 'repo'>
}

export interface SettingSources {
  readonly spec: TaskSpec
  /** The batch's `defaults`, or null outside a batch. */
  readonly defaults: TaskSettings | null
  /** Null where the configuration says nothing of the board. */
  readonly board: BoardSettings | null
  readonly lane: LaneSettings
  /** Built-in grace: 10 s, under CI in `run` 3 s. */
  readonly builtInGraceMs: number
}
