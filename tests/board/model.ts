import type { TaskStatus } from '../../src/board/index.ts'
import { moves } from '../../src/board/moves.ts'

/** A card of the plain-object board. */
export interface ModelTask {
  id: number
  board: string
  status: TaskStatus
  priority: number
  lane: 'command' | 'claude'
  folder: string
  key: string | null
  needs: Map<number, 'done' | 'always'>
  wish: 'stop' | 'cancel' | null
  failures: number
  dueMs: number | null
  runs: number
}

export interface ModelRun {
  task: number
  lane: string
  folder: string
  ended: boolean
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
    if (task.status !== 'ready' || task.dueMs !== null) return false
    if (['all', `lane ${task.lane}`, `board ${task.board}`].some((hold) => this.holds.has(hold))) return false
    if (task.lane === 'claude' && this.gateClosed) return false
    if (task.folder !== '' && [...this.runs.values()].some((run) => run.folder === task.folder)) return false
    const working = [...this.runs.values()].filter((run) => !run.ended)
    if (task.lane === 'claude' && working.filter((run) => run.lane === 'claude').length >= 2) return false
    return working.length < this.slots
  }

  /** One at a time: priority, the board served longest ago, age. */
  claim(max: number): number[] {
    const claimed: number[] = []
    while (claimed.length < max) {
      const next = [...this.tasks.values()].filter((task) => this.canStart(task)).sort((a, b) => this.#order(a, b))[0]
      if (next === undefined) break
      this.#runs += 1
      this.runs.set(this.#runs, { task: next.id, lane: next.lane, folder: next.folder, ended: false })
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

  reopen(task: ModelTask): void {
    task.status = this.openNeeds(task) > 0 ? 'todo' : 'ready'
    task.failures = 0
    if (task.runs > 0) task.dueMs = null
  }
}

export const isOver = (status: TaskStatus): boolean =>
  status === 'done' || status === 'failed' || status === 'cancelled'

/** Whether a card may come from there to here in one step, whoever makes it. */
export const isInTable = (from: TaskStatus | 'new', to: TaskStatus): boolean =>
  moves.some((move) => move.from === from && move.to === to)
