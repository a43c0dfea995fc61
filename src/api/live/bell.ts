/** Rings for one waiting loop. A ring while nobody waits is kept, so that nothing is missed between look and wait. */
export interface Bell {
  ring(): void
  /** Resolves at the next ring, at once when one was kept, or when `signal` fires. */
  rung(signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  let isKept = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isKept = true
      wake?.()
    },
    async rung(signal) {
      if (!isKept && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = () => {
            signal.removeEventListener('abort', wake as () => void)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
      }
      isKept = false
      wake = undefined
    },
  }
}
