import type { BoardEvent } from './events.ts'

/** Hands committed events to whoever listens, in order, even when a listener itself changes the board. */
export function buildNews() {
  const listeners = new Set<(events: readonly BoardEvent[]) => void>()
  const waiting: (readonly BoardEvent[])[] = []
  let isDelivering = false

  return {
    listen: (signal: AbortSignal, heard: (events: readonly BoardEvent[]) => void): void => {
      if (signal.aborted) return
      const listener = (events: readonly BoardEvent[]): void => heard(events)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    deliver: (events: readonly BoardEvent[]): void => {
      if (events.length === 0) return
      waiting.push(events)
      if (isDelivering) return
      isDelivering = true
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          for (const listener of [...listeners]) tellListener(listener, next)
        }
      } finally {
        isDelivering = false
      }
    },
  }
}

/** The change is committed whatever a listener does, so its fault is thrown where nobody takes it for ours. */
function tellListener(listener: (events: readonly BoardEvent[]) => void, events: readonly BoardEvent[]): void {
  try {
    listener(events)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault
    })
  }
}
