import type { Client } from '../api/client/index.ts'
import type { CliDeps } from './command.ts'

/** Ages on screen grow without any event; this often they are drawn anew. */
const everyMs = 5_000
/** A burst of events is one redraw. */
const atMostEveryMs = 300

/**
 * Calls `draw` now, after each change on the board, and every few seconds, until Ctrl-C, or until nobody reads `out`
 * any more. Ends with the error of a hub that has gone.
 */
export async function redrawOnChange(
  { clock, signals, out }: Pick<CliDeps, 'clock' | 'signals' | 'out'>,
  {
    client,
    afterSeq,
    draw,
  }: { readonly client: Client; readonly afterSeq: number; readonly draw: () => Promise<void> },
): Promise<void> {
  const done = new AbortController()
  const ends = AbortSignal.any([signals.interrupted, out.closed, done.signal])
  let wake = () => {}
  const listening = listen()
  listening.catch(() => {}) // told by the race below; it may come while a drawing is under way
  try {
    for (;;) {
      await draw()
      if (ends.aborted) return
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      await Promise.race([clock.sleep(everyMs, ends), changed, listening]).catch((fault) => rethrow(fault))
      if (ends.aborted) return
      await clock.sleep(atMostEveryMs, ends).catch((fault) => rethrow(fault))
    }
  } finally {
    done.abort()
  }

  async function listen(): Promise<void> {
    for await (const _ of client.events(afterSeq, {}, ends)) wake()
  }

  function rethrow(fault: unknown): void {
    if (!ends.aborted) throw fault
  }
}
