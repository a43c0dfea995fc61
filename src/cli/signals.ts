import { constants } from 'node:os'
import { type Interrupt, interrupts, type Signals } from './command.ts'

/** Where signals come from: the process, or a test. */
export interface SignalSource {
  on(name: Interrupt, heard: () => void): unknown
}

export interface HeardSignals extends Signals {
  /** The exit code that an interrupt asks for (130 for SIGINT); undefined when none came to us. */
  exitCode(): number | undefined
}

/** How long a verb may tidy up after the first signal before the program leaves anyway. */
const tidyUpMs = 1_000

/**
 * Listens to our own signals. While no verb has taken them, the first fires `interrupted` and, should the verb not end
 * by itself, leaves after a second; the second leaves at once.
 */
export function hearSignals({
  source,
  leave,
  after,
}: {
  readonly source: SignalSource
  readonly leave: (code: number) => void
  readonly after: (ms: number, beat: () => void) => void
}): HeardSignals {
  const interrupted = new AbortController()
  let taker: ((name: Interrupt) => void) | undefined
  let code: number | undefined
  for (const name of interrupts) source.on(name, () => (taker === undefined ? interrupt(name) : taker(name)))

  function interrupt(name: Interrupt): void {
    const leaveWith = 128 + constants.signals[name]
    if (code === undefined) {
      interrupted.abort()
      after(tidyUpMs, () => leave(leaveWith))
    } else {
      leave(leaveWith)
    }
    code = leaveWith
  }
  return {
    interrupted: interrupted.signal,
    exitCode: () => code,
    take(listener) {
      taker = listener
      return () => {
        if (taker === listener) taker = undefined
      }
    },
  }
}
