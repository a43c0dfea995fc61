import type { Actor, Resolved, Run, Task, TaskSettings, TaskSpec, WorkspaceSpec } from '../board/index.ts'
import type { Grant, RunId, TaskId, YardError } from '../kernel/index.ts'

/** A lane as the routes need it. */
export interface LaneFacts {
  readonly name: string
  readonly uses: 'chat' | 'command'
  /** An agent lane, or a command lane that names a program of its own. */
  readonly takesPrompts: boolean
  /** Models of it whose price is not known: no budget in money can be kept there. Absent: none. */
  readonly unpriced?: readonly string[]
  /** Whether it could start something now, with the reason in `says`. */
  readonly ready: boolean
  readonly says: string
}

/** Values of a running attempt as they were last sampled. */
export interface LiveSample {
  readonly processes: number
  readonly rssBytes: number
  readonly cpuSeconds: number
  readonly lastOutputAtMs: number
}

/** What only a process with a dispatcher can answer or do. */
export interface DispatcherView {
  /** A `down` waits for the last runs; nothing new starts. */
  isLeaving(): boolean
  sampleOf(run: RunId): LiveSample | undefined
  /** It cannot be told whether the process of this open attempt lives. */
  isHeld(run: RunId): boolean
  /**
   * Lets the task of an attempt go that may be alive. alive: it is ours beyond doubt. ending: it is being started or ended
   * right now. over: it is settled.
   */
  release(run: RunId, actor: Actor): 'released' | 'alive' | 'ending' | 'over'
  /**
   * Begins to go down and answers at once. drain: when the last run has ended. now: by the ladder. replace: at once, and
   * what runs goes on for the hub that follows.
   */
  down(mode: 'drain' | 'now' | 'replace'): void
}

/** One start of a hub. */
export interface HubAbout {
  /** Random, of this one start. */
  readonly instance: string
  readonly host: string
  readonly startedBy: 'service' | 'person'
  /** What a person should know about this start, a sentence each; empty for an ordinary one. */
  notes(): readonly string[]
}

/** What became of the workspace of a task, or would. */
export interface CleanedWorkspace {
  readonly task: TaskId | null
  readonly path: string
  readonly kind: 'scratch' | 'worktree' | 'foreign' | 'gone'
  readonly bytes: number | null
  readonly done: 'removed' | 'would go' | 'stays'
  readonly because: string | null
  readonly says: string
  readonly branch: { readonly name: string; readonly is: 'kept' | 'removed' } | null
  readonly patch: { readonly id: number; readonly name: string; readonly bytes: number } | null
}

/**
 * All that the API wants to know besides the board. Declared here and handed in by the composition root, so that the
 * API never reaches into the dispatcher (design section 12).
 */
export interface YardView {
  readonly version: string
  readonly pid: number
  readonly home: string
  /** Absolute path of yardmaster.yaml, or null. */
  readonly config: string | null
  readonly slots: number
  /** Room on the disk of the home, and what new work needs; null where it cannot be asked. */
  disk(): { readonly freeBytes: number; readonly neededBytes: number } | null
  lanes(): readonly LaneFacts[]
  /** Names of the configured accounts. */
  readonly accounts: readonly string[]
  /** The lane that the configuration gives a board. */
  boardLane(board: string): string | null
  /** The board whose repository holds this folder, by the configuration; null where none does. */
  boardOf(dir: string): string | null
  /** All settings that a card would have there; undefined where its lane is not configured. */
  resolveCard(card: {
    readonly spec: TaskSpec
    readonly defaults: TaskSettings | null
    readonly board: string
    readonly lane: string
  }): Resolved | undefined
  /** All settings of a task with where each comes from; undefined while its lane is not configured. */
  settingsOf(task: Task): Resolved | undefined
  /** What this lane says of its agents besides, each with where it comes from; no secret. Absent: nothing is known of it. */
  laneSettings?(lane: string): readonly {
    readonly field: string
    readonly value: unknown
    readonly from: 'lane' | 'built in'
  }[]
  /** Why a task may not work in this folder; undefined when it may. */
  refuseFolder(asked: {
    readonly kind: 'prompt' | 'run'
    readonly workspace: WorkspaceSpec
    readonly dir: string
  }): YardError | undefined
  /** Values that this run's worker was given under names of secrets: masked in its log beside the accounts' keys. */
  secretsOf(run: Pick<Run, 'settings'>): readonly string[]
  /** What its lane granted it when it was claimed. */
  rightsOf(run: Pick<Run, 'settings'>): { readonly grants: readonly Grant[]; readonly agentsMayStart: boolean }
  /** Absolute folder that a run works in. */
  folderOf(run: Pick<Run, 'settings'>): string
  /** Absolute directory of a run. */
  runDir(run: RunId): string
  /** Home that an open attempt works for, where ours is a copy of that on the same machine. */
  originalOf(run: Pick<Run, 'id' | 'phase' | 'fingerprint'>): string | undefined
  /** Takes workspaces away, or tells which may go: by time, or those that a person names, now. Null: all. */
  clean(
    asked: {
      readonly tasks: readonly TaskId[] | null
      readonly asked: 'time' | 'person'
      readonly act: 'look' | 'remove'
      readonly actor: Actor
    },
    signal: AbortSignal,
  ): Promise<readonly CleanedWorkspace[]>
  /** Absent: this process only reads and edits the store. */
  readonly dispatcher: DispatcherView | undefined
  /** Absent: no hub. */
  readonly hub: HubAbout | undefined
}
