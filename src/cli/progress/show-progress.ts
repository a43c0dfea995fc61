import type { BatchView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { onOneLine } from '../render/visible.ts'
import { type EndedAttempt, endLine, firstLine, heartbeatLine } from './end-line.ts'
import { type FollowDeps, followBatch, type Listener, watchProgress } from './follow-batch.ts'
import { progressLines } from './progress-lines.ts'
import { type DrawnLines, planRedraw } from './redraw-area.ts'

export interface ShowInput {
  readonly batch: BatchView
  readonly after: number
  readonly signal: AbortSignal
  /** Called after each end: what a caller keeps current (the report) is stale now. */
  readonly changed: () => void
}

/** Where progress is shown. `say` prints a line of the caller's between the others, without tearing the picture. */
export interface Stage {
  say(line: string): void
  /** Follows the batch to its verdict; undefined when the signal fired first. */
  follow(input: ShowInput): Promise<BatchView | undefined>
}

type ShowDeps = FollowDeps & Pick<CliDeps, 'out' | 'paint'>

/** A terminal gets a picture that is drawn in place; anything else one line for each end, and one a minute otherwise. */
export function openStage(deps: ShowDeps, how: 'lines' | 'quiet' | 'picture'): Stage {
  if (how === 'quiet') return quietStage(deps)
  return how === 'picture' ? pictureStage(deps) : lineStage(deps)
}

const heartbeatEveryMs = 60_000

function lineStage({ client, clock, out }: ShowDeps): Stage {
  let lastSaidMs = clock.monotonicMs()
  const say = (line: string) => {
    lastSaidMs = clock.monotonicMs()
    out.write(`${line}\n`)
  }
  return {
    say,
    async follow(input) {
      const { batch } = input
      say(firstLine(batch, clock.nowMs()))
      const over = new AbortController()
      const progress = watchProgress({ client, clock }, batch.id)
      await progress.look()
      clock.every(1_000, over.signal, () => {
        if (clock.monotonicMs() - lastSaidMs < heartbeatEveryMs) return
        lastSaidMs = clock.monotonicMs()
        // The batch may end while we look: then its end says more than this line.
        progress.look().then(
          (now) => over.signal.aborted || say(heartbeatLine(now, clock.nowMs())),
          () => {},
        )
      })
      try {
        return await followSaying({ client, clock }, input, { say, isShown: () => true })
      } finally {
        over.abort()
      }
    },
  }
}

const drawEveryMs = 500

/** Draws twice a second: times grow and last lines change without any event. Ends that need a look stay on the screen. */
function pictureStage({ client, clock, out, paint }: ShowDeps): Stage {
  let drawn: DrawnLines = []
  const draw = (area: DrawnLines, above: readonly string[] = []) => {
    out.write(planRedraw({ before: drawn, above, area, width: out.width() }))
    drawn = area
  }
  const say = (line: string) => draw(drawn, [line])
  return {
    say,
    async follow(input) {
      const over = new AbortController()
      const progress = watchProgress({ client, clock }, input.batch.id)
      let isLooking = false
      const look = async () => {
        if (isLooking || over.signal.aborted) return
        isLooking = true
        try {
          const now = await progress.look()
          if (!over.signal.aborted) draw(progressLines(now, { width: out.width(), height: out.height(), paint }))
        } catch {
          // A hub that is away for a moment: the stream below says so when it stays away.
        } finally {
          isLooking = false
        }
      }
      await look()
      clock.every(drawEveryMs, over.signal, () => void look())
      try {
        return await followSaying({ client, clock }, input, { say, isShown: (end) => end.event.kind !== 'task.done' })
      } finally {
        over.abort()
        draw([])
      }
    },
  }
}

/** Follows a batch to its verdict and says what happens to it: those ends that are to be shown, and what befalls the whole. */
async function followSaying(
  { client, clock }: FollowDeps,
  { batch, after, signal, changed }: ShowInput,
  { say, isShown }: { readonly say: (line: string) => void; readonly isShown: (end: EndedAttempt) => boolean },
): Promise<BatchView | undefined> {
  const listener: Listener = {
    ended(end) {
      if (isShown(end)) say(endLine(end, clock.nowMs()))
      changed()
    },
    noted: (event) => say(onOneLine(event.text)),
  }
  return await followBatch({ client }, { batch: batch.id, after, listener, signal })
}

function quietStage({ client }: ShowDeps): Stage {
  return {
    say: () => {},
    follow: ({ batch, after, signal, changed }) =>
      followBatch({ client }, { batch: batch.id, after, listener: { ended: changed, noted: changed }, signal }),
  }
}
