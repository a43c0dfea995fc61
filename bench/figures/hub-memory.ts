import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../figure.ts'
import { openYard } from '../yard.ts'

/** How long the hub is left alone before it is weighed. */
const idleMs = 2_000

/** The memory that a hub holds when nothing goes on; a new one for each round. */
export const hubMemory: Bench = {
  figures: [
    {
      id: 'hub_rss_idle_mb',
      says: `resident memory of a hub ${idleMs / 1_000} s after its start, MB`,
      goal: { atMost: 90 },
    },
  ],
  async open() {
    return {
      async measure() {
        const yard = await openYard({ slots: 4 })
        await wait(idleMs)
        const status = readFileSync(`/proc/${yard.pid}/status`, 'utf8')
        await yard.close()
        return { hub_rss_idle_mb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024 }
      },
      async close() {},
    }
  },
}
