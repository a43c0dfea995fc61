import type { Board } from '../../board/index.ts'
import { backoffMs, type Clock, describeSize } from '../../kernel/index.ts'
import type { DispatcherLog } from '../log.ts'
import { neededDiskBytes, readDiskSpace } from './disk-space.ts'
import { measureHome } from './measure-home.ts'

export interface DiskWatchDeps {
  readonly board: Board
  readonly clock: Clock
  readonly log: DispatcherLog
  readonly home: string
  /** `disk_free`; null: built in. */
  readonly diskFreeBytes: number | null
}

export interface DiskWatchOptions {
  readonly signal: AbortSignal
  /** Called when space has come back. */
  readonly wake: () => void
}

/** While it is low. */
const againMs = { first: 1_000, most: 30_000 }

/**
 * Says whether there is room on the disk of the home to start something new. While there is not, the board knows it, so
 * that `why` says so; the largest folders are measured once, beside the work; and it looks again by itself, after 1 s
 * doubling to 30 s, until space is back. What runs, and every end, goes on: only new starts wait (C101).
 */
export class DiskWatch {
  readonly #deps: DiskWatchDeps
  readonly #options: DiskWatchOptions
  #isLow = false
  #looks = 0

  constructor(deps: DiskWatchDeps, options: DiskWatchOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** Asks the kernel, which costs some microseconds; while it was low it is left to the timer. */
  mayStart(): boolean {
    if (!this.#isLow) this.#look()
    return !this.#isLow
  }

  #look(): void {
    const { board, clock, log, home, diskFreeBytes } = this.#deps
    const space = readDiskSpace(home)
    if (space === undefined) return
    const { freeBytes } = space
    const neededBytes = neededDiskBytes(diskFreeBytes, space)
    if (freeBytes >= neededBytes) {
      if (!this.#isLow) return
      this.#isLow = false
      log.info('disk.enough', { freeBytes, neededBytes })
      this.#tell(() => board.setDiskLow(null))
      this.#options.wake()
      return
    }
    const isNew = !this.#isLow
    this.#isLow = true
    this.#looks = isNew ? 0 : this.#looks + 1
    const largest = board.diskLow()?.largest ?? []
    this.#tell(() => board.setDiskLow({ freeBytes, neededBytes, largest }))
    if (isNew) {
      log.warn('disk.low', { free: describeSize(freeBytes), needed: describeSize(neededBytes) })
      void this.#measure()
    }
    const waitMs = backoffMs(this.#looks + 1, againMs.first, againMs.most)
    clock.after(waitMs, this.#options.signal, () => this.#look())
  }

  async #measure(): Promise<void> {
    const { board, home } = this.#deps
    const largest = await measureHome(home, this.#options.signal)
    const low = board.diskLow()
    if (low !== null && !this.#options.signal.aborted) this.#tell(() => board.setDiskLow({ ...low, largest }))
  }

  /** A disk that is full to the last page keeps the event from being written; the answer holds all the same. */
  #tell(act: () => void): void {
    try {
      act()
    } catch (fault) {
      this.#deps.log.warn('disk.not_told', { fault: String(fault) })
    }
  }
}
