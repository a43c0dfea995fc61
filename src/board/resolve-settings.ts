import type { ExitRule, Rerun, TaskSettings, TaskSpec, WorkspaceSpec } from './task.ts'

export type SettingOrigin = 'task' | 'batch' | 'board' | 'lane' | 'built in'

/** What a lane says of these fields; the part of its configuration that the settings order needs. */
export interface LaneSettings extends TaskSettings {
  readonly uses: 'chat' | 'command'
}

/** All settings of one attempt, decided: what is stored with the run at claim and judges it from then on. */
export interface ResolvedSettings {
  readonly timeoutMs: number
  readonly stallMs: number | 'off'
  readonly graceMs: number
  readonly attempts: number
  readonly rerun: Rerun
  readonly env: Readonly<Record<string, string>>
  readonly workspace: WorkspaceSpec
  readonly exits: readonly ExitRule[]
  readonly keeps: boolean
}

export interface SettingSources {
  readonly spec: TaskSpec
  /** The batch's `defaults`, or null outside a batch. */
  readonly defaults: TaskSettings | null
  readonly lane: LaneSettings
  /** Built-in grace: 10 s, under CI in `run` 3 s. */
  readonly builtInGraceMs: number
}

export type Resolved = {
  readonly [Field in keyof ResolvedSettings]: { readonly value: ResolvedSettings[Field]; readonly from: SettingOrigin }
}
