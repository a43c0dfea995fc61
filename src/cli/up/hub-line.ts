import type { HealthView } from '../../api/contract/index.ts'
import { heldName, howItEnds, lacksSomething } from '../render/hold-words.ts'
import { count } from '../render/words.ts'

/** What `up` says once it serves: who, how much at once, where, and how to stop it. */
export function hubLines(health: HealthView, port: number): readonly string[] {
  const ready = health.counts.ready ?? 0
  const names = (lanes: HealthView['lanes']) => lanes.map(({ name }) => name).join(', ')
  const missing = health.lanes.filter((lane) => !lane.ready).map(({ name, says }) => `${name} (${says})`)
  const lanes = names(health.lanes.filter((lane) => lane.ready))
  return [
    `Hub up (pid ${health.pid}), ${count(health.slots.total, 'slot')}, http://127.0.0.1:${port}  ${ready} ready. Stop: yardmaster down`,
    `Lanes ready: ${lanes || 'none'}.${missing.length === 0 ? '' : ` Missing: ${missing.join(', ')}.`}`,
    ...holdLines(health.holds),
  ]
}

/** What keeps all of it from starting, else what parts of it are kept from that. */
function holdLines(holds: HealthView['holds']): readonly string[] {
  const all = holds.find(({ scope }) => scope === 'all')
  if (all !== undefined) {
    return [`It starts nothing now: it ${all.kind === 'drain' ? 'drains' : 'is paused'}. Start: yardmaster resume`]
  }
  // What a lane lacks was said with the lanes.
  return holds
    .filter((hold) => !lacksSomething(hold))
    .map((hold) => `${hold.kind === 'drain' ? 'Draining' : 'Paused'}: ${heldName(hold)}. ${howItEnds(hold)}`)
}

/**
 * Said once, when a home is made (promise P7): workers run as the same user, so nothing but a sandbox or another user
 * keeps them out of it.
 */
export const firstStartNote = (home: string): string =>
  `Workers run as you: they can read ${home} and everything else that you can.`
