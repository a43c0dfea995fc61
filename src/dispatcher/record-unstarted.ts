import { commitTogether } from './commit-together.ts'
import { holdLane } from './lane-checks.ts'
import type { Loop } from './loop-state.ts'
import { planGivenBack, planUnstarted } from './unstarted.ts'

/**
 * Ends the claims that never got a process. What is the lane's own fault holds the lane, so that its other tasks wait
 * instead of failing one by one. A commit that fails is tried again with the next wake.
 */
export function recordUnstarted(loop: Loop): void {
  const { board, state } = loop
  const faulty = [...state.unstarted]
  if (faulty.length === 0) return
  const planned = faulty.map(([open, why]) => ({
    open,
    why,
    ...(why === 'given back' ? planGivenBack(loop, open) : planUnstarted(loop, open, why)),
  }))
  const fault = commitTogether(planned, (some) => {
    board.recordUnstarted(some)
    for (const { open, why } of some) {
      if (why !== 'given back' && why.fault === 'lane') holdLane(loop, open.plan.lane, why.says)
      open.over.abort()
      state.unstarted.delete(open)
      state.open.delete(open.id)
      if (open.batch !== null) state.touched.add(open.batch)
    }
  })
  if (fault !== undefined) throw fault
}

/** What is claimed and waits for its key has no process: when we leave it goes back at once, and not when the key comes. */
export function giveBackWaiting(loop: Loop): void {
  for (const open of loop.state.open.values()) {
    if (open.phase === 'claimed' && !open.elsewhere) loop.state.unstarted.set(open, 'given back')
  }
  recordUnstarted(loop)
}
