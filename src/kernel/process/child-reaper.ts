import type { Clock } from '../index.ts'
import type { ChildUse, Libc } from './libc.ts'
import { createOrphanReaper } from './orphan-reaper.ts'
import { decodeWait, type WaitStatus } from './wait-status.ts'

/**
 * Called once, in the loop turn in which the end is seen; null when the system no longer knew the child. `used` is known
 * where the child was collected here.
 */
export type OnEnd = (status: WaitStatus | null, used?: ChildUse) => void

/**
 * Collects children that were started past Node: libuv waits only for those it started itself, so these would stay
 * zombies. SIGCHLD wakes it, whoever the dead child is, and each of its own is asked for, at about 1 µs. As PID 1 it
 * also collects orphans that came to us.
 */
export interface ChildReaper {
  watch(pid: number, onEnd: OnEnd): void
  /** Asks each child now: for a look that must not miss an end the signal for which is still on its way. */
  look(): void
  /** Nobody is told any more. Children that live on are still collected while this process lives. */
  close(): void
}

export function openChildReaper({ clock, libc }: { readonly clock: Clock; readonly libc: Libc }): ChildReaper {
  const children = new Map<number, OnEnd>()
  let closed = false
  const over = new AbortController()
  const orphans =
    process.pid === 1
      ? createOrphanReaper({ clock, libc }, { signal: over.signal, isOurs: (pid) => children.has(pid) })
      : undefined
  const look = () => {
    // A copy: whoever is told may start the next child at once, and that one is not asked for in this look.
    for (const [pid, onEnd] of [...children]) {
      const reaped = libc.reap(pid)
      if (reaped === 'running') continue
      children.delete(pid)
      if (reaped === 'not_ours') onEnd(null)
      else onEnd(decodeWait(reaped.status), reaped.used)
    }
    orphans?.wake()
    if (closed && children.size === 0) process.removeListener('SIGCHLD', look)
  }
  process.on('SIGCHLD', look)
  return {
    watch: (pid, onEnd) => children.set(pid, onEnd),
    look,
    close() {
      closed = true
      over.abort()
      for (const pid of children.keys()) children.set(pid, () => {})
      look()
    },
  }
}
