import type { Resolved, ResolvedSettings, SetupSpec, TaskSpec } from '../board/index.ts'
import type { AccountConfig, LaneConfig } from '../kernel/config/index.ts'
import { builtInLogBytes, type Grant, type RunId } from '../kernel/index.ts'
import { buildChatPlan, type ChatPlan } from '../runs/index.ts'
import { chatPlanOfBefore } from './lanes/chat-plan.ts'
import type { RunLimits } from './supervisor/index.ts'

/**
 * All that is decided about an attempt at its claim and stored with its run: judge, ladder, adoption and a hub of another
 * configuration use this and nothing newer (design section 6, "Adoption").
 */
export interface RunPlan extends ResolvedSettings {
  readonly kind: 'prompt' | 'run'
  readonly lane: string
  readonly uses: 'chat' | 'command'
  readonly account: string | null
  /** What exit 0 needs to count as done. */
  readonly evidence: 'code' | 'report'
  readonly sysexits: boolean
  /** Who writes its log: the worker, or a writer of ours. */
  readonly log: 'file' | 'piped'
  /** Absolute folder that it works in. */
  readonly folder: string
  /** The folder is the task's own under the home and is made at the start. */
  readonly scratch: boolean
  /** How that folder is made where it is a worktree. */
  readonly worktree: WorktreePlan | null
  /** Whose work it reviews; null: it works itself. */
  readonly reviewOf: ReviewedWork | null
  readonly command: readonly string[] | null
  /** Variables whose values are secrets, by where they are read; never the values. */
  readonly secretEnv: LaneConfig['secretEnv']
  /** How our own agent works; null where it is not what works. */
  readonly chat: ChatPlan | null
  /** What the attempt may do besides its own task. */
  readonly grants: readonly Grant[]
  /** Cards that it makes start at once; else they are drafts. */
  readonly agentsMayStart: boolean
}

/** A worktree with everything decided that its making needs. */
export interface WorktreePlan {
  /** Absolute path or URL. */
  readonly repo: string
  /** Null: what is checked out there. */
  readonly ref: string | null
  readonly depth: number | null
  readonly setup: SetupSpec | null
  readonly copy: readonly string[]
  /** Absolute folder that `copy` is taken from where the repository is a URL. */
  readonly copyFrom: string
  readonly fresh: boolean
}

export interface ReviewedWork {
  /** The author's attempt. */
  readonly run: RunId
  /** What it came to; null outside of worktrees. */
  readonly commit: string | null
}

export interface RunPlanInput {
  readonly spec: TaskSpec
  readonly resolved: Resolved
  readonly laneName: string
  readonly lane: LaneConfig
  /** The lane's; undefined: it has none. */
  readonly account: AccountConfig | undefined
  readonly folder: { readonly kind: 'folder' | 'scratch' | 'worktree'; readonly path: string }
  /** Absent: none. */
  readonly worktree?: WorktreePlan | null
  readonly reviewOf?: ReviewedWork | null
}

/** The resolved settings with what the lane's configuration adds. Our own agent must report; of a command the code is all. */
export function buildRunPlan(input: RunPlanInput): RunPlan {
  const { spec, resolved, laneName, lane, account, folder, worktree = null, reviewOf = null } = input
  const { timeoutMs, stallMs, graceMs, attempts, rerun, env, workspace, exits, keeps, memoryBytes, logBytes } = resolved
  const { check, mayChange, expect, review, budgetTokens, budgetUsd } = resolved
  return {
    timeoutMs: timeoutMs.value,
    stallMs: stallMs.value,
    graceMs: graceMs.value,
    attempts: attempts.value,
    rerun: rerun.value,
    env: env.value,
    workspace: workspace.value,
    exits: exits.value,
    keeps: keeps.value,
    memoryBytes: memoryBytes.value,
    logBytes: logBytes.value,
    check: check.value,
    mayChange: mayChange.value,
    expect: expect.value,
    review: review.value,
    budgetTokens: budgetTokens.value,
    budgetUsd: budgetUsd.value,
    log: lane.log,
    kind: spec.prompt === undefined ? 'run' : 'prompt',
    lane: laneName,
    uses: lane.uses,
    account: lane.account,
    evidence: lane.uses === 'chat' ? 'report' : 'code',
    sysexits: lane.sysexits,
    folder: folder.path,
    scratch: folder.kind === 'scratch',
    worktree,
    reviewOf,
    command: lane.command,
    secretEnv: lane.secretEnv,
    chat: lane.uses === 'chat' ? buildChatPlan(lane, account) : null,
    grants: lane.uses === 'chat' ? lane.chat.grants : [],
    agentsMayStart: lane.uses === 'chat' && lane.chat.agentsMayStart,
  }
}

/** Whether its worker is given a token and the hub's address: only our own agent knows what to do with them. */
export const speaksToHub = ({ uses }: Pick<RunPlan, 'uses'>): boolean => uses === 'chat'

/** As stored in `run.settings`. */
export const formatRunPlan = (plan: RunPlan): string => JSON.stringify(plan)

/**
 * Reads back what `formatRunPlan` wrote; the store holds nothing else there. Versions before knew no limit of a log or of memory,
 * no worktree and no check, no budget and no grants.
 */
export function parseRunPlan(settings: string): RunPlan {
  const stored = JSON.parse(settings) as RunPlan
  return {
    ...{ memoryBytes: 'off', logBytes: builtInLogBytes, log: 'file' },
    ...{ check: null, mayChange: null, expect: 'any', review: 'none', worktree: null, reviewOf: null },
    ...{ budgetTokens: 'off', budgetUsd: 'off', secretEnv: {}, grants: [], agentsMayStart: false },
    ...stored,
    chat: stored.chat === undefined ? chatPlanOfBefore(stored) : stored.chat,
  }
}

/** What of it the supervisor holds the run to. */
export function limitsOf({ timeoutMs, stallMs, graceMs, keeps, memoryBytes, logBytes, log }: RunPlan): RunLimits {
  return {
    timeoutMs,
    stallMs,
    graceMs,
    keeps,
    memoryBytes: memoryBytes === 'off' ? null : memoryBytes,
    logBytes,
    logBy: log === 'piped' ? 'pipe' : 'worker',
  }
}
