import type { Clock } from '../../kernel/index.ts'
import type { CallLimits } from './call-limits.ts'

export type CallCut = 'first_byte' | 'first_event' | 'idle' | 'whole_call'

/**
 * How long is waited for what comes after the part that counts: usage after a finish reason, the end of a stream, which
 * some servers never send, and the words of a refusal, whose status says most of it.
 */
const tailMs = { but_usage: 3_000, whole: 250, refusal: 2_000 }

/** Without a reason of ours each end of a timer would make an error that nobody reads. */
const done = 'done'

/**
 * Watches one call from its request to its end. Each limit has its own timer and its own flag; the one that fires first
 * sets `firedBy` and cuts the call: the reason is never read from a text. Only events of the model (text, reasoning, a
 * piece of a tool call, usage) feed it: comments and empty chunks are what a dead stream looks alive by.
 */
export class CallWatch {
  readonly #clock: Clock
  readonly #limits: CallLimits
  readonly #cut: () => void
  readonly #over = new AbortController()
  readonly #answered = new AbortController()
  readonly #begun = new AbortController()
  readonly #whole = new AbortController()
  #firedBy: CallCut | null = null
  #lastEventMs = 0

  constructor({ clock }: { readonly clock: Clock }, input: { readonly limits: CallLimits; readonly cut: () => void }) {
    this.#clock = clock
    this.#limits = input.limits
    this.#cut = input.cut
    clock.after(input.limits.wholeCallMs, this.#over.signal, () => this.#fire('whole_call'))
    clock.after(input.limits.firstByteMs, this.#answered.signal, () => this.#fire('first_byte'))
  }

  get firedBy(): CallCut | null {
    return this.#firedBy
  }

  sawHeaders(): void {
    if (this.#over.signal.aborted) return
    this.#answered.abort(done)
    this.#clock.after(this.#limits.firstEventMs, this.#begun.signal, () => this.#fire('first_event'))
  }

  sawEvent(): void {
    if (this.#over.signal.aborted) return
    this.#lastEventMs = this.#clock.monotonicMs()
    if (this.#begun.signal.aborted) return
    this.#begun.abort(done)
    this.#lookAgainIn(this.#limits.idleMs)
  }

  /** What counts is there: the rest is waited for a moment and then cut, and nobody's flag is set. */
  sawEnough(what: keyof typeof tailMs): void {
    if (this.#firedBy !== null) return
    this.#endLimits()
    this.#clock.after(tailMs[what], this.#whole.signal, this.#cut)
  }

  /** Ends all timers. */
  stop(): void {
    this.#endLimits()
    this.#whole.abort(done)
  }

  #endLimits(): void {
    for (const part of [this.#answered, this.#begun, this.#over]) part.abort(done)
  }

  /** One timer for all events: it looks when the limit could have passed, and waits for the rest if it has not. */
  #lookAgainIn(ms: number): void {
    this.#clock.after(ms, this.#over.signal, () => {
      const leftMs = this.#lastEventMs + this.#limits.idleMs - this.#clock.monotonicMs()
      if (leftMs <= 0) this.#fire('idle')
      else this.#lookAgainIn(leftMs)
    })
  }

  #fire(by: CallCut): void {
    this.#firedBy ??= by
    this.stop()
    this.#cut()
  }
}
