import type { Clock } from '../index.ts'
import type { Libc } from './libc.ts'
import { readAllStats } from './proc-stat.ts'

/** Told of each SIGCHLD. */
export interface OrphanReaper {
  wake(): void
}

/** Long enough that whoever waits for a child of its own has been told of its end and has collected it. */
const lookAgainMs = 1_000

/**
 * As PID 1 of a container this program becomes the parent of processes whose own parent has ended, and nobody waits for
 * those: they would stay zombies. waitpid(-1) would take the ends of children that Node or we started and wait for. So only
 * who is found dead in two looks is collected: between the two the loop has come round, in which Node asks for all
 * of its own, and ours are known. Looks are made only after a child has died.
 */
export function createOrphanReaper(
  { clock, libc }: { readonly clock: Clock; readonly libc: Libc },
  { signal, isOurs }: { readonly signal: AbortSignal; readonly isOurs: (pid: number) => boolean },
): OrphanReaper {
  let dead: ReadonlyMap<number, number> = new Map()
  let planned = false
  const look = () => {
    planned = false
    const zombies = (readAllStats() ?? []).filter(
      ({ pid, parent, state }) => parent === process.pid && state === 'Z' && !isOurs(pid),
    )
    const left = zombies.filter(
      ({ pid, startTicks }) => dead.get(pid) !== startTicks || libc.reap(pid) === 'running', // of a thread that lives on
    )
    dead = new Map(left.map(({ pid, startTicks }) => [pid, startTicks]))
    if (dead.size > 0) plan()
  }
  const plan = () => {
    if (planned || signal.aborted) return
    planned = true
    clock.after(lookAgainMs, signal, look)
  }
  return { wake: plan }
}
