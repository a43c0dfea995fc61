import type { Board, HubStart } from '../board/index.ts'
import { describeDuration } from '../kernel/index.ts'
import type { Home } from './home.ts'
import type { HubLog } from './hub-log.ts'
import { sayCopy } from './say-copy.ts'
import { countUncleanStops, uncleanStopRule } from './unclean-stops.ts'

type Deps = { readonly home: Pick<Home, 'path' | 'copy'>; readonly board: Board; readonly log: Pick<HubLog, 'warn'> }
type Start = Omit<HubStart, 'startedAtMs' | 'stoppedAtMs'>

const byHub = { by: 'hub' } as const

/**
 * Puts the start of a hub on record, before it does anything else. Answers what a person should know about this start, a
 * sentence each: the home came from another machine or is a copy, or nothing starts because of unclean stops. Each is also in the log
 * and among the events, once.
 */
export function recordStart({ home, board, log }: Deps, start: Start): readonly string[] {
  const stops = countUncleanStops(board.hubStarts({ sinceMs: 0 }), board.clock.nowMs())
  const notes = [
    takeMachineOver({ board, log }, start),
    sayCopy({ home, board, log }),
    pauseAfterUncleanStops({ board, log }, start, stops),
  ]
  board.recordHubStart(start)
  return notes.filter((note) => note !== undefined)
}

/** What the other machine has started is held by adoption; everything else goes on here. */
function takeMachineOver({ board, log }: Omit<Deps, 'home'>, { machine, host }: Start): string | undefined {
  const before = board.readMachine()
  if (before === machine) return undefined
  if (before === null) {
    board.writeMachine(machine) // a home of before machines were kept, or a new one
    return undefined
  }
  const from = board.hubStarts({ sinceMs: 0 }).find((other) => other.machine === before)?.host ?? before
  const held = board.openRuns().filter((run) => run.machine !== null && run.machine !== machine).length
  const attempts = held === 1 ? 'an attempt that it started is' : `${held} attempts that it started are`
  const rest = held === 0 ? 'nothing of it was running' : `${attempts} held, never signalled; yardmaster list`
  const text = `this home was worked by another machine before (${from}, now ${host}): ${rest}`
  log.warn('home.moved', { from: before, fromHost: from, to: machine, toHost: host, held })
  // Said before it is written: a kill between the two says it twice rather than never.
  board.record({ kind: 'home.moved', text, data: { from, to: host, held } }, byHub)
  board.writeMachine(machine)
  return text
}

/** Only a service manager starts again and again by itself; a person who types `up` wants it up (C46). */
function pauseAfterUncleanStops(
  { board, log }: Omit<Deps, 'home'>,
  { startedBy }: Start,
  stops: number,
): string | undefined {
  if (startedBy !== 'service' || stops < uncleanStopRule.stops) return undefined
  const text = `the hub was stopped uncleanly ${stops} times within ${describeDuration(uncleanStopRule.withinMs)}`
  log.warn('hub.paused', { uncleanStops: stops })
  board.setHold({ scope: 'all', name: null, kind: 'pause', text }, byHub)
  return `${text}, so nothing starts by itself now; what runs was taken over. Go on: yardmaster resume`
}
