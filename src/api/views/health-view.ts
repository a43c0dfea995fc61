import type { Board } from '../../board/index.ts'
import type { HealthView } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

/** The yard at a glance. Costs a handful of kept counts and the open runs, however many tasks wait. */
export function viewHealth({ board, yard }: { readonly board: Board; readonly yard: YardView }): HealthView {
  const holds = board.holds()
  const leaving = yard.dispatcher?.isLeaving() ?? false
  const working = board
    .openRuns()
    .filter((run) => (run.phase === 'claimed' || run.phase === 'started') && board.hostElsewhere(run) === null)
  return {
    version: yard.version,
    pid: yard.pid,
    dispatching: yard.dispatcher !== undefined,
    draining: leaving || holds.some(({ scope, kind }) => scope === 'all' && kind === 'drain'),
    leaving,
    slots: { total: yard.slots, used: working.length },
    disk: viewDisk(board, yard),
    counts: board.counts(),
    holds: holds.map(({ sinceMs, ...hold }) => ({ ...hold, since: isoTime(sinceMs) })),
    accounts: viewAccounts(board, yard),
    last_seq: board.lastSeq(),
    last_hub_at: isoTimeOrNull(board.lastHubMs()),
    home: yard.home,
    unclean_stops_24h: countUncleanStops({ board, yard }),
    hub: viewHub(yard),
    config: yard.config,
    lanes: yard.lanes().map(({ name, uses, ready, says }) => ({ name, uses, ready, says })),
  }
}

const dayMs = 24 * 3_600_000

/** The hub that answers has not ended yet. */
function countUncleanStops({ board, yard }: { readonly board: Board; readonly yard: YardView }): number {
  const starts = board.hubStarts({ sinceMs: board.clock.nowMs() - dayMs })
  return starts.filter(({ instance, stoppedAtMs }) => stoppedAtMs === null && instance !== yard.hub?.instance).length
}

function viewHub({ hub }: YardView): HealthView['hub'] {
  return hub === undefined
    ? null
    : { instance: hub.instance, host: hub.host, started_by: hub.startedBy, notes: hub.notes() }
}

function viewDisk(board: Board, yard: YardView): HealthView['disk'] {
  const space = yard.disk()
  if (space === null) return null
  const low = board.diskLow()
  return {
    free_bytes: space.freeBytes,
    needed_bytes: space.neededBytes,
    low: low !== null || space.freeBytes < space.neededBytes,
    since: isoTimeOrNull(low?.sinceMs ?? null),
    largest: low?.largest ?? [],
  }
}

/** Every configured account; one without a gate on record was never closed. */
function viewAccounts(board: Board, yard: YardView): HealthView['accounts'] {
  const gates = new Map(board.gates().map((gate) => [gate.account, gate]))
  return [...new Set([...yard.accounts, ...gates.keys()])].map((name) => {
    const gate = gates.get(name)
    if (gate === undefined) return { name, open: true, until: null, parked_by: null, reason: null }
    const open = gate.untilMs === null && gate.probeRun === null && gate.parkedBy === null
    return { name, open, until: isoTimeOrNull(gate.untilMs), parked_by: gate.parkedBy, reason: gate.reason }
  })
}
