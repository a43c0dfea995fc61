import { join } from 'node:path'
import type { Board, KeptPlace, KeptRun } from '../../board/index.ts'
import { crashPoint, formatRunId, formatTaskId, makeFolder, type RunId, type Service } from '../../kernel/index.ts'
import { retireRunDirectory } from '../../runs/index.ts'
import { emptyTrash, retireScratch, workspacePath } from '../../workspaces/index.ts'
import type { DispatcherLog } from '../log.ts'
import { type CleanerDeps, cleanCaches, cleanWorkspaces } from './cleaner.ts'
import { eventsKeptMs, planRetention, youngestToGo } from './plan-retention.ts'
import { sweepFiles } from './sweep-files.ts'

export interface KeeperDeps extends CleanerDeps {
  readonly log: DispatcherLog
}

export interface Swept {
  readonly runs: number
  readonly scratch: number
  readonly worktrees: number
  readonly events: number
  /** Of the attachment store. */
  readonly files: number
}

export interface Keeper extends Service {
  /** Looks through everything once, in small steps. */
  sweep(): Promise<Swept>
}

/** Late enough not to stand in the way of a start that adopts hundreds of attempts. */
const firstAfterMs = 60_000
const everyMs = 60 * 60_000

/** A step holds the loop for a few milliseconds at most, and lets it work ten times as long. */
const stepMs = 4
const restMs = 40
const runsAStep = 50
const eventsAStep = 500

/**
 * Removes what is past its time (`keep` in yardmaster.yaml), once an hour: directories of attempts, scratch folders, old
 * events, files that nothing has any more. A directory is taken away in one rename, into `trash` of the home, and noted on the board; what lies in the trash
 * is removed one file after the other beside the work. A kill between any two of these leaves something for the next look,
 * and nothing half.
 */
export function createKeeper(deps: KeeperDeps): Keeper {
  return new YardKeeper(deps)
}

class YardKeeper implements Keeper {
  readonly name = 'retention'
  readonly #deps: KeeperDeps
  readonly #over = new AbortController()
  #sweeping: Promise<Swept> | undefined

  constructor(deps: KeeperDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { clock } = this.#deps
    clock.after(firstAfterMs, this.#over.signal, () => this.#sweepAndTell())
    clock.every(everyMs, this.#over.signal, () => this.#sweepAndTell())
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#sweeping?.catch(() => {}) // told where it was begun
  }

  sweep(): Promise<Swept> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  #sweepAndTell(): void {
    const { log } = this.#deps
    void this.sweep().then(
      (swept) => {
        if (Object.values(swept).some((n) => n > 0)) log.info('retention.swept', { ...swept })
      },
      (fault) => log.error('retention.fault', { fault: String(fault) }),
    )
  }

  async #sweep(): Promise<Swept> {
    const { home } = this.#deps
    makeFolder(trashOf(home), 0o700)
    await this.#emptyTrash()
    const { runs, scratch } = await this.#sweepRuns()
    const worktrees = await this.#sweepWorktrees()
    const events = await this.#sweepEvents()
    const files = await sweepFiles({ ...this.#deps, rest: () => this.#rest() })
    return { runs, scratch, worktrees, events, files }
  }

  async #sweepRuns(): Promise<{ runs: number; scratch: number }> {
    const { board, clock, keep } = this.#deps
    const removed = { runs: 0, scratch: 0 }
    const beforeMs = youngestToGo(keep, clock.nowMs())
    if (beforeMs === null) return removed
    for (let after: KeptPlace | null = null; ; ) {
      const untilMs = clock.monotonicMs() + stepMs
      const rows: readonly KeptRun[] = board.keptRuns({ beforeMs, after, limit: runsAStep })
      const gone: RunId[] = []
      for (const row of rows) {
        after = row
        if (this.#retire(row, removed)) {
          gone.push(row.run)
          crashPoint('retention.moved')
        }
        if (clock.monotonicMs() >= untilMs) break
      }
      if (gone.length > 0) board.recordPruned(gone)
      crashPoint('retention.recorded')
      removed.runs += gone.length
      if (rows.length === 0 || !(await this.#rest())) return removed
      if (gone.length > 0) await this.#emptyTrash()
    }
  }

  /** True when nothing of the attempt is ours to remove any more. One that cannot be moved must not keep all others. */
  #retire(row: KeptRun, removed: { scratch: number }): boolean {
    const { keep, clock, log } = this.#deps
    const plan = planRetention(row, keep, clock.nowMs())
    if (plan === 'keep') return false
    try {
      this.#move(row, plan, removed)
      return true
    } catch (fault) {
      log.warn('retention.not_moved', { run: row.run, fault: String(fault) }) // tried again at the next look
      return false
    }
  }

  #move(row: KeptRun, plan: 'directory' | 'directory and scratch', removed: { scratch: number }): void {
    const { home, log } = this.#deps
    if (plan === 'directory and scratch') {
      const path = workspacePath(home, row.task)
      const scratch = retireScratch(path, this.#trashPath(formatTaskId(row.task)))
      if (scratch === 'moved') removed.scratch += 1
      else if (scratch === 'not_ours')
        log.warn('retention.left', { path, why: 'it is not the folder that was made there' })
    }
    const retired = retireRunDirectory(home, row.run, this.#trashPath(formatRunId(row.run)))
    if (retired === 'not_ours') log.warn('retention.left', { run: row.run, why: 'it is no directory of an attempt' })
  }

  /** Those whose work is safe elsewhere; what stays has its reason in `yardmaster clean --dry-run`. */
  async #sweepWorktrees(): Promise<number> {
    const { log } = this.#deps
    const { signal } = this.#over
    const asked = { tasks: null, asked: 'time', act: 'remove', sizes: 'skip', actor: { by: 'hub' } } as const
    const rows = await cleanWorkspaces(this.#deps, asked, signal)
    for (const { path, because, says } of rows) {
      if (because === 'failed') log.warn('retention.left', { path, why: says })
    }
    const removed = rows.filter(({ done }) => done === 'removed').length
    if ((await cleanCaches(this.#deps, signal)) + removed > 0) await this.#emptyTrash()
    return removed
  }

  async #sweepEvents(): Promise<number> {
    const { board, clock } = this.#deps
    const beforeMs = clock.nowMs() - eventsKeptMs
    let removed = 0
    for (let after: number | null = 0; after !== null; ) {
      const step: ReturnType<Board['pruneEvents']> = board.pruneEvents({ beforeMs, after, limit: eventsAStep })
      removed += step.removed
      after = step.after
      if (!(await this.#rest())) break
    }
    return removed
  }

  /** What cannot be removed stays and is tried again at the next look; the log says why. */
  async #emptyTrash(): Promise<void> {
    const { home, log } = this.#deps
    await emptyTrash({
      home,
      signal: this.#over.signal,
      notRemoved: (path, fault) => log.warn('retention.not_removed', { path, fault: String(fault) }),
    })
  }

  #trashPath(name: string): string {
    return join(trashOf(this.#deps.home), `${name}-${this.#deps.random.hex(8)}`)
  }

  /** False when it is to stop. */
  async #rest(): Promise<boolean> {
    await this.#deps.clock.sleep(restMs, this.#over.signal).catch(() => {}) // told to stop
    return !this.#over.signal.aborted
  }
}

const trashOf = (home: string): string => join(home, 'trash')
