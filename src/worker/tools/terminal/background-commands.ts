import type { RunningCommand } from './running-command.ts'

/** One command that was sent into the background. */
export interface BackgroundCommand {
  /** `P1`, in the order in which they were sent there. */
  readonly id: string
  readonly running: RunningCommand
}

const mostCommands = 64

/**
 * The commands of one worker that run in the background, and those of them that have ended and may still be looked at: at
 * most 64 together. The oldest that has ended makes room; while all of them run nothing more is taken.
 */
export class BackgroundCommands {
  readonly #commands = new Map<string, BackgroundCommand>()
  #last = 0

  /** Whether one more may come. */
  hasRoom(): boolean {
    return this.#commands.size < mostCommands || this.#oldestEnded() !== undefined
  }

  /** Takes it whatever the number, since it runs already. */
  add(running: RunningCommand): BackgroundCommand {
    const oldest = this.#commands.size < mostCommands ? undefined : this.#oldestEnded()
    if (oldest !== undefined) this.#commands.delete(oldest.id)
    this.#last += 1
    const added = { id: `P${this.#last}`, running }
    this.#commands.set(added.id, added)
    return added
  }

  /** By its id as a model writes it; undefined when there is none. */
  find(id: string): BackgroundCommand | undefined {
    return this.#commands.get(id.trim().toUpperCase())
  }

  /** In the order in which they came. */
  all(): readonly BackgroundCommand[] {
    return [...this.#commands.values()]
  }

  #oldestEnded(): BackgroundCommand | undefined {
    return this.all().find(({ running }) => running.end !== undefined)
  }
}
