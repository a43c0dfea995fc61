import type { Clock, Random } from '../kernel/index.ts'
import { type KernelLock, type LockHolder, readLockHolder, takeKernelLock } from '../kernel/process/index.ts'
import { isElsewhere } from './elsewhere.ts'
import { mainError } from './errors.ts'
import { findHub } from './find-hub.ts'
import type { Home } from './home.ts'

/** How long another process may need to leave: a short command of the CLI, or a hub that is going down (design section 9). */
const waitMs = 5_000

/** A hub that hands over gives the answers it owes first, and closes its store. */
const handOverMs = 60_000

/** A home that is ours alone now. */
export interface TakenHome {
  readonly lock: KernelLock
  /** The note of the one before, which did not live to take it away: only for the log (C25). */
  readonly left: LockHolder | undefined
}

/**
 * Takes the home for this process, for as long as it lives. A hub that answers is named at once; anybody else gets 5 s
 * to finish. Whatever a note says, only the kernel's lock decides: a pid in it may be anybody's by now. Throws
 * `MAIN_HOME_TAKEN` with the holder's pid, and `MAIN_HOME_ELSEWHERE` where that is another machine's. `after`: of the hub
 * that hands over to us; it gets a minute, then `MAIN_HUB_DID_NOT_LEAVE`.
 */
export async function takeHome(
  deps: { readonly clock: Clock; readonly random: Random },
  {
    home,
    purpose,
    after,
  }: {
    readonly home: Home
    readonly purpose: 'up' | 'run' | 'store'
    readonly after?: { readonly pid: number } | undefined
  },
): Promise<TakenHome> {
  const asked = { path: home.lock, holderPath: home.note }
  if (after !== undefined) {
    const answer = await takeKernelLock(deps, { ...asked, waitMs: handOverMs })
    if (answer.kind === 'held') return { lock: answer.lock, left: readLockHolder(home.note) }
    const holder = answer.holder
    if (holder !== undefined && holder.pid !== after.pid) throw takenBy(home, holder, purpose) // another one was faster
    throw mainError('MAIN_HUB_DID_NOT_LEAVE', { pid: after.pid, waitedMs: handOverMs })
  }
  const first = await takeKernelLock(deps, { ...asked, waitMs: 0 })
  const left = readLockHolder(home.note)
  if (first.kind === 'held') return { lock: first.lock, left }
  const hub = await findHub(home.path).catch(() => undefined) // whatever is wrong with it, it is not ours to take
  const answer = hub === undefined ? await takeKernelLock(deps, { ...asked, waitMs }) : first
  if (answer.kind === 'held') return { lock: answer.lock, left: readLockHolder(home.note) }
  throw takenBy(home, readLockHolder(home.note), purpose)
}

function takenBy(home: Home, holder: LockHolder | undefined, purpose: 'up' | 'run' | 'store') {
  if (holder !== undefined && isElsewhere(home, holder)) {
    return mainError('MAIN_HOME_ELSEWHERE', { home: home.path, host: holder.host ?? 'unknown', pid: holder.pid })
  }
  return mainError('MAIN_HOME_TAKEN', { home: home.path, holder, purpose })
}
