import type { Clock, Random } from '../kernel/index.ts'
import { type KernelLock, readLockHolder, takeKernelLock } from '../kernel/process/index.ts'
import { mainError } from './errors.ts'
import { findHub } from './find-hub.ts'
import type { Home } from './home.ts'

/** How long another process may need to leave: a short command of the CLI, or a hub that is going down (design section 9). */
const waitMs = 5_000

/**
 * Takes the home for this process, for as long as it lives. A hub that answers is named at once; anybody else gets 5 s
 * to finish. Throws `MAIN_HOME_TAKEN` with the holder's pid.
 */
export async function takeHome(
  deps: { readonly clock: Clock; readonly random: Random },
  { home, purpose }: { readonly home: Home; readonly purpose: 'up' | 'run' | 'store' },
): Promise<KernelLock> {
  const asked = { path: home.lock, holderPath: home.note }
  const first = await takeKernelLock(deps, { ...asked, waitMs: 0 })
  if (first.kind === 'held') return first.lock
  const hub = await findHub(home.path).catch(() => undefined) // whatever is wrong with it, it is not ours to take
  const answer = hub === undefined ? await takeKernelLock(deps, { ...asked, waitMs }) : first
  if (answer.kind === 'held') return answer.lock
  throw mainError('MAIN_HOME_TAKEN', { home: home.path, holder: readLockHolder(home.note), purpose })
}
