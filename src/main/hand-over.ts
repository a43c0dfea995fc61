import { openBoard, refuseUnknownStore } from '../board/index.ts'
import { type Clock, type Random, YardError } from '../kernel/index.ts'
import { loadLibc } from '../kernel/process/index.ts'
import { mainError } from './errors.ts'
import type { Home } from './home.ts'
import type { FoundHub, HubOptions } from './hub-options.ts'
import { readRetryWaits } from './retry-waits.ts'

/** A hub that was asked to leave, for the record of the one that follows. */
export interface Replaced {
  readonly pid: number
  readonly version: string
  /** On the monotonic clock: from here on nobody may answer. */
  readonly leftAtMs: number
}

/**
 * `up --replace`, first half: tries whatever could keep this program from working the home, while the old hub still
 * works it; then asks the old hub to leave (no new starts, answers in flight given, lock released, workers live on). A
 * fault before that changes nothing. Throws `BOARD_TOO_NEW`, `MAIN_BAD_VARIABLE`, `MAIN_HUB_OF_SERVICE` and
 * `MAIN_CANNOT_HAND_OVER`.
 */
export async function askToLeave(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { home, options, found }: { readonly home: Home; readonly options: HubOptions; readonly found: FoundHub },
): Promise<Replaced> {
  readRetryWaits(options.env)
  refuseUnknownStore(home.store)
  openBoard({ path: ':memory:', clock, random }).close() // a driver that does not load here
  await loadLibc() // also so that nothing of it is waited for while no hub is there
  const { version, hub } = await found.client.health()
  if (hub?.started_by === 'service' && options.startedBy !== 'service') {
    throw mainError('MAIN_HUB_OF_SERVICE', { pid: found.pid })
  }
  await found.client.down('replace').catch((fault: unknown) => {
    if (fault instanceof YardError && fault.status === 400) {
      throw mainError('MAIN_CANNOT_HAND_OVER', { pid: found.pid, version }, fault)
    }
    throw fault
  })
  return { pid: found.pid, version, leftAtMs: clock.monotonicMs() }
}

/** For people: from whom, and how long nobody was there. `nowMs` on the monotonic clock. */
export function sayHandOver({ pid, version, leftAtMs }: Replaced, nowMs: number): string {
  return `took over from hub ${version} (pid ${pid}) with ${Math.round(nowMs - leftAtMs)} ms without a hub; what runs goes on`
}
