import type { ArchiveChildren } from '../../src/board/archive.ts'
import type { CallKind, StageKind, TaskStatus } from '../../src/board/index.ts'
import { moves } from '../../src/board/moves.ts'
import type { VerdictCode } from '../../src/board/run-calls.ts'

export type Lane = 'command' | 'claude'

/** A card of the plain-object board. */
export interface ModelTask {
  id: number
  board: string
  status: TaskStatus
  priority: number
  lane: Lane
  folder: string
  key: string | null
  needs: Map<number, 'done' | 'always'>
  wish: 'stop' | 'cancel' | null
  failures: number
  dueMs: number | null
  runs: number
  archived: boolean
  /** Whose attempts review it. */
  reviewLane: Lane | null
  /** It was blocked while it was under review. */
  fromReview: boolean
  /** Attempts of a reviewer without a verdict, and how often one asked for changes. */
  reviewFailures: number
  rejections: number
  /** How its newest run that is over ended. asked: with a question of its own. */
  lastEnd: 'done' | 'asked' | 'unknown' | null
}

/** What a run said about its end. */
export interface ModelCall {
  readonly kind: CallKind
  readonly on: number | null
  readonly verdict: VerdictCode | null
}

export interface ModelRun {
  task: number
  lane: string
  folder: string
  ended: boolean
  from: 'ready' | 'review'
  /** The process that is there, or was last; null before the first. */
  stage: StageKind | null
  stageOver: boolean
  call: ModelCall | null
}

/**
 * The board again, as plain objects without any store: what it says after each step is what the real one must say.
 * Small on purpose: it looks at everything each time.
 */
export class Model {
  readonly tasks = new Map<number, ModelTask>()
  /** Open runs by id. */
  readonly runs = new Map<number, ModelRun>()
  readonly holds = new Set<string>()
  readonly served = new Map<string, number>()
  gateClosed = false
  /** Starts of hubs so far. */
  hubs = 0
  /** Of every run there ever was. */
  readonly tokens = new Map<number, string>()
  nowMs = 0
  slots = 3
  #runs = 0

  isMet(id: number, when: 'done' | 'always'): boolean {
    const status = this.task(id).status
    return status === 'done' || (when === 'always' && isOver(status))
  }

  openNeeds(task: ModelTask): number {
    return [...task.needs].filter(([on, when]) => !this.isMet(on, when)).length
  }

  task(id: number): ModelTask {
    const task = this.tasks.get(id)
    if (task === undefined) throw new Error(`no T${id} in the model`)
    return task
  }

  /** Waiting cards follow their needs after every step. */
  follow(): void {
    for (const task of this.tasks.values()) {
      if (!isOver(task.status)) task.archived = false
      if (!['review', 'running'].includes(task.status) && !task.fromReview) task.reviewLane = null
      if (task.status === 'todo' && this.openNeeds(task) === 0) task.status = 'ready'
      else if (task.status === 'ready' && this.openNeeds(task) > 0) task.status = 'todo'
    }
  }

  holderOf(board: string, key: string | null): ModelTask | undefined {
    if (key === null) return undefined
    return [...this.tasks.values()].find((task) => task.board === board && task.key === key && !isOver(task.status))
  }

  reaches(from: number, to: number): boolean {
    return from === to || [...this.task(from).needs.keys()].some((on) => this.reaches(on, to))
  }

  canStart(task: ModelTask): boolean {
    const lane = claimLane(task)
    if (lane === null || task.dueMs !== null) return false
    if (['all', `lane ${lane}`, `board ${task.board}`].some((hold) => this.holds.has(hold))) return false
    if (lane === 'claude' && this.gateClosed) return false
    if (task.folder !== '' && [...this.runs.values()].some((run) => run.folder === task.folder)) return false
    const working = [...this.runs.values()].filter((run) => !run.ended)
    if (lane === 'claude' && working.filter((run) => run.lane === 'claude').length >= 2) return false
    return working.length < this.slots
  }

  /** One at a time: priority, the board served longest ago, age. */
  claim(max: number): number[] {
    const claimed: number[] = []
    while (claimed.length < max) {
      const next = [...this.tasks.values()].filter((task) => this.canStart(task)).sort((a, b) => this.#order(a, b))[0]
      if (next === undefined) break
      this.#runs += 1
      const from = next.status === 'review' ? 'review' : 'ready'
      const run = { task: next.id, lane: claimLane(next) ?? '', folder: next.folder, from } as const
      this.runs.set(this.#runs, { ...run, ended: false, stage: null, stageOver: false, call: null })
      this.served.set(next.board, this.#runs)
      next.status = 'running'
      next.runs += 1
      claimed.push(next.id)
    }
    return claimed
  }

  #order(a: ModelTask, b: ModelTask): number {
    const served = (task: ModelTask): number => this.served.get(task.board) ?? 0
    return b.priority - a.priority || served(a) - served(b) || a.id - b.id
  }

  /** Open cards whose need of this one is not met by how it stands. */
  waitingFor(task: ModelTask): readonly ModelTask[] {
    return [...this.tasks.values()].filter((child) => {
      const when = child.needs.get(task.id)
      return when !== undefined && !isOver(child.status) && !this.isMet(task.id, when)
    })
  }

  mayArchive(task: ModelTask, children: ArchiveChildren | null): boolean {
    if (!isOver(task.status)) return false
    if (task.archived) return true
    const waiting = this.waitingFor(task)
    if (waiting.length > 0 && children === null) return false
    return children !== 'archive' || !this.below(task).some(({ status }) => status === 'running')
  }

  archive(task: ModelTask, children: ArchiveChildren | null): void {
    if (task.archived) return
    const waiting = this.waitingFor(task)
    task.archived = true
    for (const child of waiting) {
      if (children === 'release') child.needs.set(task.id, 'always')
      if (children === 'archive' && !isOver(child.status)) {
        child.status = 'cancelled'
        child.dueMs = null
        this.archive(child, 'archive')
      }
    }
  }

  /** Everything that would be cancelled with a card, one need after another: those that any end lets go are not among them. */
  below(task: ModelTask): readonly ModelTask[] {
    const found = new Set<ModelTask>(this.waitingFor(task))
    for (const next of found) {
      for (const child of this.tasks.values()) {
        if (child.needs.get(next.id) === 'done' && !isOver(child.status)) found.add(child)
      }
    }
    return [...found]
  }

  /** A person blocks it, or what it comes to does. */
  block(task: ModelTask): void {
    task.fromReview ||= task.status === 'review'
    task.status = 'blocked'
  }

  reopen(task: ModelTask, at: 'author' | 'where_it_was'): void {
    const isReview = at === 'where_it_was' && task.fromReview
    task.status = isReview ? 'review' : this.openNeeds(task) > 0 ? 'todo' : 'ready'
    task.fromReview = false
    task.failures = 0
    task.reviewFailures = 0
    task.rejections = 0
    if (task.runs > 0) task.dueMs = null
  }
}

export const isOver = (status: TaskStatus): boolean =>
  status === 'done' || status === 'failed' || status === 'cancelled'

/** Whether a card may come from there to here in one step, whoever makes it. */
export const isInTable = (from: TaskStatus | 'new', to: TaskStatus): boolean =>
  moves.some((move) => move.from === from && move.to === to)

export const sameCall = (a: ModelCall, b: ModelCall): boolean =>
  a.kind === b.kind && a.on === b.on && a.verdict === b.verdict

/** The lane that may take it up now; null: none, whatever its time. */
const claimLane = ({ status, lane, reviewLane }: ModelTask): Lane | null =>
  status === 'ready' ? lane : status === 'review' ? reviewLane : null
