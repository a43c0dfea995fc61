import type { Clock } from '../../kernel/index.ts'
import type { CallLimits } from './call-limits.ts'

export type CallCut = 'first_byte' | 'first_event' | 'idle' | 'whole_call'

/**
 * How long is waited in silence for what comes after the part that counts: usage after a finish reason, the end of a
 * stream, which some servers never send, and the words of a refusal, whose status says most of it.
 */
const tailMs = { but_usage: 3_000, whole: 250, refusal: 2_000 }

/** Without a reason of ours each end of a timer would make an error that nobody reads. */
const done = 'done'

/**
 * Watches one call from its request to its end. Each limit has its own timer and its own flag; the one that fires first
 * sets `firedBy` and cuts the call: the reason is never read from a text. Only events of the model (text, reasoning, a
 * piece of a tool call, usage) feed it: comments and empty chunks are what a dead stream looks alive by.
 *
 * It passes through: asked (first byte) → answered (first event) → begun (idle) → enough (a short silence ends it, and
 * that is nobody's fault). The limit of the whole call holds in all of them.
 */
export class CallWatch {
  readonly #clock: Clock
  readonly #limits: CallLimits
  readonly #cut: () => void
  readonly #over = new AbortController()
  /** Ends the timer of the state that it is in. */
  #state = new AbortController()
  #is: 'asked' | 'answered' | 'begun' | 'enough' = 'asked'
  #silenceMs: number
  #firedBy: CallCut | null = null
  #lastEventMs = 0

  constructor({ clock }: { readonly clock: Clock }, input: { readonly limits: CallLimits; readonly cut: () => void }) {
    this.#clock = clock
    this.#limits = input.limits
    this.#cut = input.cut
    this.#silenceMs = input.limits.idleMs
    clock.after(input.limits.wholeCallMs, this.#over.signal, () => this.#fire('whole_call'))
    clock.after(input.limits.firstByteMs, this.#state.signal, () => this.#fire('first_byte'))
  }

  get firedBy(): CallCut | null {
    return this.#firedBy
  }

  sawHeaders(): void {
    if (this.#is !== 'asked' || !this.#enter('answered')) return
    this.#clock.after(this.#limits.firstEventMs, this.#state.signal, () => this.#fire('first_event'))
  }

  sawEvent(): void {
    this.#lastEventMs = this.#clock.monotonicMs()
    if (this.#is !== 'answered' || !this.#enter('begun')) return
    this.#lookAgainIn(this.#limits.idleMs, () => this.#fire('idle'))
  }

  /**
   * What counts is there. The rest is waited for as long as it comes, and cut after a short silence: some servers send a
   * finish reason with every chunk.
   */
  sawEnough(what: keyof typeof tailMs): void {
    this.#lastEventMs = this.#clock.monotonicMs()
    this.#silenceMs = tailMs[what]
    // Entered again: usage has come, and what is left to wait for is less.
    if (!this.#enter('enough')) return
    this.#lookAgainIn(this.#silenceMs, () => {
      this.stop()
      this.#cut()
    })
  }

  /** Ends all timers. */
  stop(): void {
    this.#state.abort(done)
    this.#over.abort(done)
  }

  /** Whether it is still watched. */
  #enter(state: 'answered' | 'begun' | 'enough'): boolean {
    if (this.#over.signal.aborted) return false
    this.#state.abort(done)
    this.#state = new AbortController()
    this.#is = state
    return true
  }

  /** One timer for all events: it looks when the silence could have been long enough, and waits for the rest if it was not. */
  #lookAgainIn(ms: number, silent: () => void): void {
    this.#clock.after(ms, this.#state.signal, () => {
      const leftMs = this.#lastEventMs + this.#silenceMs - this.#clock.monotonicMs()
      if (leftMs <= 0) silent()
      else this.#lookAgainIn(leftMs, silent)
    })
  }

  #fire(by: CallCut): void {
    this.#firedBy ??= by
    this.stop()
    this.#cut()
  }
}
