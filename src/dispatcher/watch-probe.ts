import { openAfterProbe } from './apply-gates.ts'
import { gateNumbers } from './gates.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'

/** A probe that lives so long without meeting a limit opens the gate of its account. */
export function watchProbe(loop: Loop, open: OpenRun): void {
  if (!open.probe) return
  loop.clock.after(gateNumbers.probeAliveMs, open.over.signal, () => {
    try {
      openAfterProbe(loop, open)
    } catch (fault) {
      // Its end says the same a little later; a store that cannot be written now must not take the hub down.
      loop.log.error('account.not_opened', { run: open.id, fault: String(fault) })
    }
  })
}
