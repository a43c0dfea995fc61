import { builtInLogBytes, builtInTokens } from '../kernel/index.ts'
import { resolveWorkspace } from './resolve-workspace.ts'
import type { BoardSettings, SettingOrigin, SettingSources } from './setting-sources.ts'
import type { ExitRule, Rerun, ReviewSpec, StageSpec, TaskSettings, WorkspaceSpec } from './task.ts'

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
  readonly memoryBytes: number | 'off'
  readonly logBytes: number
  readonly check: StageSpec | null
  /** Null: anything. */
  readonly mayChange: readonly string[] | null
  readonly expect: 'any' | 'change'
  readonly review: ReviewSpec
  readonly budgetTokens: number | 'off'
  readonly budgetUsd: number | 'off'
}

export type Resolved = {
  readonly [Field in keyof ResolvedSettings]: { readonly value: ResolvedSettings[Field]; readonly from: SettingOrigin }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Decides every setting of an attempt: task, then the batch's defaults, then board, then lane, then built in (files-and-cli
 * sections 2 and 4), each with where it came from. How work is judged and what it may cost (check, may_change, expect, review, budget)
 * is for prompts where a batch or a board says it. Two fields merge: variables, the more special one wins, and worktrees (see `resolveWorkspace`);
 * their origin is the most special one that says anything.
 */
export function resolveSettings(sources: SettingSources): Resolved {
  const { spec, defaults, board, lane, builtInGraceMs } = sources
  const isPrompt = spec.prompt !== undefined
  const said: readonly Said[] = [
    { from: 'task', settings: spec },
    { from: 'batch', settings: forKind(defaults, isPrompt) },
    { from: 'board', settings: forKind(board === null ? null : ofBoard(board), isPrompt) },
    { from: 'lane', settings: lane },
  ]
  const first = firstOf(said)
  const workspace = resolveWorkspace({ spec, defaults, board, lane })

  return {
    timeoutMs: first('timeoutMs', 2 * hourMs),
    stallMs: first('stallMs', isPrompt ? 30 * minuteMs : 'off'),
    graceMs: first('graceMs', builtInGraceMs),
    attempts: first('attempts', builtInAttempts(isPrompt ? 'prompt' : 'run')),
    // A cut attempt is repeated only where that is safe: an agent in a folder of its own.
    rerun: first('rerun', isPrompt && isOwn(workspace.value) ? 'auto' : 'ask'),
    env: mergeEnv(said),
    workspace,
    exits: first('exits', []),
    keeps: first('keeps', false),
    memoryBytes: first('memoryBytes', 'off'),
    logBytes: first('logBytes', builtInLogBytes),
    check: first('check', null),
    mayChange: first('mayChange', null),
    expect: first('expect', 'any'),
    review: first('review', 'none'),
    // Nobody counts the tokens of a command.
    budgetTokens: first('budgetTokens', isPrompt && lane.uses === 'chat' ? builtInTokens : 'off'),
    budgetUsd: first('budgetUsd', 'off'),
  }
}

/** How often a card may fail where nothing says it: a failing command is a result, not an accident (files-and-cli section 4). */
export const builtInAttempts = (kind: 'prompt' | 'run'): number => (kind === 'prompt' ? 2 : 1)

/** The values alone: what is stored with the run. */
export function settingsOf(resolved: Resolved): ResolvedSettings {
  const values = Object.entries(resolved).map(([field, { value }]) => [field, value])
  return Object.fromEntries(values) as ResolvedSettings
}

const isOwn = ({ kind }: WorkspaceSpec): boolean => kind === 'scratch' || kind === 'worktree'

const ofBoard = ({ check, budgetTokens, budgetUsd }: BoardSettings): TaskSettings => ({
  ...(check === undefined ? {} : { check }),
  ...(budgetTokens === undefined ? {} : { budgetTokens }),
  ...(budgetUsd === undefined ? {} : { budgetUsd }),
})

function forKind(settings: TaskSettings | null, isPrompt: boolean): TaskSettings {
  if (settings === null || isPrompt) return settings ?? {}
  const { check, mayChange, expect, review, budgetTokens, budgetUsd, ...others } = settings
  return others
}

interface Said {
  readonly from: SettingOrigin
  readonly settings: TaskSettings
}

function firstOf(said: readonly Said[]) {
  return <Field extends keyof ResolvedSettings>(
    field: Field,
    builtIn: ResolvedSettings[Field],
  ): { readonly value: ResolvedSettings[Field]; readonly from: SettingOrigin } => {
    for (const { from, settings } of said) {
      const value = settings[field] as ResolvedSettings[Field] | undefined
      if (value !== undefined) return { value, from }
    }
    return { value: builtIn, from: 'built in' }
  }
}

function mergeEnv(said: readonly Said[]): Resolved['env'] {
  const from = said.find(({ settings }) => Object.keys(settings.env ?? {}).length > 0)?.from ?? 'built in'
  const layers = said.map(({ settings }) => settings.env ?? {}).reverse()
  return { value: Object.assign({}, ...layers) as Record<string, string>, from }
}
