import { captureFingerprint, compareFingerprint, readHostIdentity } from '../../kernel/process/index.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'

const lookEveryMs = 50
/** Between its last answer and its end a hub closes its store; a pid of another namespace is not ours to watch longer. */
const leavesWithinMs = 10_000

export interface HubToEnd {
  readonly pid: number
  /** Undefined: however long its attempts take. */
  readonly withinMs: number | undefined
}

/**
 * Watches a hub go: resolves once it answers no more and its process is gone, or when `signal` fires. Call it before
 * the hub is told to go, so that a pid that is given to somebody else meanwhile is not mistaken for it. Throws
 * `CLI_HUB_DOES_NOT_END`.
 */
export async function hubEnd(
  { clock, home, main }: Pick<CliDeps, 'clock' | 'home' | 'main'>,
  { pid, withinMs }: HubToEnd,
  signal: AbortSignal,
): Promise<void> {
  const host = readHostIdentity()
  const process = captureFingerprint(host, pid)
  const startedMs = clock.monotonicMs()
  let silentSinceMs: number | undefined
  while (!signal.aborted) {
    const nowMs = clock.monotonicMs()
    const answers = silentSinceMs === undefined && (await main.findHub(home))?.pid === pid
    if (!answers) {
      silentSinceMs ??= nowMs
      if (process === undefined || compareFingerprint(host, process) !== 'same') return
      if (nowMs - silentSinceMs > leavesWithinMs) return
    }
    if (withinMs !== undefined && nowMs - startedMs > withinMs) {
      throw cliError('CLI_HUB_DOES_NOT_END', { pid, waitedMs: nowMs - startedMs })
    }
    await clock.sleep(lookEveryMs, signal).catch(() => {}) // fired: the loop sees it
  }
}
