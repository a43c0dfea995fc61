import type { Clock } from '../../kernel/index.ts'

/** Limits of one call, each finite. */
export interface CallLimits {
  /** From sending the request to its headers. */
  readonly firstByteMs: number
  /** Between events of the model; the first counts from the headers. Keep-alive comments do not feed it. */
  readonly idleMs: number
  /** From sending the request to its end, whatever arrives. */
  readonly wholeCallMs: number
}

export type CallCut = 'first_byte' | 'idle' | 'whole_call'

/** Watches one call. The limit that fires first sets `firedBy` and cuts the call: the reason is never read from a text. */
export class CallWatch {
  readonly #clock: Clock
  readonly #limits: CallLimits
  readonly #cut: () => void
  readonly #over = new AbortController()
  #firedBy: CallCut | null = null
  #headersSeen = false
  #lastEventMs = 0

  constructor({ clock }: { readonly clock: Clock }, input: { readonly limits: CallLimits; readonly cut: () => void }) {
    this.#clock = clock
    this.#limits = input.limits
    this.#cut = input.cut
    clock.after(input.limits.wholeCallMs, this.#over.signal, () => this.#fire('whole_call'))
    clock.after(input.limits.firstByteMs, this.#over.signal, () => {
      if (!this.#headersSeen) this.#fire('first_byte')
    })
  }

  get firedBy(): CallCut | null {
    return this.#firedBy
  }

  sawHeaders(): void {
    this.#headersSeen = true
    this.#lastEventMs = this.#clock.monotonicMs()
    this.#lookAgainIn(this.#limits.idleMs)
  }

  sawEvent(): void {
    this.#lastEventMs = this.#clock.monotonicMs()
  }

  /** Ends all timers. */
  stop(): void {
    this.#over.abort()
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
