import { type Clock, describeDuration, YardError } from '../../kernel/index.ts'
import type { BoardState } from './board-state.ts'
import type { HubLine } from './hub-line.ts'

interface Deps {
  readonly clock: Clock
  readonly line: HubLine
  readonly state: BoardState
  readonly log: (line: string) => void
}

/** A question for news is held back by the hub for so long: one in 25 s costs it nothing, and what happens is told at once. */
const newsWaitSeconds = 25
/** On top of it, for a hub that is frozen or busy. */
const newsGraceMs = 15_000
/** After an answer: so that many remarks, or a hub that does not wait, cost no more than this. */
const newsPauseMs = 200
const firstWaitMs = 250
const longestWaitMs = 2_000

/** Hears of remarks and of a wish to stop until `signal` fires, also across restarts of the hub. */
export async function followNews({ clock, line, state, log }: Deps, signal: AbortSignal): Promise<void> {
  let after: number | undefined
  let waitMs = firstWaitMs
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => {}) // told to end: the loop sees it
  while (!signal.aborted && !state.ended.aborted) {
    try {
      const asked = { after, waitSeconds: newsWaitSeconds }
      const how = { retryForMs: 0, answerWithinMs: newsWaitSeconds * 1_000 + newsGraceMs, signal }
      const view = await line.ask(how, (client, signal) => client.news(asked, signal))
      if (waitMs > firstWaitMs) log('board: the hub answers again')
      waitMs = firstWaitMs
      after = view.last
      state.hearNews(view)
      await pause(newsPauseMs)
    } catch (fault) {
      if (signal.aborted) return
      if (isOver(fault)) return state.end({ kind: 'over', text: (fault as YardError).message })
      if (waitMs === firstWaitMs) log(`board: ${(fault as Error).message}; asked again until it answers`)
      await pause(waitMs)
      waitMs = Math.min(2 * waitMs, longestWaitMs)
    }
  }
}

/** The run is not this worker's any more. */
export const isOver = (fault: unknown): boolean => fault instanceof YardError && fault.code === 'API_RUN_OVER'

const heartbeatEveryMs = 60_000

/** When nothing new has come of the work for so long, the heartbeat says so: to live and to get on are two things. */
const quietStepsMs = [300_000, 600_000, 1_140_000] as const

/**
 * Says at least each minute that the worker lives, from a timer; and only while its loop moves on: one that is wedged must not be
 * kept alive by its timer. A heartbeat also tells the age of the last progress, once at each step, for people who look at the card.
 */
export function beat(
  { clock, line, state }: Omit<Deps, 'log'>,
  { vetoAfterMs, progressMs }: { readonly vetoAfterMs: number; readonly progressMs: () => number },
  signal: AbortSignal,
): void {
  let told = { sinceMs: progressMs(), steps: 0 }
  clock.every(heartbeatEveryMs, signal, () => {
    const sinceMs = progressMs()
    const quietMs = clock.monotonicMs() - sinceMs
    if (quietMs > vetoAfterMs) return
    const steps = quietStepsMs.filter((step) => quietMs >= step).length
    const isNew = steps > (told.sinceMs === sinceMs ? told.steps : 0)
    const note = isNew ? `it lives, and nothing new has come of its work for ${describeDuration(quietMs)}` : undefined
    told = { sinceMs, steps }
    void line
      .ask({ retryForMs: 0, signal }, (client, signal) => client.heartbeat(note, signal))
      .then((view) => state.hear(view))
      .catch(() => {}) // the next one comes; whether the run is over is heard with the news
  })
}
