import { type Clock, describeDuration } from '../../../kernel/index.ts'
import { oneLine } from './describe-command.ts'
import type { CommandBeat } from './desk-deps.ts'
import type { RunningCommand } from './running-command.ts'

const leastEveryMs = 60_000

export interface HeartbeatDeps {
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly heartbeatMs: number
  readonly onBeat?: ((beat: CommandBeat) => void) | undefined
}

/** How often the log tells of a command that runs: never for 0, and no more often than once a minute. */
export function heartbeatEveryMs(heartbeatMs: number): number | undefined {
  return heartbeatMs <= 0 ? undefined : Math.max(heartbeatMs, leastEveryMs)
}

/** Tells of a command for as long as it runs. */
export function beatFor({ clock, log, heartbeatMs, onBeat }: HeartbeatDeps, running: RunningCommand): void {
  const everyMs = heartbeatEveryMs(heartbeatMs)
  if (everyMs === undefined) return
  const over = new AbortController()
  void running.ended.then(() => over.abort())
  let seenBytes = 0
  clock.every(everyMs, over.signal, () => {
    const { command, elapsedMs } = running
    const outputBytes = running.output.rawBytes
    log(`terminal: ${oneLine(command)}: runs for ${describeDuration(elapsedMs)}, ${outputBytes} bytes so far`)
    onBeat?.({ command, elapsedMs, outputBytes, grew: outputBytes > seenBytes })
    seenBytes = outputBytes
  })
}
