import type { BatchCut, BatchLimits } from './batch.ts'

/** How a batch stands: what `halt` and the canary are judged by. Counted from its last resume. */
export interface BatchProgress {
  readonly failed: number
  /** Done, failed or cancelled. */
  readonly ended: number
  readonly canary: 'none' | 'open' | 'passed'
  /** A canary failed or was cancelled. */
  readonly canaryLost: boolean
}

/** A share is judged once so many have ended; before, one bad start would be everything (files-and-cli section 2). */
const fewestEnded = 10

/** Why the batch must start nothing new any more, by its own ends; undefined while it may. */
export function planCut(
  limits: BatchLimits,
  progress: BatchProgress,
): { readonly cut: BatchCut; readonly text: string } | undefined {
  if (progress.canary === 'open' && progress.canaryLost) {
    return { cut: 'canary', text: `one of the first ${limits.first ?? 0} did not end well` }
  }
  if (!isHalted(limits, progress)) return undefined
  return { cut: 'halt', text: `${progress.failed} of ${progress.ended} failed (halt: ${sayHalt(limits)})` }
}

/** `halt` as a number counts at once; as a share once 10 have ended. */
export function isHalted({ halt }: BatchLimits, { failed, ended }: Pick<BatchProgress, 'failed' | 'ended'>): boolean {
  if (halt === undefined) return false
  if ('count' in halt) return failed >= halt.count
  return ended >= fewestEnded && failed >= halt.share * ended
}

const sayHalt = ({ halt }: BatchLimits): string => {
  if (halt === undefined) return ''
  return 'count' in halt ? String(halt.count) : `${Math.round(halt.share * 100)}%`
}
