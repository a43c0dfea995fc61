import type { TSchema } from 'typebox'
import type { ChatLaneConfig, ModelPrice } from '../index.ts'
import type { SetupConfig, StageConfig } from './code-config.ts'

/** `yardmaster.yaml`, parsed: the yard of part A. Every field has its built-in value filled in; nothing is `unknown` here. */
export interface YardConfig {
  /** Absolute path of the file, or null where there is none: an empty file is a working yard. */
  readonly file: string | null
  /** Workers at once over all lanes. Built in: half the cores, between 1 and 8. */
  readonly slots: number
  /** How long logs, files and scratch folders of ended tasks are kept. Built in: done 3 days, failed 30. */
  readonly keep: KeepConfig
  /** Free bytes on the disk of the home below which nothing new starts; null: built in (see dispatcher/disk). */
  readonly diskFreeBytes: number | null
  readonly accounts: Readonly<Record<string, AccountConfig>>
  /** `chat` and `command` exist unwritten. */
  readonly lanes: Readonly<Record<string, LaneConfig>>
  readonly boards: Readonly<Record<string, BoardConfig>>
}

export interface KeepConfig {
  readonly doneMs: number | 'forever'
  readonly failedMs: number | 'forever'
}

/** Where a secret comes from. The value itself is never stored. */
export type SecretRef =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }
  | 'none'

/** What one attempt may use; absent: not said here. `off`: no limit, whatever a wider setting says. */
export interface BudgetConfig {
  /** Cached input is not counted. */
  readonly budgetTokens?: number | 'off'
  readonly budgetUsd?: number | 'off'
}

export interface AccountConfig {
  readonly baseUrl: string | null
  readonly key: SecretRef
  readonly slots: number | null
  /** By model; absent: none is known. */
  readonly prices?: Readonly<Record<string, ModelPrice>>
}

export interface LaneConfig {
  readonly uses: 'chat' | 'command'
  readonly account: string | null
  /** The one that is asked first; those after it are in `chat`. */
  readonly model: string | null
  /** Absolute path of the system prompt's file. */
  readonly system: string | null
  /** `uses: command` only: the program for prompt tasks, with placeholders. */
  readonly command: readonly string[] | null
  readonly slots: number | null
  readonly timeoutMs: number | null
  readonly stallMs: number | 'off' | null
  readonly graceMs: number | null
  readonly memoryBytes: number | 'off' | null
  readonly logBytes: number | null
  /** file: the worker appends to its log by itself. piped: a small writer of ours does, and keeps the limit. */
  readonly log: 'file' | 'piped'
  readonly env: Readonly<Record<string, string>>
  /** Variables whose values are secrets: read at each start, for workers of this lane only. */
  readonly secretEnv: Readonly<Record<string, Exclude<SecretRef, 'none'>>>
  /** Names or patterns with `*` of the hub's own variables that workers of this lane get besides the allow-list. */
  readonly passEnv: readonly string[]
  readonly exits: readonly ExitRuleConfig[]
  /** 64 65 66 77 78 end the task for a person, without a retry. */
  readonly sysexits: boolean
  readonly budget: BudgetConfig
  /** Of our own agent; as built in where the lane uses something else. */
  readonly chat: ChatLaneConfig
}

export interface ExitRuleConfig {
  readonly code?: readonly number[]
  readonly output?: string
  readonly then: 'done' | 'retry' | 'fail' | 'later' | 'wall' | 'block'
  readonly why?: string
}

export interface BoardConfig {
  readonly lane: string | null
  /** Absolute path of a repository, or its URL: the one that worktrees of this board are of. */
  readonly repo: string | null
  /** For prompts; null: none, absent: not said. */
  readonly check?: StageConfig | null
  /** Of its prompts; absent: not said. */
  readonly budget?: BudgetConfig
  /** Absent: built in, which is a worktree for prompts of a board that has a repository. */
  readonly workspace?: 'here' | 'scratch' | 'worktree'
  /** Of every worktree of this board that does not say otherwise. */
  readonly worktree: WorktreeConfig
}

export interface WorktreeConfig {
  readonly ref?: string
  readonly setup?: SetupConfig | null
  readonly copy?: readonly string[]
  readonly fresh?: boolean
  readonly depth?: number
}

/** JSON Schemas for editors, by file kind. */
export type EditorSchemas = Readonly<Record<'config' | 'batch', TSchema>>
